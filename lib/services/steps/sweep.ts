import { sql } from 'drizzle-orm';
import { type Database, rows } from '@/lib/db/client';
import { loadDataset } from '@/lib/db/dataset-shape';
import { ofPeople } from '@/lib/db/fork-sql';
import { reclaimLost } from '@/lib/db/statements/attempt';
import { refreshFigures } from '@/lib/db/statements/figures';
import { anyDue } from '@/lib/db/statements/notice';
import { dueRuns } from '@/lib/db/statements/run';
import { transaction } from '@/lib/db/transaction';
import { aggregatesOf } from '@/lib/services/apply/aggregates';
import { anchorHeads } from '@/lib/services/audit/anchor';
import { enqueueTell } from '@/lib/services/notices/queue';
import { enqueueAdvance } from '@/lib/services/release/move';
import { scheduleRuns } from '@/lib/services/runs/schedule';
import { enqueueRun } from '@/lib/services/runs/store';
import { compactMaps } from './compact';
import { pruneLogs } from './prune-logs';

/**
 * What a timer in every runner process does: gives back partitions whose worker went silent, and
 * asks for another look at every release that has something due, so that no lost job, killed
 * worker or restart leaves anything standing. The same for runs and for what subscribers are to be
 * told, and what a dataset's schedule names becomes a run. It also prunes the logs that are not kept for ever.
 */
export async function sweep(db: Database): Promise<{ reclaimed: number; due: number }> {
  const reclaimed = await transaction(db, (tx) => reclaimLost(tx));
  const due = await rows<{ id: string }>(
    db,
    sql`select x.id from control.release x
      left join control.step_lease l on l.release = x.id and l.lease_until > clock_timestamp()
      where l.release is null and (
        (x.state = 'SNAPSHOT_PINNED' and exists (
          select from control.snapshot s where s.id = x.snapshot and s.ready_at is null))
        or (x.state = 'BUILDING' and x.paused_at is null)
        or x.state in ('INGRESS_SEALED', 'CAUGHT_UP', 'RECONCILED', 'APPROVED')
        or (x.state in ('ACTIVE', 'RECONCILIATION_REQUIRED') and exists (
          select from control.rollback b where b.release = x.id and b.state in ('requested', 'replaying', 'sealed')))
        or (x.state = 'ACTIVE' and exists (
          select from control.generation g where g.id = x.old_generation and g.state in ('kept', 'hidden')))
        or (x.state in ('REJECTED', 'ABANDONED', 'ROLLED_BACK') and exists (
          select from control.generation g where g.id = x.generation and g.state in ('kept', 'hidden')))
        or exists (select from control.drill d where d.fork_release = x.id and (d.ended_at is null
          or exists (select from control.segment s where s.dataset = d.fork and s.deleted_at is null)))
      )`,
  );
  for (const release of due) await enqueueAdvance(db, release);
  for (const { id } of await dueRuns(db)) await enqueueRun(db, id);
  if (await anyDue(db)) await enqueueTell(db, 'sweep');
  await refreshServed(db);
  await compactMaps(db);
  await anchorHeads(db);
  await pruneLogs(db);
  await scheduleRuns(db);
  return { reclaimed: reclaimed.length, due: due.length };
}

/** Figures taken in the background per round: few, so that a busy dataset does not hold the round. */
const mostStale = 50;

/** Keeps the figures of what is served fresh, so that whoever asks for them seldom waits. */
async function refreshServed(db: Database): Promise<void> {
  const served = await rows<{ dataset: string; generation: string }>(
    db,
    sql`select r.dataset, r.active_generation as generation from control.registry r
      where ${ofPeople(sql`r.dataset`)} and exists (
        select from control.generation_range m
        join control.segment_partition s on s.segment = m.segment and s.figures_version <> s.version
        where m.generation = r.active_generation and m.span @> s.start_at)`,
  );
  for (const { dataset, generation } of served) {
    const shape = await loadDataset(db, dataset);
    if (!shape) continue;
    await refreshFigures(db, shape, await aggregatesOf(shape), generation, undefined, mostStale);
  }
}
