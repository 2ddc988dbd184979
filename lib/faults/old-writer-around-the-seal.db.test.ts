import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Database, one } from '@/lib/db/client';
import { readProgress } from '@/lib/db/statements/progress';
import { Scenario } from '@/lib/faults/support/scenario';
import { applyLive } from '@/lib/services/apply/apply-live';
import { race } from '@/lib/testing/race';
import { by, day, ingress, moveAs } from '@/lib/testing/shop';
import { event } from '@/lib/testing/world';

let s: Scenario;
let release = '';

beforeAll(async () => {
  s = await Scenario.open();
  release = await s.rehearsed();
});
afterAll(() => s.t.close());

let next = 0;
const sealAs = (db: Database) => moveAs(by(db, 'dee', ['oncall']), 'seal', release);
const live = (db: Database, wait: boolean, epoch: number | null = null) =>
  applyLive(db, 'order_tax', epoch, { wait });

/** Barrier, and what the generation in use has really reached. */
async function reached() {
  const { barrier, active } = await one<{ barrier: string[] | null; active: string }>(
    s.db,
    sql`select barrier, active_generation as active from control.registry`,
  );
  return { barrier, progress: await readProgress(s.db, active) };
}

/** The release may seal, ingress is open, and there is an event to be written. */
beforeEach(async () => {
  if ((await s.w.state(release)) !== 'BUILDING') await s.w.move('dee', 'reopen', release);
  await s.w.live();
  await s.append([event({ line: `n${++next}`, at: day(5), price: '10.00' })]);
});

describe('an old writer', () => {
  it('that commits just before the seal: its batch is below the barrier', async () => {
    const { first, second } = await race(
      s.t.url,
      (db) => live(db, false),
      (db) => sealAs(db),
    );
    expect(first).toMatchObject({ value: { kind: 'applied', applied: { scanned: 1 } } });
    expect(second.status).toBe('fulfilled');
    const { barrier, progress } = await reached();
    expect(barrier).toEqual(progress);
    await s.expectAll('order_tax-g1');
  });

  it('that waited for the seal writes nothing, then or under the next epoch', async () => {
    const start = (await reached()).progress;
    const { epoch } = await ingress(s.db);
    const { first, second } = await race(
      s.t.url,
      (db) => sealAs(db),
      (db) => live(db, true, epoch),
    );
    expect(first.status).toBe('fulfilled');
    expect(second).toMatchObject({ value: { kind: 'sealed', epoch } });
    expect(await reached()).toEqual({ barrier: start, progress: start });
    await s.expectServed('order_tax-g1');

    // whoever still believes in the sealed epoch after it reopened writes nothing either
    await s.w.move('dee', 'reopen', release);
    expect(await live(s.db, true, epoch)).toEqual({ kind: 'EPOCH_SEALED', epoch: epoch + 1 });
    expect((await reached()).progress).toEqual(start);
    expect(await live(s.db, true, epoch + 1)).toMatchObject({ kind: 'applied' });
    await s.expectAll('order_tax-g1');
  });

  it('that would not wait leaves it to the seal', async () => {
    const { second } = await race(
      s.t.url,
      (db) => sealAs(db),
      (db) => live(db, false),
      { expect: 'passed' },
    );
    expect(second).toEqual({ status: 'fulfilled', value: { kind: 'busy' } });
  });
});
