import { sql } from 'drizzle-orm';
import * as z from 'zod';
import { affected, array } from '@/lib/db/client';
import { transaction } from '@/lib/db/transaction';
import { subscriberNameSchema } from '@/lib/domain/names';
import { askedKindsSchema, subscriberUrlSchema } from '@/lib/domain/notice-schemas';
import { type AskedKind, shownUrl } from '@/lib/domain/notices';
import { parseInput } from '@/lib/domain/zod-issues';
import { writeAudit } from '@/lib/services/audit/write';
import { verb } from '@/lib/services/verb';
import { chainOfName, chainOfSubscriber, lockSubscriber, requireGoing } from './subscriber';

const schema = z.strictObject({
  name: subscriberNameSchema,
  url: subscriberUrlSchema.optional(),
  kinds: askedKindsSchema.optional(),
});

export interface ChangeSubscriberInput {
  name: string;
  url?: string | undefined;
  kinds?: readonly AskedKind[] | undefined;
}

/**
 * Changes where a subscriber is told, and of what from now on. What waits goes to the new address;
 * what was written before is not written again for kinds that are new.
 *
 * @throws NotFound, Refused where it was ended
 */
export const changeSubscriber = verb<ChangeSubscriberInput, void>(
  { name: 'subscriber.manage', subject: ({ name }) => String(name), chain: chainOfName },
  async (ctx, input) => {
    const { name, ...change } = parseInput(schema, input);
    await transaction(ctx.db, async (tx) => {
      const before = await lockSubscriber(tx, name);
      requireGoing(before);
      const { url = before.url, kinds = before.kinds } = change;
      if (url === before.url && kinds.join() === before.kinds.join()) return;
      await affected(
        tx,
        sql`update control.subscriber set url = ${url}, kinds = ${array(kinds, 'text')}
          where name = ${name}`,
      );
      await writeAudit(tx, ctx, {
        chain: chainOfSubscriber(before),
        verb: 'subscriber.manage',
        subject: name,
        before: { url: shownUrl(before.url), kinds: before.kinds },
        after: { did: 'changed', url: shownUrl(url), kinds },
      });
    });
  },
);
