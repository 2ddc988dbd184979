import { type SQL, sql } from 'drizzle-orm';
import { array, type Database, rows, type Tx } from '@/lib/db/client';
import { ofPeople } from '@/lib/db/fork-sql';
import { planWorkSql } from '@/lib/db/plan-work-sql';
import type { ReleaseState } from '@/lib/domain/lifecycle';
import type { Person, Turn } from '@/lib/domain/next-move';
import type { Role } from '@/lib/domain/permissions';

export interface BriefFlag {
  at: string;
  by: string;
  why: string | null;
}

/** A release in one row: what lists show of it, and what decides whose turn it is. */
export interface ReleaseBrief {
  id: string;
  /** `name@revision`. */
  release: string;
  name: string;
  revision: number;
  dataset: string;
  zone: string;
  unit: 'hour' | 'day' | 'week' | 'month';
  owner: string;
  createdAt: string;
  /** Null where a draft does not say. */
  from: string | null;
  /** Null: open, or not said. */
  to: string | null;
  targetGeneration: string | null;
  deadline: string | null;
  version: number;
  /** Who entered the state, when and why. */
  since: BriefFlag;
  /** The last state on the line that it reached, for one that stands beside it. */
  lastOnLine: ReleaseState;
  paused: BriefFlag | null;
  held: BriefFlag | null;
  draining: boolean;
  trouble: string | null;
  troubleStep: string | null;
  troubleCode: string | null;
  running: number;
  unexplained: string;
  sealedUntil: string | null;
  sealedSeconds: number | null;
  maxSealedSeconds: number | null;
  keptUntil: string | null;
  rollbackSeconds: number | null;
  turn: Turn;
  person: Person;
}

interface Row {
  id: string;
  name: string;
  revision: number;
  dataset: string;
  zone: string;
  unit: ReleaseBrief['unit'];
  owner: string;
  createdAt: string;
  rangeFrom: string | null;
  rangeTo: string | null;
  draftFrom: string | null;
  draftTo: string | null;
  targetGeneration: string | null;
  deadline: string | null;
  version: number;
  state: ReleaseState;
  sinceAt: string;
  sinceBy: string;
  sinceWhy: string | null;
  lastOnLine: ReleaseState | null;
  pausedAt: string | null;
  pausedBy: string | null;
  pausedWhy: string | null;
  heldAt: string | null;
  heldBy: string | null;
  heldWhy: string | null;
  draining: boolean;
  trouble: string | null;
  troubleStep: string | null;
  troubleCode: string | null;
  planned: number;
  receipts: number;
  running: number;
  failed: number;
  rehearsal: Turn['rehearsal'];
  unexplained: string;
  signedCutover: number;
  signedRollback: number;
  neededCutover: number;
  neededRollback: number;
  cutOver: boolean;
  rollingBack: boolean;
  rollbackSeconds: number | null;
  serving: boolean;
  sealedUntil: string | null;
  sealedSeconds: number | null;
  maxSealedSeconds: number | null;
  keptUntil: string | null;
  isAuthor: boolean;
  iSignedCutover: boolean;
  iSignedRollback: boolean;
  executorMayApprove: boolean;
}

/** Who looks: what a release waits for is a question of the person. */
export interface Viewer {
  person: string;
  roles: readonly Role[];
}

/** Not over yet: drafts, what is under way, and what is active with its old generation kept. */
const inFlight = sql`r.state not in ('REJECTED', 'ABANDONED', 'ROLLED_BACK', 'RETIRED')`;

/** Releases that are not over, newest first. */
export function inFlightBriefs(db: Database | Tx, viewer: Viewer): Promise<ReleaseBrief[]> {
  return briefs(db, viewer, inFlight, sql`order by r.id desc limit 200`);
}

