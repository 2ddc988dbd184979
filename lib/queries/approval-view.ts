import { sql } from 'drizzle-orm';
import { type Database, maybeOne, one, rows, type Tx } from '@/lib/db/client';
import { drillFacts } from '@/lib/db/statements/drill';
import type { DrillFacts } from '@/lib/domain/drill';
import {
  type ConservedFigures,
  conservedOf,
  type DiffGroup,
  groupsOf,
  type RunTotals,
  totalsOf,
} from '@/lib/queries/reconciliation-figures';
import {
  answeredRejection,
  laterRevision,
  type Rejection,
  rejectionById,
} from '@/lib/queries/rejection';
import { type ReleaseBasis, releaseBasis } from '@/lib/queries/release-basis';
import { type MeasuredRate, measuredRate } from '@/lib/queries/rollback-rate';
import { type SignatureView, signaturesOf } from '@/lib/queries/signatures';

export interface ApprovalCheck {
  name: string;
  verdict: string;
  figure: string;
  expected: string;
  digest: string;
}

/** The parts that the evidence digest stands for, as they were written down. */
export interface EvidenceParts {
  release: string;
  generation: string;
  expectedOldGeneration: string;
  epoch: number;
  barrier: string[];
  manifestRoot: string;
  catchUpRoot: string;
  checks: { name: string; verdict: string; figure: string; digest: string }[];
  gates: Record<string, string | number | null>;
  /** Partitions of the range that were published, and their published roots. */
  sealedPartitions?: { start: string; root: string }[];
  quarantine: { count: string; digest: string };
  acceptances: {
    what: string;
    partition: string | null;
    count: string;
    digest: string;
    reason: string;
    person: string;
  }[];
}

/** Somebody who holds the role approver now, and what keeps them from signing. */
export interface Approver {
  person: string;
  displayName: string;
  email: string | null;
  /** How they are an author, or null. */
  author: string | null;
}

/** A signature with, where it is void, since when and by what. */
export interface SignatureEntry extends SignatureView {
  voidSince: string | null;
  voidBy: string | null;
}

export interface ApprovalPage extends ReleaseBasis {
  releaseDigest: string | null;
  evidence: { digest: string; at: string; parts: EvidenceParts; reconciliation: string } | null;
  /** Of the comparison that the evidence is of. */
  totals: RunTotals | null;
  conserved: ConservedFigures[];
  groups: DiffGroup[];
  /** Figures and limits of the evidence's checks. */
  checks: ApprovalCheck[];
  numericColumns: string[];
  needed: { cutover: number | null; rollback: number | null };
  standing: { cutover: number; rollback: number };
  signatures: SignatureEntry[];
  approvers: Approver[];
  authors: { person: string; how: string }[];
  executors: string[];
  executorMayApprove: boolean;
  rollbackWindowSeconds: number | null;
  deadline: string | null;
  deadlinePassed: boolean;
  held: { at: string; by: string; why: string | null } | null;
  paused: { at: string; by: string; why: string | null } | null;
  ingress: 'OPEN' | 'SEALED';
  epoch: number;
  sealedAt: string | null;
  sealedUntil: string | null;
  sealedSeconds: number | null;
  sealedLimitSeconds: number | null;
  sealedByThis: boolean;
  /** Both generations stand exactly at the barrier; null without one. */
  atBarrier: { old: boolean; candidate: boolean } | null;
  buffered: string;
  lagAtSealSeconds: string | null;
  limits: {
    maxSealedSeconds: number | null;
    maxBufferedEvents: string | null;
    maxLiveLagSeconds: number | null;
  };
  quarantined: number;
  rejection: Rejection | null;
  /** Of the revision before, which this one answers. */
  answers: (Rejection & { release: string }) | null;
  /** Of the same name. */
  laterRevision: string | null;
  /** How fast a rollback of the dataset was before; null where none was measured. */
  measured: MeasuredRate | null;
  drill: DrillFacts;
}

