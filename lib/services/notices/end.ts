import { sql } from 'drizzle-orm';
import { affected } from '@/lib/db/client';
import { endDeliveries } from '@/lib/db/statements/notice';
import { transaction } from '@/lib/db/transaction';
import { writeAudit } from '@/lib/services/audit/write';
import { verb } from '@/lib/services/verb';
import { chainOfName, chainOfSubscriber, lockSubscriber } from './subscriber';

/**
 * Ends a subscriber: it is told nothing more, and what still waits is given up. Its deliveries stay
 * to be read. Ending it again changes nothing.
 *
 * @throws NotFound
 */
export const endSubscriber = verb<{ name: string }, void>(
  { name: 'subscriber.manage', subject: ({ name }) => name, chain: chainOfName },
  async (ctx, { name }) => {
    await transaction(ctx.db, async (tx) => {
      const before = await lockSubscriber(tx, name);
      if (before.endedAt !== null) return;
      await affected(
        tx,
        sql`update control.subscriber set ended_at = clock_timestamp(), ended_by = ${ctx.actor.person}
          where name = ${name}`,
      );
      const waiting = await endDeliveries(tx, name);
      await writeAudit(tx, ctx, {
        chain: chainOfSubscriber(before),
        verb: 'subscriber.manage',
        subject: name,
        after: { did: 'ended', givenUp: waiting },
      });
    });
  },
);
