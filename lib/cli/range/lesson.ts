import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Context, runIn } from './commands';
import type { Figures } from './figures';
import { type DailyRow, RangeStore } from './store';

const OWNER = 'lesson';

/** A range's answer as a whole, day by day, and whether running it again changed a row. */
export interface Split {
  readonly whole: Figures;
  readonly byDay: Figures;
  readonly rerunChanged: boolean;
}

/** How far an added total is off after part of its range was run and added again. */
export interface Doubling {
  readonly range: readonly [first: string, last: string];
  readonly backfilled: readonly [first: string, last: string];
  readonly derived: bigint;
  readonly added: bigint;
  readonly gap: bigint;
}

/** Runs a range in one go and day by day, each in a temporary store. */
export async function measureSplit(context: Context, dates: readonly string[]): Promise<Split> {
  return await inTemporaryStore(async (first) => {
    await runIn(first, context, dates, OWNER);
    const whole = first.derive();
    const before = rowsOf(first);
    await runIn(first, context, dates, OWNER);
    const rerunChanged = rowsOf(first) !== before;
    const byDay = await inTemporaryStore(async (second) => {
      for (const dt of dates) await runIn(second, context, [dt], OWNER);
      return second.derive();
    });
    return { whole, byDay, rerunChanged };
  });
}

/**
 * Doubles a total in a temporary store that begins with the given rows: adds up the whole range,
 * runs the middle third of it again and adds that again.
 *
 * @returns null where there are no rows
 */
export async function measureDoubling(
  context: Context,
  rows: readonly DailyRow[],
): Promise<Doubling | null> {
  const dates = [...new Set(rows.map(({ dt }) => dt))].sort();
  const range = ends(dates);
  const middle = middleThird(dates);
  const backfilled = ends(middle);
  if (range === null || backfilled === null) return null;
  return await inTemporaryStore(async (store) => {
    store.copyDaily(rows);
    store.addToRollup(...range);
    await runIn(store, context, middle, OWNER);
    const added = store.addToRollup(...backfilled).amount;
    const derived = store.deriveRollup().amount;
    return { range, backfilled, derived, added, gap: added - derived };
  });
}

/** What one run of a range leaves in a store that was empty. */
export async function rowsOfRun(context: Context, dates: readonly string[]): Promise<DailyRow[]> {
  return await inTemporaryStore(async (store) => {
    await runIn(store, context, dates, OWNER);
    return store.daily();
  });
}

function middleThird(dates: readonly string[]): string[] {
  const start = Math.floor(dates.length / 3);
  return dates.slice(start, Math.max(start + 1, Math.floor((2 * dates.length) / 3)));
}

function ends(dates: readonly string[]): readonly [string, string] | null {
  const [first] = dates;
  const last = dates.at(-1);
  return first === undefined || last === undefined ? null : [first, last];
}

function rowsOf(store: RangeStore): string {
  const rows = store.daily().map(({ dt, orders, amount }) => `${dt} ${orders} ${amount}`);
  return rows.sort().join('\n');
}

async function inTemporaryStore<Result>(act: (store: RangeStore) => Promise<Result>) {
  const folder = mkdtempSync(path.join(tmpdir(), 'range-'));
  try {
    const store = RangeStore.create(path.join(folder, 'state.db'));
    try {
      return await act(store);
    } finally {
      store.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
