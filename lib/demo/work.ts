import { setTimeout as wait } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import { type Database, one, rows } from '@/lib/db/client';
import { claimPartition, reclaimLost, settleAttempt } from '@/lib/db/statements/attempt';
import { transaction } from '@/lib/db/transaction';
import { applyLive } from '@/lib/services/apply/apply-live';
import { findRelease, type Release } from '@/lib/services/release';
import { advance } from '@/lib/services/steps/advance';
import { buildPartition } from '@/lib/services/steps/build-partition';

const worker = 'demo';
const leaseSeconds = 30;
/** Two cores, and a pool of four connections of which each build takes two. */
const builders = 2;
/** Longer than any lease that a killed start may have left. */
const patienceMs = 120_000;

/** Applies the log to every dataset on a source, to its end. */
export async function applyAll(db: Database, source: string): Promise<void> {
  const datasets = await rows<{ name: string }>(
    db,
    sql`select name from control.dataset where source = ${source} and fork_of is null order by name`,
  );
  for (const { name } of datasets) {
    for (let caughtUp = false; !caughtUp; ) {
      const outcome = await applyLive(db, name, null, { wait: true, size: 2000 });
      caughtUp = outcome.kind === 'sealed' || (outcome.kind === 'applied' && outcome.caughtUp);
    }
  }
}

/**
 * Does what a job runner does for a release, in this process, until it is where it should come to.
 * What a killed start was at is waited for until its lease ends, and then gone on with.
 *
 * @throws Error where nothing moves any more, or the release needs a person
 */
export async function workUntil(
  db: Database,
  reference: string,
  there: (release: Release) => boolean | Promise<boolean>,
): Promise<void> {
  for (const end = performance.now() + patienceMs; performance.now() < end; ) {
    const { id } = await findRelease(db, reference);
    await advance(db, id, worker);
    if ((await buildAll(db, id)) > 0) continue;
    const release = await findRelease(db, reference);
    if (await there(release)) return;
    if (release.state === 'RECONCILIATION_REQUIRED' || release.pausedAt !== null) {
      throw new Error(`${reference} stopped: ${release.troubleWhy ?? release.pausedWhy}`);
    }
    await transaction(db, (tx) => reclaimLost(tx));
    await wait(100);
  }
  const { state } = await findRelease(db, reference);
  throw new Error(`${reference} stays ${state}`);
}

/** Builds every partition that can be claimed; answers how many. */
async function buildAll(db: Database, release: string): Promise<number> {
  let built = 0;
  const build = async () => {
    for (;;) {
      const claim = await transaction(db, (tx) =>
        claimPartition(tx, release, worker, leaseSeconds),
      );
      if (claim.kind === 'none') return;
      try {
        await buildPartition(db, claim.attempt);
      } catch (error) {
        // given back at once, or the next start would wait for its lease
        await settleAttempt(db, claim.attempt, 'cancelled', String(error).slice(0, 300));
        throw error;
      }
      built += 1;
    }
  };
  // each comes to its end, and settles what it holds, before the first failure is told
  const ends = await Promise.allSettled(Array.from({ length: builders }, build));
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
  return built;
}

/** Whether every planned partition has its receipt. */
export async function isBuilt(db: Database, release: Release): Promise<boolean> {
  const { missing } = await one<{ missing: boolean }>(
    db,
    sql`select exists (select from control.release_partition p where p.release = ${release.id}
      and not exists (select from control.receipt c
        where c.release = p.release and c.start_at = p.start_at)) as missing`,
  );
  return !missing;
}

/** Whether a rehearsal ended that is newer than the last receipt. */
export async function isRehearsed(db: Database, release: Release): Promise<boolean> {
  const { rehearsed } = await one<{ rehearsed: boolean }>(
    db,
    sql`select exists (select from control.reconciliation r where r.release = ${release.id}
      and r.kind = 'rehearsal' and r.verdict in ('passed', 'failed')
      and r.started_at > (select max(at) from control.receipt c where c.release = r.release)) as rehearsed`,
  );
  return rehearsed;
}

/** Whether its candidate is gone, or it never had one. */
export async function isDropped(db: Database, release: Release): Promise<boolean> {
  const { dropped } = await one<{ dropped: boolean }>(
    db,
    sql`select not exists (select from control.generation
      where id = ${release.generation} and state <> 'retired') as dropped`,
  );
  return dropped;
}
