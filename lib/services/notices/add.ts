import { sql } from 'drizzle-orm';
import * as z from 'zod';
import { affected, array } from '@/lib/db/client';
import { transaction } from '@/lib/db/transaction';
import { datasetNameSchema, subscriberNameSchema } from '@/lib/domain/names';
import { askedKindsSchema, subscriberUrlSchema } from '@/lib/domain/notice-schemas';
import { type AskedKind, shownUrl } from '@/lib/domain/notices';
import { NotFound, Refused, toFix } from '@/lib/domain/refusal';
import { parseInput } from '@/lib/domain/zod-issues';
import { writeAudit } from '@/lib/services/audit/write';
import { isDataset } from '@/lib/services/of-dataset';
import { verb } from '@/lib/services/verb';
import { newSecret } from './secret';
import { chainOfSubscriber } from './subscriber';

const schema = z.strictObject({
  name: subscriberNameSchema,
  dataset: datasetNameSchema.nullable().default(null),
  url: subscriberUrlSchema,
  kinds: askedKindsSchema.default([]),
});

export interface AddSubscriberInput {
  name: string;
  /** Null or left out: of every dataset. */
  dataset?: string | null | undefined;
  url: string;
  /** None or left out: of everything. */
  kinds?: readonly AskedKind[] | undefined;
}

export interface NewSubscriber {
  name: string;
  dataset: string | null;
  url: string;
  kinds: AskedKind[];
  /** Shown this once: what signatures are checked with. */
  secret: string;
}

/**
 * Adds whom to tell, from now on. The secret is in this answer and in no other one; it is kept in
 * clear, since every call is signed with it.
 *
 * @throws NotFound, Refused where the name was used before
 */
export const addSubscriber = verb<AddSubscriberInput, NewSubscriber>(
  {
    name: 'subscriber.manage',
    subject: ({ name }) => String(name),
    chain: async (db, { dataset }) =>
      typeof dataset === 'string' && (await isDataset(db, dataset))
        ? chainOfSubscriber({ dataset })
        : 'people',
  },
  async (ctx, input) => {
    const { name, dataset, url, kinds } = parseInput(schema, input);
    const secret = newSecret();
    return transaction(ctx.db, async (tx) => {
      if (dataset !== null && !(await isDataset(tx, dataset)))
        throw new NotFound('dataset', dataset);
      const made = await affected(
        tx,
        sql`insert into control.subscriber (name, dataset, url, kinds, secret, made_by)
          values (${name}, ${dataset}, ${url}, ${array(kinds, 'text')}, ${secret}, ${ctx.actor.person})
          on conflict do nothing`,
      );
      if (made === 0) {
        throw new Refused(
          toFix('ALREADY_EXISTS', `There is or was a subscriber ${name}; a name is used once.`, {
            pointer: '/name',
          }),
        );
      }
      await writeAudit(tx, ctx, {
        chain: chainOfSubscriber({ dataset }),
        verb: 'subscriber.manage',
        subject: name,
        after: { did: 'added', dataset, url: shownUrl(url), kinds },
      });
      return { name, dataset, url, kinds, secret };
    });
  },
);
