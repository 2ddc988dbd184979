import { sql } from 'drizzle-orm';
import { type Database, maybeOne, one, rows, type Tx } from '@/lib/db/client';
import { cutoverConditions } from '@/lib/db/statements/cutover';
import { drillFacts } from '@/lib/db/statements/drill';
import { transaction } from '@/lib/db/transaction';
import { type DrillFacts, drillWords } from '@/lib/domain/drill';
import { formatClock } from '@/lib/domain/figures';
import type { Told } from '@/lib/domain/notices';
import type { Code } from '@/lib/domain/refusal-codes';
import { ROLLBACK_LIMIT_SECONDS } from '@/lib/domain/rollback';
import { toldOf } from '@/lib/queries/notices';
import { type ReleaseBasis, releaseBasis } from '@/lib/queries/release-basis';

/** One condition of the cutover's compare-and-set; both sides are plain values. */
export interface CutoverCondition {
  code: Code;
  holds: boolean;
  expected: string | null;
  current: string | null;
}

export interface ShardBarrier {
  shard: number;
  barrier: string | null;
  old: string | null;
  candidate: string | null;
}

/** What is watched after the cutover. */
export interface AfterCheck {
  name: 'tail' | 'takeover' | 'oldWrites';
  passed: boolean;
  /** Not to be judged yet: no event has come since. */
  waiting: boolean;
  figure: string;
  at: string;
}

export interface CutoverRefusal {
  id: string;
  at: string;
  actor: string;
  reason: string | null;
  blockers: { code: string; kind: 'fix' | 'wait'; message: string }[];
}

export interface CutoverPage extends ReleaseBasis {
  conditions: CutoverCondition[];
  shards: ShardBarrier[];
  epoch: number;
  activeGeneration: string | null;
  serving: boolean;
  sealedByThis: boolean;
  sealedSeconds: number | null;
  sealedLimitSeconds: number | null;
  sealedUntil: string | null;
  rollbackWindowSeconds: number | null;
  /** How many ranges of the map come by reference from the generation in use. */
  inherited: number;
  evidence: string | null;
  /** Partitions of the range that were published, by the evidence; null without one. */
  sealed: number | null;
  cutover: {
    by: string;
    at: string;
    epochBefore: number;
    epochAfter: number;
    from: string;
    to: string;
    barrier: string[];
    evidence: string;
    checks: AfterCheck[];
    /** Events applied since, and how far behind the log the new generation is. */
    applied: string;
    lagSeconds: number;
    /** Readers that still hold a lease on the generation that was left. */
    openLeases: number;
    leasesUntil: string | null;
    keptUntil: string | null;
    fromState: string;
    /** How many subscribers know of it; null where it was before there were notices. */
    told: Told | null;
  } | null;
  refusals: CutoverRefusal[];
}

interface Sides {
  state: string;
  ingress: string;
  sealer: string | null;
  mine: boolean;
  epoch: number;
  sealedEpoch: number | null;
  sealedSeconds: number | null;
  sealedLimitSeconds: number | null;
  sealedUntil: string | null;
  activeGeneration: string | null;
  serving: boolean;
  rollback: string | null;
  generationState: string | null;
  evidence: string | null;
  manifestRoot: string | null;
  catchUpRoot: string | null;
  evidenceManifestRoot: string | null;
  evidenceCatchUpRoot: string | null;
  held: string | null;
  paused: string | null;
  draining: boolean;
  deadline: string | null;
  deadlineLeft: number | null;
  needed: number | null;
  standing: string[];
  executorMayApprove: boolean;
  actorSigned: boolean;
  rollbackWindowSeconds: number | null;
  inherited: number;
  sealed: number | null;
  refusesSealed: boolean;
  shards: ShardBarrier[];
  drill: DrillFacts;
}

/**
 * The cutover as it would be decided now: every condition of its statement with both sides, read in
 * one snapshot; and after it, what became of it.
 *
 * @param actor whoever looks, as the one who would execute it
 * @throws NotFound
 */
export async function cutoverPage(
  db: Database,
  reference: string,
  actor: string,
): Promise<CutoverPage> {
  return transaction(
    db,
    async (tx) => {
      const basis = await releaseBasis(tx, reference);
      const sides = await sidesOf(tx, basis, actor);
      const held = await cutoverConditions(tx, { release: basis.id, actor, writeSegment: '0' });
      return {
        ...basis,
        conditions: held.map((c) => ({ ...c, ...sidesOfCode(c.code, sides, basis, actor) })),
        shards: sides.shards,
        epoch: sides.epoch,
        activeGeneration: sides.activeGeneration,
        serving: sides.serving,
        sealedByThis: sides.mine,
        sealedSeconds: sides.sealedSeconds,
        sealedLimitSeconds: sides.sealedLimitSeconds,
        sealedUntil: sides.sealedUntil,
        rollbackWindowSeconds: sides.rollbackWindowSeconds,
        inherited: sides.inherited,
        evidence: sides.evidence,
        sealed: sides.sealed,
        cutover: await cutoverOf(tx, basis),
        refusals: await refusalsOf(tx, basis),
      };
    },
    { isolation: 'repeatable read', readOnly: true },
  );
}

