import { sql } from 'drizzle-orm';
import * as z from 'zod';
import { json, maybeOne, rows, type Tx } from '@/lib/db/client';
import { transaction } from '@/lib/db/transaction';
import { loweredBy, type Policy, policySchema } from '@/lib/domain/dataset';
import { differences, type Json, sortedText } from '@/lib/domain/json';
import { parseName, readDatasetName } from '@/lib/domain/names';
import { NotFound, Refused, toFix } from '@/lib/domain/refusal';
import { parseInput } from '@/lib/domain/zod-issues';
import { writeAudit } from '@/lib/services/audit/write';
import type { Ctx } from '@/lib/services/context';
import { requireCron } from '@/lib/services/runs/cron';
import { verb } from '@/lib/services/verb';

export interface SetPolicy {
  dataset: string;
  /** The whole policy from now on. */
  policy: unknown;
  /** The policy that the decision was made by. */
  seen: unknown;
}

const given = z.strictObject({ policy: policySchema, seen: policySchema });

/**
 * Changes the policy of a dataset, and nothing else of it.
 *
 * @throws Refused with a blocker for each field that a release under way does not let be lowered,
 *   or where the policy is not the one that was `seen`
 */
export const setPolicy = verb<SetPolicy, void>(
  { name: 'dataset.apply', subject: (input) => input.dataset, chain: async () => 'people' },
  async (ctx, { dataset, ...rest }) => {
    const name = parseName(readDatasetName, dataset, '/dataset');
    const { policy, seen } = parseInput(given, rest);
    const found = await maybeOne<{ zone: string }>(
      ctx.db,
      sql`select timezone as zone from control.dataset where name = ${name}`,
    );
    if (!found) throw new NotFound('dataset', name);
    requireCron(policy.runs.cron, found.zone);
    await writePolicy(ctx, name, policy, seen);
  },
);

/** Writes a policy that was read and checked, in a transaction of its own. */
export async function writePolicy(
  ctx: Ctx,
  dataset: string,
  after: Policy,
  seen?: Policy,
): Promise<void> {
  await transaction(ctx.db, async (tx) => {
    await tx.execute(sql`select 1 from control.registry where dataset = ${dataset} for update`);
    // read after the lock: somebody may have raised it since the call began
    const [stored] = await rows<{ policy: Policy }>(
      tx,
      sql`select policy from control.dataset where name = ${dataset}`,
    );
    if (!stored) throw new NotFound('dataset', dataset);
    if (seen !== undefined) requireSeen(dataset, stored.policy, seen);
    await requireNotLowered(tx, dataset, stored.policy, after);
    await tx.execute(
      sql`update control.dataset set policy = ${json(after)} where name = ${dataset}`,
    );
    await writeAudit(tx, ctx, {
      chain: `dataset:${dataset}`,
      verb: 'dataset.apply',
      subject: dataset,
      before: { policy: stored.policy },
      after: { policy: after },
    });
  });
}

function requireSeen(dataset: string, stored: Policy, seen: Policy): void {
  // of a policy that was written down before a field was there, the default is what was seen
  const now = policySchema.parse(stored);
  if (sortedText(now) === sortedText(seen)) return;
  throw new Refused(
    differences(seen as Json, now as Json).map(({ pointer, before, after }) =>
      toFix(
        'CHANGED_SINCE_SEEN',
        `Somebody changed ${pointer.slice(1)} of ${dataset} since you looked.`,
        {
          ...(before === undefined ? {} : { expected: before }),
          ...(after === undefined ? {} : { current: after }),
        },
      ),
    ),
  );
}

async function requireNotLowered(
  tx: Tx,
  dataset: string,
  before: Policy,
  after: Policy,
): Promise<void> {
  const lowered = loweredBy(before, after);
  if (lowered.length === 0) return;
  const under = await rows<{ release: string }>(
    tx,
    sql`select name || '@' || revision as release from control.release where dataset = ${dataset}
      and state in ('SNAPSHOT_PINNED', 'BUILDING', 'INGRESS_SEALED', 'CAUGHT_UP', 'RECONCILED', 'APPROVED',
        'RECONCILIATION_REQUIRED') order by id`,
  );
  const [first] = under;
  if (!first) return;
  const names = under.map(({ release }) => release).join(', ');
  throw new Refused(
    lowered.map((field) =>
      toFix(
        'POLICY_LOWERED',
        `${field} would be lowered while ${names} ${under.length === 1 ? 'is' : 'are'} under way.`,
        {
          pointer: `/policy/${field}`,
          expected: valueAt(before, field),
          current: valueAt(after, field),
          link: `/releases/${first.release}`,
        },
      ),
    ),
  );
}

/** The value of a field that is named as `loweredBy` names it. */
function valueAt(policy: Policy, field: string): Json {
  let value: unknown = policy;
  for (const part of field.split('/')) value = (value as Record<string, unknown>)[part];
  return (value ?? null) as Json;
}
