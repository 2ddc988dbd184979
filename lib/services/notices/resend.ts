import { sql } from 'drizzle-orm';
import { affected, maybeOne } from '@/lib/db/client';
import { transaction } from '@/lib/db/transaction';
import type { DeliveryState } from '@/lib/domain/notices';
import { NotFound, Refused, toFix, toWait } from '@/lib/domain/refusal';
import { writeAudit } from '@/lib/services/audit/write';
import { verb } from '@/lib/services/verb';
import { enqueueTell } from './queue';
import { chainOfName, chainOfSubscriber, lockSubscriber, requireGoing } from './subscriber';

export interface ResendInput {
  /** The notice's id, as its receivers see it. */
  notice: string;
  subscriber: string;
}

const uuidForm = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * Has a delivery that was given up tried again, from the first try on, under the same id.
 *
 * @throws NotFound, Refused where it was not given up, or its subscriber was ended
 */
export const resendNotice = verb<ResendInput, void>(
  {
    name: 'subscriber.manage',
    subject: ({ subscriber }) => subscriber,
    chain: (db, { subscriber }) => chainOfName(db, { name: subscriber }),
  },
  async (ctx, { notice, subscriber: name }) => {
    if (!uuidForm.test(notice)) throw new NotFound('notice', notice);
    await transaction(ctx.db, async (tx) => {
      const subscriber = await lockSubscriber(tx, name);
      const found = await maybeOne<{ id: string; state: DeliveryState }>(
        tx,
        sql`select n.id, d.state from control.notice n
          join control.notice_delivery d on d.notice = n.id and d.subscriber = ${name}
          where n.uuid = ${notice} for update of d`,
      );
      if (!found) throw new NotFound('delivery of the notice', notice);
      requireGoing(subscriber);
      if (found.state !== 'FAILED') throw notFailed(name, found.state);
      await affected(
        tx,
        sql`update control.notice_delivery set state = 'WAITING', attempts = 0,
            next_attempt_at = clock_timestamp()
          where notice = ${found.id} and subscriber = ${name}`,
      );
      await enqueueTell(tx, `${found.id}:${name}`);
      await writeAudit(tx, ctx, {
        chain: chainOfSubscriber(subscriber),
        verb: 'subscriber.manage',
        subject: name,
        after: { did: 'resent', notice },
      });
    });
  },
);

const notFailed = (name: string, state: 'WAITING' | 'DELIVERED') =>
  new Refused(
    state === 'WAITING'
      ? toWait('DELIVERY_NOT_FAILED', `It still waits for ${name}, and is tried by itself.`)
      : toFix('DELIVERY_NOT_FAILED', `${name} was told already.`),
  );