/** The releases of these ids, newest first. */
export function briefsOf(
  db: Database | Tx,
  viewer: Viewer,
  ids: readonly string[],
): Promise<ReleaseBrief[]> {
  const wanted = array(ids, 'bigint');
  return briefs(
    db,
    viewer,
    sql`r.id = any(${wanted})`,
    sql`order by array_position(${wanted}, r.id)`,
  );
}

/** Releases that ended in the last days, newest end first. */
export function endedBriefs(
  db: Database | Tx,
  viewer: Viewer,
  most: number,
): Promise<ReleaseBrief[]> {
  return briefs(db, viewer, sql`not (${inFlight})`, sql`order by since.at desc limit ${most}`);
}

async function briefs(
  db: Database | Tx,
  viewer: Viewer,
  where: SQL,
  order: SQL,
): Promise<ReleaseBrief[]> {
  const found = await rows<Row>(
    db,
    sql`select r.id, r.name, r.revision, r.dataset, d.timezone as zone, d.partition as unit,
        coalesce(r.spec ->> 'owner', r.created_by) as owner, r.created_at as "createdAt",
        r.range_from as "rangeFrom", r.range_to as "rangeTo",
        r.spec #>> '{range,from}' as "draftFrom",
        nullif(r.spec #>> '{range,to}', 'open') as "draftTo",
        r.spec ->> 'targetGeneration' as "targetGeneration", r.deadline, r.version, r.state,
        since.at as "sinceAt", since.by as "sinceBy", since.why as "sinceWhy",
        (select s.state from control.release_state s
          where s.release = r.id and s.state in ('DRAFT', 'SNAPSHOT_PINNED', 'BUILDING',
            'INGRESS_SEALED', 'CAUGHT_UP', 'RECONCILED', 'APPROVED', 'ACTIVE', 'RETIRED')
          order by s.id desc limit 1) as "lastOnLine",
        r.paused_at as "pausedAt", r.paused_by as "pausedBy", r.paused_why as "pausedWhy",
        r.held_at as "heldAt", r.held_by as "heldBy", r.held_why as "heldWhy", r.draining,
        r.trouble_why as trouble, r.trouble_step as "troubleStep", r.trouble_code as "troubleCode",
        coalesce(w.planned, 0)::int as planned,
        coalesce(w.receipts, 0)::int as receipts, coalesce(w.running, 0)::int as running,
        coalesce(w.failed, 0)::int as failed,
        case
          when r.rehearse_asked_at is not null then 'running'
          when rehearsal.id is null then 'none'
          when not coalesce(rehearsal.started_at > w.last, false) then 'stale'
          else rehearsal.verdict
        end as rehearsal,
        coalesce(newest.unexplained, 0)::bigint as unexplained,
        coalesce(signed.cutover, 0)::int as "signedCutover",
        coalesce(signed.rollback, 0)::int as "signedRollback",
        coalesce(r.approvals_needed, 0) as "neededCutover",
        coalesce(r.rollback_approvals_needed, 0) as "neededRollback",
        exists (select from control.cutover c where c.release = r.id) as "cutOver",
        b.id is not null as "rollingBack",
        extract(epoch from clock_timestamp() - b.requested_at)::float8 as "rollbackSeconds",
        coalesce(g.active_generation = r.generation, false) as serving,
        case when g.sealer = 'release:' || r.id then g.sealed_until end as "sealedUntil",
        case when g.sealer = 'release:' || r.id
          then extract(epoch from clock_timestamp() - g.sealed_at)::float8 end as "sealedSeconds",
        r.max_sealed_seconds as "maxSealedSeconds", o.kept_until as "keptUntil",
        exists (select from control.release_author a
          where a.release = r.id and a.person = ${viewer.person}) as "isAuthor",
        coalesce(signed.mine_cutover, false) as "iSignedCutover",
        coalesce(signed.mine_rollback, false) as "iSignedRollback",
        coalesce(r.executor_may_approve, false) as "executorMayApprove"
      from control.release r
      join control.dataset d on d.name = r.dataset
      join control.registry g on g.dataset = r.dataset
      left join control.generation o on o.id = r.old_generation
      left join lateral (
        select s.at, s.by, s.why from control.release_state s
        where s.release = r.id order by s.id desc limit 1
      ) since on true
      cross join lateral (${planWorkSql(sql`r.id`)}) w
      left join lateral (
        select c.id, c.verdict, c.started_at from control.reconciliation c
        where c.release = r.id and c.kind = 'rehearsal' and c.verdict <> 'running'
        order by c.id desc limit 1
      ) rehearsal on true
      left join lateral (
        select c.unexplained from control.reconciliation c
        where c.release = r.id and c.verdict <> 'running' order by c.id desc limit 1
      ) newest on true
      left join lateral (
        select count(distinct s.person) filter (where s.kind = 'cutover') as cutover,
          count(distinct s.person) filter (where s.kind = 'rollback') as rollback,
          bool_or(s.kind = 'cutover' and s.person = ${viewer.person}) as mine_cutover,
          bool_or(s.kind = 'rollback' and s.person = ${viewer.person}) as mine_rollback
        from control.signature s
        join control.person_role pr on pr.person = s.person and pr.role = 'approver'
        where s.release = r.id and s.decision = 'approve' and s.digest = r.evidence
          and not exists (select from control.release_author a
            where a.release = s.release and a.person = s.person)
      ) signed on true
      left join lateral (
        select x.id, x.requested_at from control.rollback x
        where x.release = r.id and x.state in ('requested', 'replaying', 'sealed')
        order by x.id desc limit 1
      ) b on true
      where ${ofPeople(sql`r.dataset`)} and ${where} ${order}`,
  );
  return found.map((row) => briefOf(row, viewer));
}

