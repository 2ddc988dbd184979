import { readDecimal, subtractDecimals } from './decimal';

/** Figures of one partition as they are kept: exact text for every sum; null where there was no value. */
export interface PartitionFigures {
  rows: number;
  /** Conserved sums by name. */
  sums: Record<string, string | null>;
  /** The partition's part of each rollup, by metric. */
  partials: Record<string, string | null>;
  root: string;
}

/** What one set of figures has more than another; exact decimals, negative for less. */
export interface FiguresDelta {
  rows: number;
  sums: Record<string, string>;
  /** Of rollups that add up over partitions; a minimum has no difference that means anything. */
  partials: Record<string, string>;
}

export type RollupFn = 'sum' | 'count' | 'min' | 'max';

const LEADING = /^(?:[\s(]|--[^\n]*\n|\/\*[\s\S]*?\*\/)*/;
const CALL = /^(?:"?pg_catalog"?\s*\.\s*)?"?(sum|count|min|max)"?\s*\(/i;

/**
 * Which aggregate a rollup is, by its text as it was declared; a rollup is one aggregate with nothing
 * around it. Null where the text is written in a way that this does not read.
 */
export function rollupFn(sql: string): RollupFn | null {
  const name = CALL.exec(sql.replace(LEADING, ''))?.[1];
  return name === undefined ? null : (name.toLowerCase() as RollupFn);
}

/** The metrics among a dataset's rollups that add up over partitions. */
export function additiveMetrics(
  rollups: readonly { metric: string; sql: string }[],
): ReadonlySet<string> {
  return new Set(
    rollups.flatMap(({ metric, sql }) => {
      const fn = rollupFn(sql);
      return fn === 'sum' || fn === 'count' ? [metric] : [];
    }),
  );
}

/** `after − before`; a sum over no rows counts as 0. */
export function figuresDelta(
  before: PartitionFigures,
  after: PartitionFigures,
  additive: ReadonlySet<string>,
): FiguresDelta {
  return {
    rows: after.rows - before.rows,
    sums: differences(before.sums, after.sums, () => true),
    partials: differences(before.partials, after.partials, (name) => additive.has(name)),
  };
}

function differences(
  before: Record<string, string | null>,
  after: Record<string, string | null>,
  counts: (name: string) => boolean,
): Record<string, string> {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(counts).sort();
  return Object.fromEntries(
    names.flatMap((name) => {
      const [from, to] = [before[name] ?? '0', after[name] ?? '0'];
      return isNumeric(from) && isNumeric(to) ? [[name, subtractDecimals(to, from)]] : [];
    }),
  );
}

const isNumeric = (text: string) => readDecimal(text) !== null || /^(NaN|-?Infinity)$/.test(text);

/** Whether two sets of figures are the same, whatever the order of their names. */
export function sameFigures(a: PartitionFigures, b: PartitionFigures): boolean {
  return (
    a.rows === b.rows &&
    a.root === b.root &&
    sameRecord(a.sums, b.sums) &&
    sameRecord(a.partials, b.partials)
  );
}

function sameRecord(a: Record<string, string | null>, b: Record<string, string | null>): boolean {
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => Object.hasOwn(b, name) && a[name] === b[name])
  );
}

/**
 * Whether a sealed partition's corrections, oldest first, add up: the first starts from what was
 * published, every other from where the one before it ended.
 */
export function chainAddsUp(
  published: PartitionFigures,
  chain: readonly { before: PartitionFigures; after: PartitionFigures }[],
): boolean {
  return chain.every(({ before }, i) => sameFigures(before, chain[i - 1]?.after ?? published));
}
