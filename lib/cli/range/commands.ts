import { existsSync } from 'node:fs';
import { decideWalk, isGreen, walkRange } from '@/lib/domain/range-walk';
import { checkDate, datesOf } from './dates';
import { EXIT, type ExitCode, RangeFault } from './fault';
import { type Figures, sum } from './figures';
import type { Json } from './json-text';
import { type Measured, Partitions } from './partitions';
import { RangeStore } from './store';

/** Where a command works, and whom it talks to. */
export interface Context {
  /** The state store's file. */
  readonly db: string;
  /** The raw partitions' folder. */
  readonly events: string;
  /** A line for people, to stderr. */
  say(line: string): void;
}

/** What goes to stdout, and the exit code beside it. */
export interface Answer {
  readonly json: Json;
  readonly exitCode: ExitCode;
}

export function init({ db }: Context): Answer {
  RangeStore.create(db).close();
  return answer({ ok: true });
}

/** Recomputes the partitions of a range; a regular run's range is one date long. */
export async function run(context: Context, from: string, to: string, owner: string) {
  const dates = datesOf(from, to);
  checkOwner(owner);
  return await withStore(context, (store) => runIn(store, context, dates, owner));
}

/** `run` on an open store. */
export async function runIn(
  store: RangeStore,
  context: Context,
  dates: readonly string[],
  owner: string,
): Promise<Answer> {
  const partitions = new Partitions(context.events);
  if (!existsSync(context.events)) context.say(`there is no folder ${context.events}`);
  const view = store.read(() => ({ claims: store.claims(), sealed: new Set(store.seals()) }));
  const decisions = decideWalk(dates, { ...view, owner, hasData: (dt) => partitions.has(dt) });
  // All is read before anything is written: a broken line must leave everything as it was.
  const wanted = decisions.flatMap(({ move, partition }) => (move === 'do' ? [partition] : []));
  const measured = measureAll(partitions, wanted);

  const { done, skipped } = await walkRange<Figures>(decisions, (dt) => {
    const written = store.replace(dt, owner, () => {
      const known = measured.get(dt);
      const same = known !== undefined && partitions.versionOf(dt) === known.version;
      return (same ? known : measureLate(partitions, dt))?.figures ?? null;
    });
    if (written === 'sealed') return { reason: 'sealed' };
    return written === null ? { reason: 'no_data' } : { figures: written };
  });
  const json = {
    owner,
    done: done.map(({ partition }) => partition),
    skipped,
    ...sum(done.map(({ figures }) => figures)),
  };
  return answer(json, isGreen(skipped) ? EXIT.ok : EXIT.skipped);
}

/** @throws RangeFault with a line for each partition that cannot be read */
function measureAll(partitions: Partitions, dates: readonly string[]): Map<string, Measured> {
  const measured = new Map<string, Measured>();
  const faults: string[] = [];
  for (const dt of dates) {
    try {
      const found = partitions.measure(dt);
      if (found !== null) measured.set(dt, found);
    } catch (error) {
      if (!(error instanceof RangeFault)) throw error;
      faults.push(error.message);
    }
  }
  if (faults.length > 0) throw new RangeFault(`${faults.join('\n')}\nnothing was changed`);
  return measured;
}

/** Reads a partition whose file was replaced since the range was read. */
function measureLate(partitions: Partitions, dt: string): Measured | null {
  try {
    return partitions.measure(dt);
  } catch (error) {
    if (!(error instanceof RangeFault)) throw error;
    throw new RangeFault(`${error.message}\nstopped at ${dt}; what lies before it is done`);
  }
}

export async function claim(context: Context, from: string, to: string, owner: string) {
  const dates = datesOf(from, to);
  checkOwner(owner);
  return await withStore(context, (store) => {
    const { claimed, denied } = store.claim(dates, owner);
    return answer({ owner, claimed, denied }, denied.length > 0 ? EXIT.denied : EXIT.ok);
  });
}

export async function release(context: Context, from: string, to: string, owner: string) {
  const dates = datesOf(from, to);
  checkOwner(owner);
  return await withStore(context, (store) =>
    answer({ owner, released: store.release(dates, owner) }),
  );
}

export async function seal(context: Context, from: string, to: string) {
  const sealed = datesOf(from, to);
  return await withStore(context, (store) => {
    store.seal(sealed);
    return answer({ sealed });
  });
}

export async function amend(context: Context, date: string, reason: string) {
  const dt = checkDate(date);
  if (reason.trim() === '') throw new RangeFault('the reason must not be empty', EXIT.usage);
  return await withStore(context, (store) => {
    // Seals are never undone, so what is found here still holds when the correction is written.
    if (!store.isSealed(dt)) {
      throw new RangeFault(`${dt} is not sealed: run it instead`, EXIT.notSealed);
    }
    const partitions = new Partitions(context.events);
    const measured = partitions.measure(dt);
    // A file that is not there says nothing about what was sold.
    if (measured === null) {
      throw new RangeFault(`there is no ${partitions.pathOf(dt)} to count ${dt} from`);
    }
    const { before, after } = store.correct(dt, measured.figures, reason);
    return answer({
      dt,
      orders_before: before.orders,
      amount_before: before.amount,
      orders_after: after.orders,
      amount_after: after.amount,
      reason,
    });
  });
}

export async function rollupAdd(context: Context, from: string, to: string) {
  datesOf(from, to);
  return await withStore(context, (store) => totals('add', store.addToRollup(from, to)));
}

export async function rollup(context: Context) {
  return await withStore(context, (store) => totals('derive', store.deriveRollup()));
}

function totals(mode: 'add' | 'derive', { orders, amount }: Figures): Answer {
  return answer({ mode, order_total: orders, amount_total: amount });
}

function answer(json: Json, exitCode: ExitCode = EXIT.ok): Answer {
  return { json, exitCode };
}

function checkOwner(owner: string): void {
  if (owner.trim() === '') throw new RangeFault('the owner must not be empty', EXIT.usage);
}

/** Opens the store, and closes it whatever happens. */
export async function withStore<Result>(
  { db }: Pick<Context, 'db'>,
  act: (store: RangeStore) => Result | Promise<Result>,
): Promise<Result> {
  const store = RangeStore.open(db);
  try {
    return await act(store);
  } finally {
    store.close();
  }
}