const flag = (at: string | null, by: string | null, why: string | null): BriefFlag | null =>
  at === null ? null : { at, by: by ?? '', why };

function briefOf(row: Row, viewer: Viewer): ReleaseBrief {
  const frozen = row.rangeFrom !== null;
  return {
    id: row.id,
    release: `${row.name}@${row.revision}`,
    name: row.name,
    revision: row.revision,
    dataset: row.dataset,
    zone: row.zone,
    unit: row.unit,
    owner: row.owner,
    createdAt: row.createdAt,
    from: frozen ? row.rangeFrom : row.draftFrom,
    to: frozen ? row.rangeTo : row.draftTo,
    targetGeneration: row.targetGeneration,
    deadline: row.deadline,
    version: row.version,
    since: { at: row.sinceAt ?? row.createdAt, by: row.sinceBy ?? row.owner, why: row.sinceWhy },
    lastOnLine: row.lastOnLine ?? 'DRAFT',
    paused: flag(row.pausedAt, row.pausedBy, row.pausedWhy),
    held: flag(row.heldAt, row.heldBy, row.heldWhy),
    draining: row.draining,
    trouble: row.trouble,
    troubleStep: row.troubleStep,
    troubleCode: row.troubleCode,
    running: row.running,
    unexplained: row.unexplained,
    sealedUntil: row.sealedUntil,
    sealedSeconds: row.sealedSeconds,
    maxSealedSeconds: row.maxSealedSeconds,
    keptUntil: row.keptUntil,
    rollbackSeconds: row.rollbackSeconds,
    turn: {
      state: row.state,
      cutOver: row.cutOver,
      planned: row.planned,
      receipts: row.receipts,
      failed: row.failed,
      paused: row.pausedAt !== null,
      rehearsal: row.rehearsal,
      signed: { cutover: row.signedCutover, rollback: row.signedRollback },
      needed: { cutover: row.neededCutover, rollback: row.neededRollback },
      rollingBack: row.rollingBack,
      serving: row.serving,
    },
    person: {
      roles: viewer.roles,
      isAuthor: row.isAuthor,
      signedCutover: row.iSignedCutover,
      signedRollback: row.iSignedRollback,
      executorMayApprove: row.executorMayApprove,
    },
  };
}
