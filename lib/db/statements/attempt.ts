import { randomUUID } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { affected, type Database, maybeOne, rows, type Tx } from '@/lib/db/client';

/** One try at one partition; `token` fences everything that it writes. */
export interface Attempt {
  release: string;
  start: string;
  end: string;
  attempt: number;
  token: string;
}

export type Claim =
  | { kind: 'claimed'; attempt: Attempt }
  /** Nothing to do now, and why: shown where people ask why it waits. */
  | { kind: 'none'; why: 'done' | 'not building' | 'paused' | 'limit' | 'taken' };

/**
 * Claims the next planned partition of a release: compare-and-set on its row with a new attempt and
 * token. The release's row is locked for this short moment, so that the concurrency limit and a
 * pause hold exactly, however many claim at once.
 */
export async function claimPartition(
  tx: Tx,
  release: string,
  worker: string,
  leaseSeconds: number,
): Promise<Claim> {
  const state = await maybeOne<{ state: string; stopped: boolean; ready: boolean; limit: number }>(
    tx,
    sql`select x.state, (x.paused_at is not null or x.held_at is not null or x.draining) as stopped,
        (s.ready_at is not null) as ready, x.concurrency as limit
      from control.release x join control.snapshot s on s.id = x.snapshot
      where x.id = ${release} for update of x`,
  );
  if (state?.state !== 'BUILDING' || !state.ready) return { kind: 'none', why: 'not building' };
  if (state.stopped) return { kind: 'none', why: 'paused' };
  const counts = await maybeOne<{ building: number; planned: number }>(
    tx,
    sql`select (count(*) filter (where state = 'building'))::int as building,
        (count(*) filter (where state = 'planned'))::int as planned
      from control.release_partition where release = ${release} and state in ('building', 'planned')`,
  );
  if (!counts || counts.planned === 0) return { kind: 'none', why: 'done' };
  if (counts.building >= state.limit) return { kind: 'none', why: 'limit' };

  const token = randomUUID();
  const claimed = await maybeOne<{ start: string; end: string; attempt: number }>(
    tx,
    sql`with next as (
        select release, start_at from control.release_partition
        where release = ${release} and state = 'planned'
        order by start_at limit 1
        for update skip locked
      )
      update control.release_partition p
      set state = 'building', attempt = p.attempt + 1, token = ${token}, error = null,
        updated_at = clock_timestamp()
      from next where p.release = next.release and p.start_at = next.start_at
      returning p.start_at as start, p.end_at as "end", p.attempt`,
  );
  if (!claimed) return { kind: 'none', why: 'taken' };
  await tx.execute(sql`
    insert into control.attempt (release, start_at, attempt, token, worker, lease_until)
    values (${release}, ${claimed.start}, ${claimed.attempt}, ${token}, ${worker},
      clock_timestamp() + make_interval(secs => ${leaseSeconds}))`);
  return { kind: 'claimed', attempt: { release, token, ...claimed } };
}

/** Renews an attempt's lease, on another connection than its work; false once the attempt is lost. */
export async function renewAttempt(
  db: Database,
  attempt: Attempt,
  leaseSeconds: number,
): Promise<boolean> {
  const renewed = await affected(
    db,
    sql`update control.attempt set lease_until = clock_timestamp() + make_interval(secs => ${leaseSeconds})
      where release = ${attempt.release} and start_at = ${attempt.start} and attempt = ${attempt.attempt}
        and token = ${attempt.token} and ended_at is null`,
  );
  return renewed === 1;
}

/**
 * Takes a partition for the attempt's one transaction and notes whose connection it is. False: the
 * token is no longer the partition's, so nothing may be written.
 */
export async function holdPartition(tx: Tx, attempt: Attempt): Promise<boolean> {
  const held = await maybeOne(
    tx,
    sql`select 1 from control.release_partition p
      where p.release = ${attempt.release} and p.start_at = ${attempt.start}
        and p.token = ${attempt.token} and p.attempt = ${attempt.attempt} and p.state = 'building'
      for update skip locked`,
  );
  return held !== null;
}

/** Which connection works for an attempt, so that a frozen one can be ended: exactly that one. */
export async function noteBackend(db: Database, attempt: Attempt, pid: number): Promise<void> {
  await db.execute(sql`
    update control.attempt set backend_pid = ${pid},
      backend_start = (select backend_start from pg_stat_activity where pid = ${pid})
    where release = ${attempt.release} and start_at = ${attempt.start} and attempt = ${attempt.attempt}
      and token = ${attempt.token}`);
}

/**
 * Settles an attempt: fenced by token and attempt, for failure as for success. False: it was lost,
 * and whatever it did belongs to nobody.
 */
export async function settleAttempt(
  tx: Tx | Database,
  attempt: Attempt,
  outcome: 'accepted' | 'verified' | 'failed' | 'cancelled',
  error: string | null,
): Promise<boolean> {
  const state = outcome === 'failed' ? 'failed' : outcome === 'cancelled' ? 'planned' : 'built';
  const settled = await affected(
    tx,
    sql`update control.release_partition
      set state = ${state}, error = ${error}, token = null, updated_at = clock_timestamp()
      where release = ${attempt.release} and start_at = ${attempt.start} and token = ${attempt.token}
        and attempt = ${attempt.attempt} and state = 'building'`,
  );
  if (settled !== 1) return false;
  await tx.execute(sql`
    update control.attempt set ended_at = clock_timestamp(), outcome = ${outcome}, error = ${error}
    where release = ${attempt.release} and start_at = ${attempt.start} and attempt = ${attempt.attempt}
      and token = ${attempt.token}`);
  return true;
}

/**
 * Gives back the partitions whose attempt's lease ended, and ends the backends that still work for
 * them: only a connection that is the very one the attempt named (pid and start).
 */
export async function reclaimLost(tx: Tx): Promise<{ release: string; start: string }[]> {
  const lost = await rows<{
    release: string;
    start: string;
    pid: number | null;
    started: string | null;
  }>(
    tx,
    sql`select a.release, a.start_at as start, a.backend_pid as pid, a.backend_start as started
      from control.attempt a
      join control.release_partition p on p.release = a.release and p.start_at = a.start_at
        and p.token = a.token
      where a.ended_at is null and a.lease_until < clock_timestamp() and p.state = 'building'`,
  );
  const reclaimed: { release: string; start: string }[] = [];
  for (const attempt of lost) {
    if (attempt.pid !== null) {
      await tx.execute(sql`
        select pg_terminate_backend(pid) from pg_stat_activity
        where pid = ${attempt.pid} and backend_start = ${attempt.started}::timestamptz
          and datname = current_database()`);
    }
    const given = await affected(
      tx,
      sql`update control.release_partition p
        set state = 'planned', token = null, error = 'the worker went silent', updated_at = clock_timestamp()
        from (select release, start_at, token from control.release_partition
          where release = ${attempt.release} and start_at = ${attempt.start} and state = 'building'
          for update skip locked) held
        where p.release = held.release and p.start_at = held.start_at
          and exists (select from control.attempt a where a.token = held.token
            and a.lease_until < clock_timestamp() and a.ended_at is null)`,
    );
    if (given === 0) continue;
    await tx.execute(sql`
      update control.attempt set ended_at = clock_timestamp(), outcome = 'lost', error = 'the lease ended'
      where release = ${attempt.release} and start_at = ${attempt.start} and ended_at is null
        and lease_until < clock_timestamp()`);
    reclaimed.push(attempt);
  }
  return reclaimed;
}