interface HeadRow
  extends Pick<
    ApprovalPage,
    | 'releaseDigest'
    | 'executorMayApprove'
    | 'rollbackWindowSeconds'
    | 'deadline'
    | 'deadlinePassed'
    | 'ingress'
    | 'epoch'
    | 'sealedAt'
    | 'sealedUntil'
    | 'sealedSeconds'
    | 'sealedLimitSeconds'
    | 'sealedByThis'
    | 'buffered'
    | 'lagAtSealSeconds'
    | 'quarantined'
  > {
  cutover: number | null;
  rollback: number | null;
  heldAt: string | null;
  heldBy: string | null;
  heldWhy: string | null;
  pausedAt: string | null;
  pausedBy: string | null;
  pausedWhy: string | null;
  oldAtBarrier: boolean | null;
  candidateAtBarrier: boolean | null;
  maxSealedSeconds: number | null;
  maxBufferedEvents: string | null;
  maxLiveLagSeconds: number | null;
  numericColumns: string[];
}

/**
 * Everything that somebody who signs a release has to see, on one screen.
 *
 * @throws NotFound
 */
export async function approvalPage(db: Database | Tx, reference: string): Promise<ApprovalPage> {
  const basis = await releaseBasis(db, reference);
  const { id } = basis;
  const head = await headOf(db, id);
  const evidence = await evidenceOf(db, id);
  const run = evidence?.reconciliation ?? null;
  const signatures = await signatureEntries(db, id, basis);
  const stand = (kind: 'cutover' | 'rollback') =>
    new Set(signatures.filter((s) => s.standing && s.kind === kind).map((s) => s.person)).size;
  const flag = (at: string | null, by: string | null, why: string | null) =>
    at === null ? null : { at, by: by ?? '', why };
  return {
    ...basis,
    releaseDigest: head.releaseDigest,
    evidence,
    totals: run === null ? null : await totalsOf(db, run),
    conserved: run === null ? [] : await conservedOf(db, run),
    groups: run === null ? [] : await groupsOf(db, run),
    checks: run === null ? [] : await checksOf(db, run),
    numericColumns: head.numericColumns,
    needed: { cutover: head.cutover, rollback: head.rollback },
    standing: { cutover: stand('cutover'), rollback: stand('rollback') },
    signatures,
    approvers: await approversOf(db, id),
    authors: await rows(
      db,
      sql`select person, how from control.release_author where release = ${id} order by person`,
    ),
    executors: (await peopleWith(db, 'oncall')).map((each) => each.person),
    executorMayApprove: head.executorMayApprove,
    rollbackWindowSeconds: head.rollbackWindowSeconds,
    deadline: head.deadline,
    deadlinePassed: head.deadlinePassed,
    held: flag(head.heldAt, head.heldBy, head.heldWhy),
    paused: flag(head.pausedAt, head.pausedBy, head.pausedWhy),
    ingress: head.ingress,
    epoch: head.epoch,
    sealedAt: head.sealedAt,
    sealedUntil: head.sealedUntil,
    sealedSeconds: head.sealedSeconds,
    sealedLimitSeconds: head.sealedLimitSeconds,
    sealedByThis: head.sealedByThis,
    atBarrier:
      head.oldAtBarrier === null || head.candidateAtBarrier === null
        ? null
        : { old: head.oldAtBarrier, candidate: head.candidateAtBarrier },
    buffered: head.buffered,
    lagAtSealSeconds: head.lagAtSealSeconds,
    limits: {
      maxSealedSeconds: head.maxSealedSeconds,
      maxBufferedEvents: head.maxBufferedEvents,
      maxLiveLagSeconds: head.maxLiveLagSeconds,
    },
    quarantined: head.quarantined,
    rejection: await rejectionById(db, id),
    answers: await answeredRejection(db, id),
    laterRevision: await laterRevision(db, id),
    measured: await measuredRate(db, basis.dataset),
    drill: await drillFacts(db, id),
  };
}

