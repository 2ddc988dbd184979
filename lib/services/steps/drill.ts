import { sql } from 'drizzle-orm';
import { affected, type Database, maybeOne, one } from '@/lib/db/client';
import { loadDataset } from '@/lib/db/dataset-shape';
import { isDataError, pgError } from '@/lib/db/pg-error';
import { copyCandidate } from '@/lib/db/statements/fork';
import { LogPruned } from '@/lib/db/statements/progress';
import { transaction } from '@/lib/db/transaction';
import { InterlockError, LostRace } from '@/lib/domain/refusal';
import { activate } from '@/lib/services/release/activate';
import type { Release } from '@/lib/services/release/load';
import { referenceOf } from '@/lib/services/release/load';
import { lockedRelease, type MoveVerb } from '@/lib/services/release/move';
import { moveState } from '@/lib/services/release/move-state';
import { rollback } from '@/lib/services/release/rollback';
import { seal } from '@/lib/services/release/seal';
import { runnerContext } from '@/lib/services/system';
import { applyFork, differsFromOrigin } from './drill-compare';
import { clearFork, endDrill } from './drill-end';
import { type DrillRow, drillOfFork, enterStep } from './drill-row';

/** The drill cannot go on, and trying again would change nothing. */
class DrillFailed extends Error {}

/**
 * Does the next step of a drill, by the state of its fork's release. The moves, the steps and the
 * statements are those of every release; here is only what people would press, and what is compared
 * in the end. Each step reads where things stand, so it goes on after a crash; what cannot go on is
 * recorded as failed, and its fork cleared away.
 *
 * @param usual the step that the runner does for any release in this state
 * @returns true if there may be more to do at once
 */
export async function drillStep(
  db: Database,
  release: Release,
  usual: () => Promise<boolean>,
): Promise<boolean> {
  const drill = await drillOfFork(db, release.id);
  if (!drill) return false;
  if (drill.endedAt !== null) {
    await clearFork(db, drill);
    return false;
  }
  try {
    if (drill.overdue) throw new DrillFailed('it did not end within its time');
    await stopIfPointless(db, drill);
    return await next(db, drill, release, usual);
  } catch (error) {
    const why = whyFailed(error);
    if (why === null) throw error;
    await endDrill(db, drill, why);
    return true;
  }
}

/** What a drill fails by; null for what may go well the next time: a lock, a lost connection. */
function whyFailed(error: unknown): string | null {
  if (error instanceof LostRace) return null;
  if (error instanceof DrillFailed || error instanceof InterlockError) return error.message;
  if (error instanceof LogPruned) return error.message;
  return isDataError(error) ? (pgError(error)?.message ?? null) : null;
}

async function stopIfPointless(db: Database, drill: DrillRow): Promise<void> {
  const origin = await one<{ state: string }>(
    db,
    sql`select state from control.release where id = ${drill.release}`,
  );
  if (origin.state === 'ABANDONED' || origin.state === 'REJECTED') {
    throw new DrillFailed(`the release was ${origin.state.toLowerCase()}`);
  }
}

async function next(
  db: Database,
  drill: DrillRow,
  release: Release,
  usual: () => Promise<boolean>,
): Promise<boolean> {
  if (drill.copiedAt === null) {
    await enterStep(db, drill.id, 'copy');
    await copyStep(db, drill, release);
    return true;
  }
  switch (release.state) {
    case 'BUILDING':
      await enterStep(db, drill.id, 'catch up');
      await applyFork(db, drill);
      await usual();
      await enterStep(db, drill.id, 'seal');
      await press(db, release, seal);
      return true;
    case 'INGRESS_SEALED':
      await enterStep(db, drill.id, 'barrier');
      return moved(db, release, usual);
    case 'CAUGHT_UP':
      await enterStep(db, drill.id, 'reconcile');
      return moved(db, release, usual);
    case 'RECONCILED':
      await enterStep(db, drill.id, 'cutover');
      await approve(db, release);
      return true;
    case 'APPROVED':
      await enterStep(db, drill.id, 'cutover');
      await press(db, release, activate);
      return true;
    case 'ACTIVE':
      return rollbackStep(db, drill, release, usual);
    case 'ROLLED_BACK':
      await enterStep(db, drill.id, 'compare');
      await endDrill(
        db,
        drill,
        await differsFromOrigin(db, drill, release.oldGeneration as string),
      );
      return true;
    default:
      throw new DrillFailed(release.troubleWhy ?? `its release on the fork is ${release.state}`);
  }
}

