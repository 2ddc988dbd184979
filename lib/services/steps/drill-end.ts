import { sql } from 'drizzle-orm';
import { affected, type Database, maybeOne, one, type Tx } from '@/lib/db/client';
import { rowsTable } from '@/lib/db/dataset-shape';
import { eventsBetween } from '@/lib/db/statements/progress';
import { lockRegistry } from '@/lib/db/statements/registry';
import { transaction } from '@/lib/db/transaction';
import { writeAudit } from '@/lib/services/audit/write';
import { lockRelease, referenceOf } from '@/lib/services/release/load';
import { setState } from '@/lib/services/release/move-state';
import { runnerContext } from '@/lib/services/system';
import { clearUnmapped } from './compact';
import { type DrillRow, enterStepIn } from './drill-row';
import { deleteSegments } from './retire';

interface Measured {
  cutoverSeconds: number | null;
  rollbackSeconds: number | null;
  eventsReplayed: string | null;
}

/**
 * Ends a drill: its figures are written down, and its fork goes in the same transaction, maps,
 * ingress and all. From then on nobody writes to it, whoever wakes up late; its rows are deleted
 * after.
 *
 * @param why null: it passed
 */
export async function endDrill(db: Database, drill: DrillRow, why: string | null): Promise<void> {
  await transaction(db, async (tx) => {
    await lockRegistry(tx, drill.fork);
    const release = await lockRelease(tx, drill.forkRelease);
    await enterStepIn(tx, drill.id, null);
    const measured = await measure(tx, drill);
    const outcome = why === null ? 'passed' : 'failed';
    const ended = await affected(
      tx,
      sql`update control.drill set ended_at = clock_timestamp(), outcome = ${outcome}, why = ${why},
          cutover_seconds = ${measured.cutoverSeconds}, rollback_seconds = ${measured.rollbackSeconds},
          events_replayed = ${measured.eventsReplayed}, rows_copied = (
            select count(*) from ${sql.raw(rowsTable(drill.fork))}
            where _segment in (select id from control.segment where dataset = ${drill.fork}))
        where id = ${drill.id} and ended_at is null`,
    );
    if (ended !== 1) return;
    if (release.state !== 'ROLLED_BACK') {
      await setState(tx, runnerContext(), release, { to: 'ABANDONED', why });
    }
    await dropFork(tx, drill.fork, why);
    const origin = await one<{ name: string; revision: number }>(
      tx,
      sql`select name, revision from control.release where id = ${drill.release}`,
    );
    await writeAudit(tx, runnerContext(), {
      chain: `dataset:${drill.dataset}`,
      verb: 'release.drill-ended',
      subject: referenceOf(origin),
      after: {
        drill: drill.id,
        outcome,
        cutoverSeconds: measured.cutoverSeconds?.toFixed(3) ?? null,
        rollbackSeconds: measured.rollbackSeconds?.toFixed(3) ?? null,
        eventsReplayed: measured.eventsReplayed,
      },
      reason: why,
    });
  });
}

/** By the clock that set them: from the seal to the switch, and from the request to the switch back. */
async function measure(tx: Tx, { forkRelease }: DrillRow): Promise<Measured> {
  const cutover = await maybeOne<{ seconds: number | null }>(
    tx,
    sql`select extract(epoch from c.at - (select max(s.at) from control.release_state s
        where s.release = c.release and s.state = 'INGRESS_SEALED'))::float8 as seconds
      from control.cutover c where c.release = ${forkRelease}`,
  );
  const rollback = await maybeOne<{ seconds: number; from: string[]; to: string[] }>(
    tx,
    sql`select extract(epoch from ended_at - requested_at)::float8 as seconds,
        start_offsets as "from", barrier as "to"
      from control.rollback where release = ${forkRelease} and state = 'done'`,
  );
  return {
    cutoverSeconds: cutover?.seconds ?? null,
    rollbackSeconds: rollback?.seconds ?? null,
    eventsReplayed: rollback ? String(eventsBetween(rollback.from, rollback.to)) : null,
  };
}

/** The caller holds the fork's registry row; whoever waits for it finds no fork any more. */
async function dropFork(tx: Tx, fork: string, why: string | null): Promise<void> {
  await tx.execute(sql`
    update control.rollback set state = 'failed', ended_at = clock_timestamp(), why = ${why}
    where dataset = ${fork} and state in ('requested', 'replaying', 'sealed')`);
  await tx.execute(
    sql`select 1 from control.generation where dataset = ${fork} order by id for update`,
  );
  for (const table of ['generation_range', 'quarantine']) {
    await tx.execute(sql`
      delete from control.${sql.identifier(table)} where generation in (
        select id from control.generation where dataset = ${fork})`);
  }
  await tx.execute(sql`
    update control.generation set state = 'retired', retired_at = clock_timestamp() where dataset = ${fork}`);
  await tx.execute(sql`delete from control.registry where dataset = ${fork}`);
}

/**
 * Deletes the rows of a fork that is over, and what production left behind of partitions that only
 * the fork still mapped. May be run again.
 */
export async function clearFork(db: Database, drill: DrillRow): Promise<void> {
  await deleteSegments(db, drill.fork);
  await deleteSegments(db, drill.dataset);
  await clearUnmapped(db, drill.dataset);
}
