import { sql } from 'drizzle-orm';
import { type Database, one, type Tx } from '@/lib/db/client';

/** What one row says of a release, with the names of what it points at. */
export interface ReleaseHead {
  id: string;
  name: string;
  revision: number;
  dataset: string;
  state: string;
  version: number;
  spec: Record<string, unknown>;
  digest: string | null;
  planDigest: string | null;
  oldTransform: string | null;
  newTransform: string | null;
  oldSql: string | null;
  newSql: string | null;
  pausedAt: string | null;
  pausedBy: string | null;
  pausedWhy: string | null;
  heldAt: string | null;
  heldBy: string | null;
  heldWhy: string | null;
  draining: boolean;
  troubleStep: string | null;
  troubleCode: string | null;
  troubleWhy: string | null;
  troubleFrom: string | null;
  evidence: string | null;
  approvalsNeeded: number | null;
  rollbackApprovalsNeeded: number | null;
  watermark: string[] | null;
  barrier: string[] | null;
  sealedEpoch: number | null;
  lagAtSealSeconds: string | null;
  generation: string | null;
  generationState: string | null;
  manifestRoot: string | null;
  catchUpRoot: string | null;
  oldGeneration: string | null;
  caughtUp: string[] | null;
  serving: boolean;
  snapshot: string | null;
  snapshotRows: string | null;
  snapshotReady: boolean;
  quarantined: number;
  createdBy: string;
  createdAt: string;
  updatedAt: string;
}

export function releaseHead(db: Database | Tx, id: string): Promise<ReleaseHead> {
  return one<ReleaseHead>(
    db,
    sql`
  select r.id, r.name, r.revision, r.dataset, r.state, r.version, r.spec, r.digest,
    r.plan_digest as "planDigest", r.old_transform as "oldTransform",
    r.new_transform as "newTransform", ot.sql as "oldSql", nt.sql as "newSql",
    r.paused_at as "pausedAt", r.paused_by as "pausedBy", r.paused_why as "pausedWhy",
    r.held_at as "heldAt", r.held_by as "heldBy", r.held_why as "heldWhy", r.draining,
    r.trouble_step as "troubleStep", r.trouble_code as "troubleCode",
    r.trouble_why as "troubleWhy", r.trouble_from as "troubleFrom", r.evidence,
    r.approvals_needed as "approvalsNeeded",
    r.rollback_approvals_needed as "rollbackApprovalsNeeded", r.watermark, r.barrier,
    r.sealed_epoch as "sealedEpoch", r.lag_at_seal_seconds as "lagAtSealSeconds",
    g.name as generation, g.state as "generationState", g.manifest_root as "manifestRoot",
    g.catch_up_root as "catchUpRoot", og.name as "oldGeneration", p.offsets as "caughtUp",
    coalesce(reg.active_generation = r.generation, false) as serving,
    s.name as snapshot, s.rows as "snapshotRows", s.ready_at is not null as "snapshotReady",
    (select count(*)::int from control.quarantine q where q.generation = r.generation) as quarantined,
    r.created_by as "createdBy", r.created_at as "createdAt", r.updated_at as "updatedAt"
  from control.release r
  left join control.registry reg on reg.dataset = r.dataset
  left join control.generation g on g.id = r.generation
  left join control.generation og on og.id = r.old_generation
  left join control.generation_progress p on p.generation = r.generation
  left join control.snapshot s on s.id = r.snapshot
  left join control.transform ot on ot.digest = r.old_transform
  left join control.transform nt on nt.digest = r.new_transform
  where r.id = ${id}`,
  );
}