async function sidesOf(tx: Tx, basis: ReleaseBasis, actor: string): Promise<Sides> {
  const head = await one<Omit<Sides, 'shards' | 'drill'>>(
    tx,
    sql`select x.state, r.state as ingress, r.epoch, x.sealed_epoch as "sealedEpoch",
        (select l.name || '@' || l.revision from control.release l
          where r.sealer = 'release:' || l.id) as sealer,
        coalesce(r.sealer = 'release:' || x.id, false) as mine,
        extract(epoch from clock_timestamp() - r.sealed_at)::float8 as "sealedSeconds",
        extract(epoch from r.sealed_until - r.sealed_at)::float8 as "sealedLimitSeconds",
        r.sealed_until as "sealedUntil",
        (select name from control.generation a where a.id = r.active_generation)
          as "activeGeneration",
        coalesce(r.active_generation = x.generation, false) as serving,
        (select l.name || '@' || l.revision from control.rollback b
          join control.release l on l.id = b.release where b.id = r.rollback) as rollback,
        g.state as "generationState", x.evidence, g.manifest_root as "manifestRoot",
        g.catch_up_root as "catchUpRoot", e.parts ->> 'manifestRoot' as "evidenceManifestRoot",
        e.parts ->> 'catchUpRoot' as "evidenceCatchUpRoot",
        case when x.held_at is not null then 'held by ' || x.held_by ||
          coalesce(': ' || x.held_why, '') end as held,
        case when x.paused_at is not null then 'paused by ' || x.paused_by ||
          coalesce(': ' || x.paused_why, '') end as paused,
        x.draining, x.deadline,
        extract(epoch from x.deadline - clock_timestamp())::float8 as "deadlineLeft",
        x.approvals_needed as needed,
        array(select distinct s.person from control.signature s
          join control.person_role p on p.person = s.person and p.role = 'approver'
          where s.release = x.id and s.kind = 'cutover' and s.decision = 'approve'
            and s.digest = x.evidence and s.release_digest = x.digest
            and not exists (select from control.release_author a
              where a.release = x.id and a.person = s.person)
          order by s.person) as standing,
        coalesce(x.executor_may_approve, false) as "executorMayApprove",
        exists (select from control.signature s where s.release = x.id and s.kind = 'cutover'
          and s.decision = 'approve' and s.digest = x.evidence and s.person = ${actor})
          as "actorSigned",
        x.rollback_window_seconds as "rollbackWindowSeconds",
        (select count(*)::int from control.generation_range m
          where m.generation = x.generation and m.segment is distinct from x.segment) as inherited,
        jsonb_array_length(e.parts -> 'sealedPartitions') as sealed,
        coalesce(x.spec ->> 'sealedPartitions' = 'REFUSE', false) as "refusesSealed"
      from control.release x
      join control.registry r on r.dataset = x.dataset
      left join control.generation g on g.id = x.generation
      left join control.evidence e on e.digest = x.evidence and e.release = x.id
      where x.id = ${basis.id}`,
  );
  return {
    ...head,
    shards: await shardsOf(tx, basis),
    drill: await drillFacts(tx, basis.id),
  };
}

function shardsOf(tx: Tx, { id, source }: ReleaseBasis): Promise<ShardBarrier[]> {
  return rows(
    tx,
    sql`select s.shard, (coalesce(k.barrier, x.barrier))[s.shard + 1] as barrier,
        o.offsets[s.shard + 1] as old, c.offsets[s.shard + 1] as candidate
      from control.release x
      join control.source_shard s on s.source = ${source}
      left join control.cutover k on k.release = x.id
      left join control.generation_progress o on o.generation = x.old_generation
      left join control.generation_progress c on c.generation = x.generation
      where x.id = ${id} order by s.shard`,
  );
}

const clock = (seconds: number | null) => (seconds === null ? null : formatClock(seconds));

