import { sql } from 'drizzle-orm';
import { type Database, maybeOne, rows, type Tx } from '@/lib/db/client';
import { type DrillView, drillsOf } from '@/lib/queries/drills';
import { type Offsets, offsetsByShard, offsetsOrNull } from '@/lib/queries/offsets';
import { releaseHead } from '@/lib/queries/release-head';
import { releaseId } from '@/lib/queries/release-ref';
import { isWorking, workOf } from '@/lib/queries/release-working';
import { type SignatureView, signaturesOf } from '@/lib/queries/signatures';

export interface FlagView {
  at: string;
  by: string;
  why: string | null;
}

export interface StateChangeView {
  state: string;
  at: string;
  by: string;
  why: string | null;
}

export interface ReconciliationView {
  id: string;
  kind: 'rehearsal' | 'final';
  verdict: 'running' | 'passed' | 'failed' | 'incomplete';
  startedAt: string;
  endedAt: string | null;
  by: string;
  why: string | null;
  unexplained: number;
  drift: number;
  changed: number;
  compared: number;
  /** False where a receipt is newer: such a rehearsal does not let the release seal. */
  current: boolean;
}

export interface RollbackView {
  state: string;
  by: string;
  requestedAt: string;
  endedAt: string | null;
  eventsToReplay: number;
  eventsReplayed: number;
  steps: unknown;
  why: string | null;
}

/** A release with everything frozen, written and reached; blockers are added by the door. */
export interface ReleaseView {
  id: string;
  /** `name@revision`. */
  release: string;
  name: string;
  revision: number;
  dataset: string;
  state: string;
  /** Counts changes of the release itself; its ETag. */
  version: number;
  spec: Record<string, unknown>;
  digest: string | null;
  planDigest: string | null;
  transforms: {
    old: string | null;
    new: string | null;
    oldSql: string | null;
    newSql: string | null;
  };
  flags: { working: boolean; paused: boolean; held: boolean; draining: boolean };
  paused: FlagView | null;
  held: FlagView | null;
  trouble: { step: string; code: string; why: string | null; from: string | null } | null;
  evidence: { digest: string; basis: string; parts: unknown; at: string } | null;
  rehearsal: ReconciliationView | null;
  reconciliation: ReconciliationView | null;
  signatures: SignatureView[];
  approvalsNeeded: { cutover: number | null; rollback: number | null };
  progress: {
    planned: number;
    receipts: number;
    running: number;
    failed: number;
    caughtUp: Offsets;
  };
  watermark: Offsets | null;
  barrier: Offsets | null;
  sealedEpoch: number | null;
  lagAtSealSeconds: string | null;
  serving: boolean;
  generation: {
    name: string;
    state: string;
    manifestRoot: string | null;
    catchUpRoot: string | null;
  } | null;
  oldGeneration: string | null;
  snapshot: { name: string; rows: string; ready: boolean } | null;
  quarantined: number;
  authors: { person: string; how: string }[];
  states: StateChangeView[];
  cutover: {
    by: string;
    at: string;
    epochBefore: number;
    epochAfter: number;
    from: string;
    to: string;
    evidence: string;
    checks: unknown;
  } | null;
  rollback: RollbackView | null;
  /** The newest drill of it. */
  drill: DrillView | null;
  createdBy: string;
  createdAt: string;
  updatedAt: string;
}

/**
 * One revision of a release.
 *
 * @param reference `name@revision`
 * @throws NotFound
 */
