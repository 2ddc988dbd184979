import { sql } from 'drizzle-orm';
import { affected, type Database, json, maybeOne } from '@/lib/db/client';
import { transaction } from '@/lib/db/transaction';
import { Refused } from '@/lib/domain/refusal';
import { writeAudit } from '@/lib/services/audit/write';
import { demoSettings } from '@/lib/services/demo/setting';
import { type Appended, appendEvents } from '@/lib/services/source';
import { runnerContext } from '@/lib/services/system';
import { till } from './cast';
import type { Line } from './shop/event';
import { type Turn, turn } from './shop/live';
import { orders } from './story/datasets';

/** The least time between two turns, however many processes take them. */
const turnMs = 2_000;

/**
 * Takes the stream's next turn, if it is on, due, and nobody else takes it: one update of the row
 * that counts the turns decides. A process that dies after that has skipped a turn, never doubled
 * one.
 *
 * @param everyMs the least time since the last turn, by the database's clock
 * @returns null where there was nothing to take
 */
export async function streamTurn(db: Database, everyMs = turnMs): Promise<Appended | null> {
  const taken = await maybeOne<{ n: number; left: number }>(
    db,
    sql`update control.setting
      set value = jsonb_build_object('next', (value ->> 'next')::int + 1, 'left', (value ->> 'left')::int - 1),
        changed_at = clock_timestamp()
      where name = ${demoSettings.turn}
        and changed_at <= clock_timestamp() - make_interval(secs => ${everyMs / 1000})
        and exists (select from control.setting where name = ${demoSettings.seeded})
        and exists (select from control.setting where name = ${demoSettings.stream} and value -> 'on' = 'true')
      returning (value ->> 'next')::int - 1 as n, (value ->> 'left')::int as left`,
  );
  if (!taken) return null;
  if (taken.left <= 0) await switchOff(db);
  const events = await eventsOf(db, turn(taken.n));
  try {
    return await appendEvents(till(db), { source: orders.name, events });
  } catch (error) {
    // Somebody told the same line at the same time: the shop has the next turn for it.
    if (error instanceof Refused && error.code === 'EVENT_CONFLICT') return null;
    throw error;
  }
}

async function eventsOf(db: Database, told: Turn) {
  if (told.kind === 'new') return told.events;
  const found = await maybeOne<{ revision: number; line: Line }>(
    db,
    sql`select k.newest_revision::int as revision, e.payload as line
      from control.source_key k
      join control.source_event e
        on e.source = k.source and e.key = k.key and e.revision = k.newest_revision
      where k.source = ${orders.name} and k.key >= ${told.from} and not k.deleted
      order by k.key limit 1`,
  );
  return found ? told.events(found.line, found.revision) : [];
}

/** Nobody looked for nearly a day: the log of a demo that was left alone must not grow for ever. */
async function switchOff(db: Database): Promise<void> {
  await transaction(db, async (tx) => {
    const switched = await affected(
      tx,
      sql`update control.setting
        set value = ${json({ on: false })}, changed_at = clock_timestamp(), changed_by = 'runner'
        where name = ${demoSettings.stream} and value -> 'on' = 'true'`,
    );
    if (switched === 0) return;
    await writeAudit(tx, runnerContext(), {
      chain: 'people',
      verb: 'demo.stream',
      subject: orders.name,
      before: { on: true },
      after: { on: false },
      reason: 'on for nearly a day',
    });
  });
}
