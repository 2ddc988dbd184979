import { sql } from 'drizzle-orm';
import { affected, maybeOne, type Tx } from '@/lib/db/client';
import { drillHolds } from '@/lib/db/statements/drill';
import type { Code } from '@/lib/domain/refusal-codes';

export interface CutoverKeys {
  release: string;
  /** Who executes it. */
  actor: string;
  /** The new epoch's write segment. */
  writeSegment: string;
}

/** Sealed partitions in the release's range; those of its origin for a fork. */
const publishedInRange = sql`control.published_partition p
  where p.dataset = split_part(x.dataset, '~', 1) and p.start_at >= x.range_from
    and (x.range_to is null or p.start_at < x.range_to)`;

/**
 * The conditions of the cutover, each under the code that names its failure: one list, and-ed in
 * the statement that switches and asked one by one to say why it did not. `r` is the registry,
 * `x` the release, `g` its generation, `e` the evidence.
 */
const conditions: { code: Code; holds: (keys: CutoverKeys) => ReturnType<typeof sql> }[] = [
  { code: 'WRONG_STATE', holds: () => sql`x.state = 'APPROVED'` },
  { code: 'NOT_SEALED', holds: () => sql`r.state = 'SEALED' and r.sealer = 'release:' || x.id` },
  { code: 'EPOCH_SEALED', holds: () => sql`r.epoch = x.sealed_epoch` },
  { code: 'SEALED_TOO_LONG', holds: () => sql`r.sealed_until > clock_timestamp()` },
  { code: 'GENERATION_MOVED', holds: () => sql`r.active_generation = x.old_generation` },
  { code: 'ROLLBACK_IN_PROGRESS', holds: () => sql`r.rollback is null` },
  {
    code: 'BARRIER_NOT_COVERED',
    holds: () => sql`r.barrier = x.barrier
      and (select offsets from control.generation_progress where generation = x.old_generation) = r.barrier
      and (select offsets from control.generation_progress where generation = x.generation) = r.barrier`,
  },
  { code: 'GENERATION_GONE', holds: () => sql`g.state = 'candidate'` },
  {
    code: 'EVIDENCE_MOVED',
    holds: () => sql`e.digest = x.evidence
      and g.manifest_root = e.parts ->> 'manifestRoot' and g.catch_up_root = e.parts ->> 'catchUpRoot'
      and (select array_agg(p.start_at order by p.start_at) from ${publishedInRange})
        is not distinct from (select array_agg((s ->> 'start')::timestamptz order by 1)
          from jsonb_array_elements(e.parts -> 'sealedPartitions') s)`,
  },
  {
    code: 'PARTITION_SEALED',
    holds: () => sql`coalesce(x.spec ->> 'sealedPartitions', 'CORRECT') = 'CORRECT'
      or not exists (select from ${publishedInRange})`,
  },
  { code: 'HELD', holds: () => sql`x.held_at is null` },
  { code: 'PAUSED', holds: () => sql`x.paused_at is null` },
  { code: 'DRAINING', holds: () => sql`not x.draining` },
  {
    code: 'DEADLINE_PASSED',
    holds: () => sql`(x.deadline is null or x.deadline > clock_timestamp())`,
  },
  {
    code: 'APPROVALS_MISSING',
    holds: () => sql`(
      select count(distinct s.person) from control.signature s
      join control.person_role pr on pr.person = s.person and pr.role = 'approver'
      where s.release = x.id and s.kind = 'cutover' and s.decision = 'approve' and s.digest = x.evidence
        and s.release_digest = x.digest
        and not exists (select from control.release_author a where a.release = x.id and a.person = s.person)
    ) >= x.approvals_needed`,
  },
  {
    code: 'EXECUTOR_SIGNED',
    holds: (keys) => sql`(x.executor_may_approve or not exists (
      select from control.signature s where s.release = x.id and s.kind = 'cutover'
        and s.decision = 'approve' and s.digest = x.evidence and s.person = ${keys.actor}))`,
  },
  { code: 'DRILL_MISSING', holds: () => drillHolds },
];

const joined = sql`control.release x
  join control.generation g on g.id = x.generation
  left join control.evidence e on e.digest = x.evidence and e.release = x.id`;

/**
 * Locks what the statement after it reads from other tables, in the order of all locks: the
 * signers' rows, so that a lost role comes before or after the switch, never within it.
 */
export async function lockSigners(tx: Tx, release: string): Promise<void> {
  await tx.execute(sql`
    select 1 from control.person
    where name in (select person from control.signature where release = ${release})
    order by name for update`);
}

/**
 * The one compare-and-set that moves every reader at once. Registry, release and signers are locked
 * by earlier statements. Zero rows: something that was believed does not hold; ask `failedConditions`.
 */
export async function switchGeneration(tx: Tx, keys: CutoverKeys): Promise<boolean> {
  const all = sql.join(
    conditions.map((c) => sql`(${c.holds(keys)})`),
    sql` and `,
  );
  const moved = await affected(
    tx,
    sql`update control.registry r
      set active_generation = x.generation, epoch = r.epoch + 1, state = 'OPEN', sealer = null,
        sealed_at = null, sealed_until = null, barrier = null, write_segment = ${keys.writeSegment}
      from ${joined}
      where x.id = ${keys.release} and r.dataset = x.dataset and ${all}`,
  );
  return moved === 1;
}

/** Each condition of the cutover, whether it holds now. */
export async function cutoverConditions(
  tx: Tx,
  keys: CutoverKeys,
): Promise<{ code: Code; holds: boolean }[]> {
  const columns = sql.join(
    conditions.map((c) => sql`coalesce((${c.holds(keys)}), false) as ${sql.identifier(c.code)}`),
    sql`, `,
  );
  const found = await maybeOne<Record<string, boolean>>(
    tx,
    sql`select ${columns} from control.registry r, ${joined}
      where x.id = ${keys.release} and r.dataset = x.dataset`,
  );
  return conditions.map((c) => ({ code: c.code, holds: found?.[c.code] ?? false }));
}
