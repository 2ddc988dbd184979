import { sql } from 'drizzle-orm';
import { json, one, type Tx } from '@/lib/db/client';
import type { DatasetShape } from '@/lib/db/dataset-shape';
import { rowsTable } from '@/lib/db/dataset-shape';
import { lockGeneration } from '@/lib/db/statements/generation-map';
import { mappedPartitions } from '@/lib/db/statements/mapped-partitions';
import { copyPartitions } from '@/lib/db/statements/rows';
import { newSegment } from '@/lib/db/statements/segment';

export interface ForkOf {
  drill: string;
  dataset: string;
  /** The generation in use. */
  generation: string;
  release: string;
  epoch: number;
  /** Names of the fork, and of the release on it. */
  fork: string;
  forkRelease: string;
  digest: string;
  by: string;
}

/** A rollback window that no drill outlives, also where the policy keeps nothing. */
const windowSeconds = 86_400;

/**
 * Makes a fork of a dataset: a dataset, an ingress and a release of its own, on the generation in use
 * by reference. The caller holds the origin's registry row, and that is what makes it safe: sharing
 * begins while no writer is between seeing that a partition is not shared and writing to it. The
 * origin's epoch goes on in another write segment: writers take their own for not shared, unasked.
 *
 * @returns the id of the release on the fork
 */
export async function makeFork(tx: Tx, f: ForkOf): Promise<string> {
  await tx.execute(sql`
    insert into control.dataset (name, fork_of, source, columns, columns_digest, key, business_time, timezone,
      partition, grain, source_time, conserved, rollups, policy, created_by)
    select ${f.fork}, name, source, columns, columns_digest, key, business_time, timezone, partition, grain,
      source_time, conserved, rollups, policy || ${json({ requireDrill: false })}, ${f.by}
    from control.dataset where name = ${f.dataset}`);
  const active = await shareGeneration(tx, f);
  // what stands in an epoch's write segment is written in place; from here on it is shared
  const fresh = await newSegment(tx, f.dataset, 'epoch');
  await tx.execute(
    sql`update control.registry set write_segment = ${fresh} where dataset = ${f.dataset}`,
  );
  const writeSegment = await newSegment(tx, f.fork, 'epoch');
  await tx.execute(sql`
    insert into control.registry (dataset, active_generation, epoch, write_segment)
    values (${f.fork}, ${active}, ${f.epoch}, ${writeSegment})`);
  const { id } = await one<{ id: string }>(
    tx,
    sql`insert into control.release (name, revision, dataset, state, spec, digest, plan_digest, old_transform,
        new_transform, range_from, range_to, old_generation, snapshot, watermark, approvals_needed,
        rollback_approvals_needed, executor_may_approve, rollback_window_seconds, concurrency,
        max_sealed_seconds, max_buffered_events, max_live_lag_seconds, max_failed_partitions, created_by)
      select ${f.forkRelease}, revision, ${f.fork}, 'BUILDING', spec, ${f.digest}, plan_digest, old_transform,
        new_transform, range_from, range_to, ${active}, snapshot, watermark, 0, 0, true,
        greatest(rollback_window_seconds, ${windowSeconds}), concurrency, max_sealed_seconds,
        max_buffered_events, max_live_lag_seconds, max_failed_partitions, ${f.by}
      from control.release where id = ${f.release}
      returning id`,
  );
  await tx.execute(sql`
    insert into control.release_state (release, state, by) values (${id}, 'BUILDING', ${f.by})`);
  return id;
}

/** The generation in use, mapped once more; what it has in quarantine and how far it is, too. */
async function shareGeneration(tx: Tx, { generation, fork }: ForkOf): Promise<string> {
  await lockGeneration(tx, generation);
  const { id } = await one<{ id: string }>(
    tx,
    sql`insert into control.generation (dataset, name, state, transform, served_from)
      select ${fork}, name, 'serving', transform, served_from from control.generation
      where id = ${generation} returning id`,
  );
  await tx.execute(sql`
    insert into control.generation_range (generation, span, segment, transform)
    select ${id}, span, segment, transform from control.generation_range where generation = ${generation}`);
  await copyStanding(tx, generation, id);
  return id;
}

/** How far a generation is, and what it could not turn into rows. */
async function copyStanding(tx: Tx, from: string, to: string): Promise<void> {
  await tx.execute(sql`
    insert into control.generation_progress (generation, offsets, applied_at, event_received_at, events)
    select ${to}, offsets, applied_at, event_received_at, events
    from control.generation_progress where generation = ${from}`);
  await tx.execute(sql`
    insert into control.quarantine (generation, source_key, code, error, wanted_key, business_time, since)
    select ${to}, source_key, code, error, wanted_key, business_time, since
    from control.quarantine where generation = ${from}`);
}

export interface CandidateCopy {
  dataset: DatasetShape;
  fork: string;
  /** Of the release that is tried. */
  release: { id: string; generation: string };
  forkRelease: { id: string; digest: string };
}

