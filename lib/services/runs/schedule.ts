import { sql } from 'drizzle-orm';
import { type Database, maybeOne, one, rows, type Tx } from '@/lib/db/client';
import { ofPeople } from '@/lib/db/fork-sql';
import { clockNow, insertRun } from '@/lib/db/statements/run';
import { transaction } from '@/lib/db/transaction';
import { addMicros, compareInstants, type Instant } from '@/lib/domain/instant';
import { type PartitionUnit, partitionAt } from '@/lib/domain/partition-plan';
import { SCHEDULE_OWNER } from '@/lib/domain/runs';
import { writeAudit } from '@/lib/services/audit/write';
import { partitionsOf } from '@/lib/services/claims/range';
import { runnerContext } from '@/lib/services/system';
import { lastFire } from './cron';
import { enqueueRun, subjectOf } from './store';

interface Scheduled {
  dataset: string;
  zone: string;
  unit: PartitionUnit;
  cron: string;
  partitions: number;
  /** The newest instant of its schedule for which there is a run. */
  newest: string | null;
}

/**
 * Makes the runs that datasets' schedules name: for each the newest instant at or before the clock,
 * unless there is a run of it already. However many processes look, one makes it. What was missed
 * while nothing ran is not made up for: only the newest, and nothing from before the schedule was
 * set.
 *
 * @param now the database's clock unless given
 * @returns how many were made
 */
export async function scheduleRuns(db: Database, now?: Instant): Promise<number> {
  const clock = now ?? ((await clockNow(db)) as Instant);
  const scheduled = await rows<Scheduled>(
    db,
    sql`select d.name as dataset, d.timezone as zone, d.partition as unit,
        d.policy #>> '{runs,cron}' as cron,
        coalesce((d.policy #>> '{runs,partitions}')::int, 1) as partitions,
        (select max(u.scheduled_for) from control.run u where u.dataset = d.name) as newest
      from control.dataset d
      where d.policy #>> '{runs,cron}' is not null and ${ofPeople(sql`d.name`)}
      order by d.name`,
  );
  let made = 0;
  const failed: unknown[] = [];
  for (const each of scheduled) {
    try {
      if (await makeDue(db, each, clock)) made += 1;
    } catch (error) {
      failed.push(error);
    }
  }
  // one dataset's trouble keeps no other from its run
  if (failed.length > 0) throw failed[0];
  return made;
}

async function makeDue(db: Database, scheduled: Scheduled, now: Instant): Promise<boolean> {
  const { dataset, cron, zone, newest } = scheduled;
  const fire = lastFire(cron, zone, now);
  if (fire === null || (newest !== null && newest >= fire)) return false;
  if (compareInstants((await setAt(db, dataset, cron)) as Instant, fire) >= 0) return false;
  const range = lastPartitions(scheduled, fire);
  if (!range) return false;
  return transaction(db, async (tx) => {
    const partitions = await partitionsOf(tx, { dataset, ...range });
    const id = await insertRun(tx, {
      dataset,
      kind: 'scheduled',
      ...range,
      owner: SCHEDULE_OWNER,
      by: runnerContext().actor.person,
      state: 'planned',
      answers: null,
      retryOf: null,
      scheduledFor: fire,
      partitions,
    });
    if (id === null) return false;
    await enqueueRun(tx, id);
    await writeAudit(tx, runnerContext(), {
      chain: `dataset:${dataset}`,
      verb: 'dataset.run',
      subject: subjectOf(id),
      after: { run: id, scheduledFor: fire, range, partitions: partitions.length },
    });
    return true;
  });
}

/** When the policy came to hold this schedule; a policy that is applied again unchanged keeps it. */
async function setAt(tx: Database | Tx, dataset: string, cron: string): Promise<string> {
  const applied = sql`control.audit_event a where a.subject = ${dataset}
    and a.verb = 'dataset.apply' and a.outcome = 'done'`;
  const found = await maybeOne<{ at: string }>(
    tx,
    sql`select a.at from ${applied} and a.after #>> '{policy,runs,cron}' = ${cron}
        and a.id > coalesce((select max(a.id) from ${applied}
          and a.after #>> '{policy,runs,cron}' is distinct from ${cron}), 0)
      order by a.id limit 1`,
  );
  if (found) return found.at;
  const made = await one<{ at: string }>(
    tx,
    sql`select created_at as at from control.dataset where name = ${dataset}`,
  );
  return made.at;
}

/** The last whole partitions that ended at or before an instant. */
function lastPartitions(
  { zone, unit, partitions }: Scheduled,
  fire: Instant,
): { from: Instant; to: Instant } | null {
  const to = partitionAt(zone, unit, fire)?.start;
  if (to === undefined) return null;
  let from = to;
  for (let i = 0; i < partitions; i++) {
    const before = partitionAt(zone, unit, addMicros(from, -1n));
    if (!before) break;
    from = before.start;
  }
  return from === to ? null : { from, to };
}
