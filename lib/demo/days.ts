import { sql } from 'drizzle-orm';
import { type Database, maybeOne, type Tx } from '@/lib/db/client';
import { amend, publish } from '@/lib/services/publication';
import { askRun } from '@/lib/services/runs';
import { walkRun } from '@/lib/services/steps/run-walk';
import { as } from './cast';

/*
 * What happened to the second shop's days. Each step looks first whether it was done, so that a
 * start that was killed anywhere is gone on with by the next.
 */

/** The first week's figures were sent out, which seals its days. */
export async function sentOut(db: Database, dataset: string): Promise<void> {
  const found = sql`select from control.publication where dataset = ${dataset}`;
  if (await isThere(db, found)) return;
  await publish(await as(db, 'owner'), {
    dataset,
    from: '2026-02-01T00:00:00Z',
    to: '2026-02-08T00:00:00Z',
    sentTo: 'finance, with the weekly figures',
    document: 'weekly-figures/2026-06.pdf',
  });
}

/** What a sealed day would be now was recorded. */
export async function amended(db: Database, dataset: string): Promise<void> {
  const found = sql`select from control.correction where dataset = ${dataset}`;
  if (await isThere(db, found)) return;
  await amend(await as(db, 'owner'), {
    dataset,
    partition: '2026-02-03T00:00:00Z',
    reason: 'The till was offline in the evening: one order came four days late.',
  });
}

/** Five days were run again; what was sealed of them was left alone. */
export async function runAgain(db: Database, dataset: string): Promise<void> {
  const asked = await maybeOne<{ id: string }>(
    db,
    sql`select id from control.run where dataset = ${dataset} and kind = 'adhoc' limit 1`,
  );
  const run =
    asked ??
    (await askRun(await as(db, 'owner'), {
      dataset,
      from: '2026-02-06T00:00:00Z',
      to: '2026-02-11T00:00:00Z',
    }));
  await walkRun(db, run.id);
}

async function isThere(db: Database | Tx, found: ReturnType<typeof sql>): Promise<boolean> {
  return (await maybeOne(db, sql`select 1 where exists (${found})`)) !== null;
}