/** Both sides of a condition in words of the page; digests and names come through as they are. */
function sidesOfCode(
  code: Code,
  s: Sides,
  { release, generation, oldGeneration }: ReleaseBasis,
  actor: string,
): Pick<CutoverCondition, 'expected' | 'current'> {
  const equal = s.shards.filter(
    (shard) =>
      shard.barrier !== null && shard.old === shard.barrier && shard.candidate === shard.barrier,
  ).length;
  const sides: Partial<Record<Code, [expected: string | null, current: string | null]>> = {
    WRONG_STATE: ['APPROVED', s.state],
    NOT_SEALED: [
      `sealed by ${release}`,
      s.ingress === 'SEALED'
        ? `sealed by ${s.mine ? release : (s.sealer ?? 'a rollback')}`
        : 'open',
    ],
    EPOCH_SEALED: [s.sealedEpoch === null ? null : `epoch ${s.sealedEpoch}`, `epoch ${s.epoch}`],
    SEALED_TOO_LONG: [
      s.sealedLimitSeconds === null ? null : `under ${clock(s.sealedLimitSeconds)}`,
      clock(s.sealedSeconds) ?? 'not sealed',
    ],
    GENERATION_MOVED: [oldGeneration, s.activeGeneration],
    ROLLBACK_IN_PROGRESS: ['no rollback', s.rollback === null ? 'no rollback' : `of ${s.rollback}`],
    BARRIER_NOT_COVERED: [
      `${s.shards.length} of ${s.shards.length} shards`,
      `${equal} of ${s.shards.length} shards`,
    ],
    GENERATION_GONE: [`${generation ?? 'none'}, candidate`, s.generationState],
    EVIDENCE_MOVED: [s.evidenceManifestRoot, s.manifestRoot],
    PARTITION_SEALED: [
      s.refusesSealed ? 'none in the range' : 'kept as published',
      s.sealed === null
        ? null
        : `${s.sealed} ${s.sealed === 1 ? 'partition' : 'partitions'} in the range`,
    ],
    HELD: ['no hold', s.held ?? 'no hold'],
    PAUSED: ['not paused', s.paused ?? 'not paused'],
    DRAINING: ['nothing drains', s.draining ? 'draining' : 'nothing drains'],
    DEADLINE_PASSED: [s.deadline ?? 'no deadline', s.deadline === null ? 'no deadline' : null],
    APPROVALS_MISSING: [
      `${s.needed ?? 0} of ${s.needed ?? 0}`,
      `${s.standing.length} of ${s.needed ?? 0}${s.standing.length > 0 ? `: ${s.standing.join(', ')}` : ''}`,
    ],
    EXECUTOR_SIGNED: [
      s.executorMayApprove ? 'anyone on call' : 'who has not signed',
      s.actorSigned ? `${actor} signed` : `${actor} signed nothing`,
    ],
    DRILL_MISSING: [
      s.drill.required
        ? `passed, under ${clock(ROLLBACK_LIMIT_SECONDS)}, ${s.drill.maxAgeHours} h old at most`
        : 'none required',
      drillWords(s.drill),
    ],
  };
  const [expected, current] = sides[code] ?? [null, null];
  return { expected, current };
}

async function cutoverOf(tx: Tx, basis: ReleaseBasis): Promise<CutoverPage['cutover']> {
  const { id, source, dataset, release } = basis;
  const found = await maybeOne<
    Omit<NonNullable<CutoverPage['cutover']>, 'checks' | 'told'> & {
      checks: Record<string, Omit<AfterCheck, 'name' | 'waiting'> & { waiting?: boolean }>;
    }
  >(
    tx,
    sql`select c.by, c.at, c.epoch_before as "epochBefore", c.epoch_after as "epochAfter",
        f.name as "from", t.name as "to", c.barrier, c.evidence, c.checks,
        coalesce((select sum(greatest(p.offsets[s.shard + 1] - c.barrier[s.shard + 1], 0))
          from control.source_shard s join control.generation_progress p
            on p.generation = c.to_generation
          where s.source = ${source}), 0)::bigint as applied,
        coalesce((select greatest(0, ceil(extract(epoch from clock_timestamp() - min(e.received_at))))
          from control.generation_progress p
          cross join unnest(p.offsets) with ordinality as s (applied, n)
          join control.source_event e on e.source = ${source} and e.shard = s.n - 1
            and e."offset" = s.applied + 1
          where p.generation = c.to_generation), 0)::int as "lagSeconds",
        (select count(*)::int from control.lease l where l.generation = c.from_generation
          and l.ended_at is null and l.until > clock_timestamp()) as "openLeases",
        (select max(l.until) from control.lease l where l.generation = c.from_generation
          and l.ended_at is null and l.until > clock_timestamp()) as "leasesUntil",
        f.kept_until as "keptUntil", f.state as "fromState"
      from control.cutover c
      join control.generation f on f.id = c.from_generation
      join control.generation t on t.id = c.to_generation
      where c.release = ${id}`,
  );
  if (!found) return null;
  const names = ['tail', 'takeover', 'oldWrites'] as const;
  return {
    ...found,
    told: await toldOf(tx, { dataset, release, kind: 'CUTOVER' }),
    checks: names.flatMap((name) => {
      const check = found.checks[name];
      return check ? [{ waiting: false, ...check, name }] : [];
    }),
  };
}

/** Tries at the cutover that were refused, newest first. */
function refusalsOf(tx: Tx, { release, dataset }: ReleaseBasis): Promise<CutoverRefusal[]> {
  return rows(
    tx,
    sql`select id, at, actor, reason, coalesce(after -> 'blockers', '[]') as blockers
      from control.audit_event
      where chain = ${`dataset:${dataset}`} and subject = ${release}
        and verb = 'release.activate' and outcome = 'refused'
      order by id desc limit 5`,
  );
}