/**
 * Copies a candidate into a segment of its fork's own: a candidate is written in place, so it cannot
 * be shared. All of it must be of one snapshot (run it in REPEATABLE READ): then it is what the
 * candidate was at one progress, and catching it up goes on beside it.
 *
 * @returns rows copied
 */
export async function copyCandidate(tx: Tx, c: CandidateCopy): Promise<string> {
  const segment = await newSegment(tx, c.fork, 'release');
  const { id } = await one<{ id: string }>(
    tx,
    sql`insert into control.generation (dataset, name, state, release, transform)
      select ${c.fork}, name, 'candidate', ${c.forkRelease.id}, transform from control.generation
      where id = ${c.release.generation} returning id`,
  );
  await tx.execute(sql`
    insert into control.generation_range (generation, span, segment, transform)
    select ${id}, span, case when segment is not null then ${segment}::bigint end, transform
    from control.generation_range where generation = ${c.release.generation}`);
  const parts = await mappedPartitions(tx, c.release.generation, { from: null, to: null });
  await copyPartitions(tx, c.dataset, segment, parts);
  await copyStanding(tx, c.release.generation, id);
  await copyProofs(tx, c);
  await tx.execute(sql`
    update control.release set generation = ${id}, segment = ${segment} where id = ${c.forkRelease.id}`);
  const { count } = await one<{ count: string }>(
    tx,
    sql`select count(*) as count from ${sql.raw(rowsTable(c.fork))} where _segment = ${segment}`,
  );
  return count;
}

/** What the fork's seal and reconciliation stand on: plan, receipts, acceptances, the rehearsal. */
async function copyProofs(tx: Tx, { release, forkRelease }: CandidateCopy): Promise<void> {
  await tx.execute(sql`
    insert into control.release_partition (release, start_at, end_at, state, attempt, updated_at)
    select ${forkRelease.id}, start_at, end_at, state, attempt, updated_at
    from control.release_partition where release = ${release.id}`);
  await tx.execute(sql`
    insert into control.receipt (release, start_at, end_at, attempt, token, release_digest, transform,
      input_root, output_root, facts_in, rows_out, filtered, quarantined, sums, sampled, at)
    select ${forkRelease.id}, start_at, end_at, attempt, token, ${forkRelease.digest}, transform,
      input_root, output_root, facts_in, rows_out, filtered, quarantined, sums, sampled, at
    from control.receipt where release = ${release.id}`);
  await tx.execute(sql`
    insert into control.acceptance (release, what, partition, class, count, digest, reason, person, at)
    select ${forkRelease.id}, what, partition, class, count, digest, reason, person, at
    from control.acceptance where release = ${release.id}`);
  await copyRehearsal(tx, release.id, forkRelease.id);
}

/**
 * The newest rehearsal with all that it found, so that after the fork's seal only what was touched
 * since is compared, as after production's: the times are only worth something if the work is the same.
 * Not one from after the fork: findings are carried by version, and from there on a version of the
 * fork's is not production's of the same number.
 */
async function copyRehearsal(tx: Tx, from: string, to: string): Promise<void> {
  const { id, copy } = await one<{ id: string; copy: string }>(
    tx,
    sql`with newest as (
        select * from control.reconciliation
        where release = ${from} and kind = 'rehearsal' and verdict <> 'running'
          and ended_at < (select started_at from control.drill where fork_release = ${to})
        order by id desc limit 1
      ), copied as (
        insert into control.reconciliation (release, kind, verdict, epoch, old_progress, new_progress,
          started_at, ended_at, by, why, unexplained, drift, changed, compared)
        select ${to}, kind, verdict, epoch, old_progress, new_progress, started_at, ended_at, by, why,
          unexplained, drift, changed, compared
        from newest returning id
      )
      select n.id, c.id as copy from newest n, copied c`,
  );
  await tx.execute(sql`
    insert into control.reconciliation_partition (reconciliation, start_at, end_at, old_segment, old_version,
      new_segment, new_version, carried_from, old_rows, control_rows, new_rows, unexplained, drift,
      drift_digest, changed, classes, columns, conserved, bucket_changed, bucket_unexplained, contract, samples)
    select ${copy}, start_at, end_at, old_segment, old_version, new_segment, new_version,
      coalesce(carried_from, reconciliation), old_rows, control_rows, new_rows, unexplained, drift,
      drift_digest, changed, classes, columns, conserved, bucket_changed, bucket_unexplained, contract, samples
    from control.reconciliation_partition where reconciliation = ${id}`);
  await tx.execute(sql`
    insert into control.check_result (reconciliation, name, position, verdict, figure, expected, detail, digest, at)
    select ${copy}, name, position, verdict, figure, expected, detail, digest, at
    from control.check_result where reconciliation = ${id}`);
}