/** Most of the runner's steps say that nothing is left once they have moved the release on. */
async function moved(
  db: Database,
  release: Release,
  usual: () => Promise<boolean>,
): Promise<boolean> {
  if (await usual()) return true;
  const now = await one<{ state: string }>(
    db,
    sql`select state from control.release where id = ${release.id}`,
  );
  return now.state !== release.state;
}

/** A move of people, by nobody: what is asked of who they are is all that is left out. */
function press(
  db: Database,
  release: Release,
  { run }: MoveVerb<{ release: string }>,
): Promise<void> {
  const ctx = { ...runnerContext(), db };
  return lockedRelease(db, release, (tx, locked) =>
    run(tx, ctx, locked, { release: referenceOf(release) }),
  );
}

/** A fork's release needs no signature, so it is approved as soon as there is evidence. */
function approve(db: Database, release: Release): Promise<void> {
  return lockedRelease(db, release, async (tx, locked) => {
    if (locked.release.state !== 'RECONCILED') return;
    await moveState(tx, runnerContext(), locked.release, {
      to: 'APPROVED',
      verb: 'release.approve',
      evidence: locked.release.evidence,
    });
  });
}

/** After the cutover: what production has written meanwhile is written here too, then back. */
async function rollbackStep(
  db: Database,
  drill: DrillRow,
  release: Release,
  usual: () => Promise<boolean>,
): Promise<boolean> {
  const asked = await maybeOne<{ state: string; why: string | null }>(
    db,
    sql`select state, why from control.rollback where release = ${release.id} order by id desc limit 1`,
  );
  if (!asked) {
    await enterStep(db, drill.id, 'write');
    await applyFork(db, drill);
    await enterStep(db, drill.id, 'rollback');
    await press(db, release, rollback);
    return true;
  }
  if (asked.state === 'failed' || asked.state === 'called_off') {
    throw new DrillFailed(`the rollback did not end: ${asked.why ?? asked.state}`);
  }
  return moved(db, release, usual);
}

/**
 * Copies the candidate to the fork. In one snapshot and without a lock: neither live writing nor the
 * candidate's own catch-up waits for it, however large it is.
 */
async function copyStep(db: Database, drill: DrillRow, forkRelease: Release): Promise<void> {
  await transaction(
    db,
    async (tx) => {
      const found = await maybeOne<{ generation: string }>(
        tx,
        sql`select x.generation from control.release x
          join control.generation g on g.id = x.generation
          where x.id = ${drill.release} and g.state = 'candidate'`,
      );
      const dataset = await loadDataset(tx, drill.dataset);
      if (!found || !dataset)
        throw new DrillFailed('the release’s candidate is no candidate any more');
      const copied = await copyCandidate(tx, {
        dataset,
        fork: drill.fork,
        release: { id: drill.release, generation: found.generation },
        forkRelease: { id: forkRelease.id, digest: forkRelease.digest as string },
      });
      const landed = await affected(
        tx,
        sql`update control.drill set copied_at = clock_timestamp(), rows_copied = ${copied}
          where id = ${drill.id} and copied_at is null and ended_at is null`,
      );
      if (landed !== 1)
        throw new LostRace('Somebody else copied the candidate, or ended the drill.');
    },
    { isolation: 'repeatable read', statementTimeoutMs: 600_000 },
  );
}
