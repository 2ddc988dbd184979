import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import { connect, type Database, maybeOne } from '@/lib/db/client';
import type { Role } from '@/lib/domain/permissions';
import type { Ctx } from '@/lib/services/context';
import { applyDataset } from '@/lib/services/dataset';
import { appendEvents, applySource } from '@/lib/services/source';
import { event, orders } from '@/lib/testing/world';

/** A dataset of a journey's own, so that it is in nobody's way and finds nobody in its own. */
export interface DraftShop {
  dataset: string;
  close: () => Promise<void>;
}

const by = (db: Database, person: string, role: Role): Ctx => ({
  db,
  actor: { person, roles: [role], via: 'api', session: null },
  requestId: randomUUID(),
});

/**
 * Declares a source and a dataset with the bug, with a line for each of the given days, and waits
 * until the job runner has built the first generation.
 */
export async function draftShop(url: string, name: string, days: string[]): Promise<DraftShop> {
  const db = connect(url, { role: 'tool' });
  const source = `${name}_orders`;
  const dataset = `${name}_tax`;
  await applySource(by(db, 'admin', 'admin'), { ...orders.source, name: source });
  await appendEvents(by(db, 'admin', 'writer'), {
    source,
    events: days.flatMap((day) =>
      [1, 2].map((n) => event({ line: `${day}-${n}`, at: `${day}T12:00:00Z`, price: `${n}00.00` })),
    ),
  });
  await applyDataset(by(db, 'admin', 'admin'), { ...orders.dataset, name: dataset, source });
  await untilServed(db, dataset);
  return { dataset, close: () => db.close() };
}

async function untilServed(db: Database, dataset: string): Promise<void> {
  for (const end = Date.now() + 45_000; Date.now() < end; await wait(200)) {
    const served = await maybeOne(
      db,
      sql`select 1 from control.registry r
        join control.generation_progress p on p.generation = r.active_generation
        where r.dataset = ${dataset}`,
    );
    if (served) return;
  }
  throw new Error(`the job runner did not build the first generation of ${dataset}`);
}