export async function releaseView(db: Database | Tx, reference: string): Promise<ReleaseView> {
  const id = await releaseId(db, reference);
  const head = await releaseHead(db, id);
  const work = await workOf(db, id);
  const flag = (at: string | null, by: string | null, why: string | null): FlagView | null =>
    at === null ? null : { at, by: by ?? '', why };
  return {
    id,
    release: `${head.name}@${head.revision}`,
    name: head.name,
    revision: head.revision,
    dataset: head.dataset,
    state: head.state,
    version: head.version,
    spec: head.spec,
    digest: head.digest,
    planDigest: head.planDigest,
    transforms: {
      old: head.oldTransform,
      new: head.newTransform,
      oldSql: head.oldSql,
      newSql: head.newSql,
    },
    flags: {
      working: isWorking(work),
      paused: head.pausedAt !== null,
      held: head.heldAt !== null,
      draining: head.draining,
    },
    paused: flag(head.pausedAt, head.pausedBy, head.pausedWhy),
    held: flag(head.heldAt, head.heldBy, head.heldWhy),
    trouble:
      head.troubleStep === null
        ? null
        : {
            step: head.troubleStep,
            code: head.troubleCode ?? 'RECONCILIATION_REQUIRED',
            why: head.troubleWhy,
            from: head.troubleFrom,
          },
    evidence: await evidenceOf(db, head.evidence),
    rehearsal: await reconciliationOf(db, id, 'rehearsal'),
    reconciliation: await reconciliationOf(db, id, 'final'),
    signatures: await signaturesOf(db, id),
    approvalsNeeded: { cutover: head.approvalsNeeded, rollback: head.rollbackApprovalsNeeded },
    progress: {
      planned: work.planned,
      receipts: work.receipts,
      running: work.running,
      failed: work.failed,
      caughtUp: offsetsByShard(head.caughtUp ?? []),
    },
    watermark: offsetsOrNull(head.watermark),
    barrier: offsetsOrNull(head.barrier),
    sealedEpoch: head.sealedEpoch,
    lagAtSealSeconds: head.lagAtSealSeconds,
    serving: head.serving,
    generation:
      head.generation === null
        ? null
        : {
            name: head.generation,
            state: head.generationState ?? '',
            manifestRoot: head.manifestRoot,
            catchUpRoot: head.catchUpRoot,
          },
    oldGeneration: head.oldGeneration,
    snapshot:
      head.snapshot === null
        ? null
        : { name: head.snapshot, rows: head.snapshotRows ?? '0', ready: head.snapshotReady },
    quarantined: head.quarantined,
    authors: await authorsOf(db, id),
    states: await statesOf(db, id),
    cutover: await cutoverOf(db, id),
    rollback: await rollbackOf(db, id),
    drill: (await drillsOf(db, id, 1))[0] ?? null,
    createdBy: head.createdBy,
    createdAt: head.createdAt,
    updatedAt: head.updatedAt,
  };
}

function evidenceOf(db: Database | Tx, digest: string | null) {
  return digest === null
    ? Promise.resolve(null)
    : maybeOne<NonNullable<ReleaseView['evidence']>>(
        db,
        sql`select digest, basis, parts, at from control.evidence where digest = ${digest}`,
      );
}

function reconciliationOf(db: Database | Tx, id: string, kind: 'rehearsal' | 'final') {
  return maybeOne<ReconciliationView>(
    db,
    sql`select c.id, c.kind, c.verdict, c.started_at as "startedAt", c.ended_at as "endedAt", c.by,
        c.why, c.unexplained::float8 as unexplained, c.drift::float8 as drift,
        c.changed::float8 as changed, c.compared::float8 as compared,
        coalesce(c.started_at > (select max(t.at) from control.receipt t
          where t.release = c.release), false) as current
      from control.reconciliation c
      where c.release = ${id} and c.kind = ${kind} order by c.id desc limit 1`,
  );
}

function authorsOf(db: Database | Tx, id: string) {
  return rows<{ person: string; how: string }>(
    db,
    sql`select person, how from control.release_author where release = ${id} order by person`,
  );
}

function statesOf(db: Database | Tx, id: string) {
  return rows<StateChangeView>(
    db,
    sql`select state, at, by, why from control.release_state where release = ${id} order by id`,
  );
}

function cutoverOf(db: Database | Tx, id: string) {
  return maybeOne<NonNullable<ReleaseView['cutover']>>(
    db,
    sql`select c.by, c.at, c.epoch_before as "epochBefore", c.epoch_after as "epochAfter",
        f.name as "from", t.name as "to", c.evidence, c.checks
      from control.cutover c
      join control.generation f on f.id = c.from_generation
      join control.generation t on t.id = c.to_generation
      where c.release = ${id}`,
  );
}

function rollbackOf(db: Database | Tx, id: string) {
  return maybeOne<RollbackView>(
    db,
    sql`select b.state, b.by, b.requested_at as "requestedAt", b.ended_at as "endedAt",
        b.events_to_replay::float8 as "eventsToReplay", b.steps, b.why,
        coalesce((select sum(p.applied - s.started)
          from control.generation_progress g,
            unnest(g.offsets) with ordinality as p (applied, n),
            unnest(b.start_offsets) with ordinality as s (started, m)
          where g.generation = b.to_generation and p.n = s.m), 0)::float8 as "eventsReplayed"
      from control.rollback b where b.release = ${id} order by b.id desc limit 1`,
  );
}
