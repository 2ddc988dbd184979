import { sql } from 'drizzle-orm';
import { insertNotice } from '@/lib/db/statements/notice';
import { transaction } from '@/lib/db/transaction';
import { writeAudit } from '@/lib/services/audit/write';
import { verb } from '@/lib/services/verb';
import { enqueueTell } from './queue';
import { chainOfName, chainOfSubscriber, lockSubscriber, requireGoing } from './subscriber';

/**
 * Writes a notice for one subscriber and nobody else, to see that it arrives.
 *
 * @returns the notice's id
 * @throws NotFound, Refused where it was ended
 */
export const testSubscriber = verb<{ name: string }, { id: string }>(
  { name: 'subscriber.manage', subject: ({ name }) => name, chain: chainOfName },
  async (ctx, { name }) =>
    transaction(ctx.db, async (tx) => {
      const subscriber = await lockSubscriber(tx, name);
      requireGoing(subscriber);
      const { dataset } = subscriber;
      const { id, uuid } = await insertNotice(
        tx,
        { dataset, kind: 'TEST', subject: name, body: { by: ctx.actor.person } },
        sql`s.name = ${name}`,
      );
      await enqueueTell(tx, id);
      await writeAudit(tx, ctx, {
        chain: chainOfSubscriber(subscriber),
        verb: 'subscriber.manage',
        subject: name,
        after: { did: 'tested', notice: uuid },
      });
      return { id: uuid };
    }),
);