function headOf(db: Database | Tx, id: string): Promise<HeadRow> {
  return one<HeadRow>(
    db,
    sql`select r.digest as "releaseDigest", r.approvals_needed as cutover,
        r.rollback_approvals_needed as rollback,
        coalesce(r.executor_may_approve, false) as "executorMayApprove",
        r.rollback_window_seconds as "rollbackWindowSeconds", r.deadline,
        coalesce(r.deadline <= clock_timestamp(), false) as "deadlinePassed",
        r.held_at as "heldAt", r.held_by as "heldBy", r.held_why as "heldWhy",
        r.paused_at as "pausedAt", r.paused_by as "pausedBy", r.paused_why as "pausedWhy",
        g.state as ingress, g.epoch, g.sealed_at as "sealedAt", g.sealed_until as "sealedUntil",
        extract(epoch from clock_timestamp() - g.sealed_at)::float8 as "sealedSeconds",
        extract(epoch from g.sealed_until - g.sealed_at)::float8 as "sealedLimitSeconds",
        coalesce(g.sealer = 'release:' || r.id, false) as "sealedByThis",
        (select o.offsets = r.barrier from control.generation_progress o
          where o.generation = r.old_generation) as "oldAtBarrier",
        (select c.offsets = r.barrier from control.generation_progress c
          where c.generation = r.generation) as "candidateAtBarrier",
        coalesce((select sum(greatest(s.last_offset - r.barrier[s.shard + 1], 0))
          from control.source_shard s where s.source = d.source), 0)::bigint as buffered,
        r.lag_at_seal_seconds as "lagAtSealSeconds", r.max_sealed_seconds as "maxSealedSeconds",
        r.max_buffered_events as "maxBufferedEvents",
        r.max_live_lag_seconds as "maxLiveLagSeconds",
        (select count(*)::int from control.quarantine q where q.generation = r.generation)
          as quarantined,
        array(select c ->> 'name' from jsonb_array_elements(d.columns) c
          where c ->> 'type' ~ '^(integer|bigint|numeric|double precision)') as "numericColumns"
      from control.release r
      join control.dataset d on d.name = r.dataset
      join control.registry g on g.dataset = r.dataset
      where r.id = ${id}`,
  );
}

function evidenceOf(db: Database | Tx, id: string): Promise<ApprovalPage['evidence']> {
  return maybeOne(
    db,
    sql`select e.digest, e.at, e.parts, e.reconciliation
      from control.release r join control.evidence e on e.digest = r.evidence and e.release = r.id
      where r.id = ${id}`,
  );
}

function checksOf(db: Database | Tx, run: string): Promise<ApprovalCheck[]> {
  return rows(
    db,
    sql`select name, verdict, figure, expected, digest from control.check_result
      where reconciliation = ${run} order by position, name`,
  );
}

/** A void signature says since when: the first move after it that took its evidence away. */
async function signatureEntries(
  db: Database | Tx,
  id: string,
  { release, dataset }: ReleaseBasis,
): Promise<SignatureEntry[]> {
  const signatures = await signaturesOf(db, id);
  const moves = await rows<{ at: string; verb: string }>(
    db,
    sql`select at, verb from control.audit_event
      where chain = ${`dataset:${dataset}`} and subject = ${release} and outcome = 'done'
        and verb in ('release.reopen', 'release.trouble', 'release.reject', 'release.abandon',
          'release.reconciled')
      order by id`,
  );
  return signatures.map((signature) => {
    const by =
      signature.void === 'EVIDENCE_MOVED'
        ? moves.find((move) => move.at.slice(0, -1) > signature.at.slice(0, -1))
        : undefined;
    return { ...signature, voidSince: by?.at ?? null, voidBy: by?.verb ?? null };
  });
}

function peopleWith(db: Database | Tx, role: string) {
  return rows<{ person: string; displayName: string; email: string | null }>(
    db,
    sql`select p.name as person, p.display_name as "displayName", p.email
      from control.person p join control.person_role r on r.person = p.name
      where r.role = ${role} order by p.name`,
  );
}

/** Who holds the role approver now; authors among them may not sign this release. */
export function approversOf(db: Database | Tx, release: string): Promise<Approver[]> {
  return rows(
    db,
    sql`select p.name as person, p.display_name as "displayName", p.email,
        (select a.how from control.release_author a
          where a.release = ${release} and a.person = p.name) as author
      from control.person p join control.person_role r on r.person = p.name and r.role = 'approver'
      order by p.name`,
  );
}
