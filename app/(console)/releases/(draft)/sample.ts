import type { RowDiffColumn, RowDiffRow } from '@/components/release/row-diff';
import { isInstant } from '@/lib/domain/instant';
import { formatEdge } from '@/lib/domain/partition-label';
import type { DraftDataset } from '@/lib/queries/draft';
import type { Sample } from '@/lib/services/release';

/** Old and new rows of one partition side by side. */
export interface SampleView {
  partition: { start: string; end: string };
  once: RowDiffColumn[];
  compared: RowDiffColumn[];
  rows: RowDiffRow[];
  counts: { old: number; new: number; changed: number; removed: number; added: number };
  errors: { sourceKey: string; error: string }[];
  /** More rows may differ than were looked at. */
  cut: boolean;
}

const MOST_SHOWN = 50;
/** As many rows of the partition as a sample looks at. */
const MOST_SAMPLED = 200;

type Row = Record<string, unknown>;

/** A value as text; moments in the dataset's zone. */
const textIn =
  (zone: string) =>
  (value: unknown): string | null => {
    if (value === null || value === undefined) return null;
    if (typeof value === 'object') return JSON.stringify(value);
    return isInstant(value) ? formatEdge(zone, value) : String(value);
  };

const NUMBERS = /^(integer|bigint|numeric|double)/;

/** Pairs the rows by the dataset's key; columns that are equal in every pair stand once. */
export function sampleView(sample: Sample, dataset: DraftDataset): SampleView {
  const textOf = textIn(dataset.zone);
  const names = dataset.columns.map(({ name }) => name);
  const keyOf = (row: Row) => JSON.stringify(dataset.key.map((name) => textOf(row[name])));
  const old = new Map(sample.old.map((row) => [keyOf(row), row]));
  const now = new Map(sample.new.map((row) => [keyOf(row), row]));
  const pairs = [...new Set([...old.keys(), ...now.keys()])]
    .sort()
    .map((key) => ({ key, before: old.get(key) ?? null, after: now.get(key) ?? null }));
  const differs = ({ before, after }: (typeof pairs)[number], name: string) =>
    before !== null && after !== null && textOf(before[name]) !== textOf(after[name]);
  const changing = names.filter(
    (name) => !dataset.key.includes(name) && pairs.some((pair) => differs(pair, name)),
  );
  const compared = changing.length > 0 ? changing : names.slice(-1);
  const once = names.filter((name) => !compared.includes(name));
  const column = (name: string): RowDiffColumn => ({
    name,
    number: NUMBERS.test(dataset.columns.find((c) => c.name === name)?.type ?? ''),
  });
  const classOf = (pair: (typeof pairs)[number]): RowDiffRow['class'] => {
    if (pair.before === null) return 'added';
    if (pair.after === null) return 'removed';
    return compared.some((name) => differs(pair, name)) ? 'changed' : 'equal';
  };
  const rows = pairs.map((pair): RowDiffRow => {
    const side = (row: Row | null) => row && compared.map((name) => textOf(row[name]));
    return {
      key: pair.key,
      class: classOf(pair),
      once: once.map((name) => textOf((pair.after ?? pair.before)?.[name])),
      old: side(pair.before),
      control: null,
      new: side(pair.after),
      rules: [],
    };
  });
  const count = (wanted: string) => rows.filter((row) => row.class === wanted).length;
  return {
    partition: sample.partition,
    once: once.map(column),
    compared: compared.map(column),
    rows: rows.sort((a, b) => rank(a) - rank(b)).slice(0, MOST_SHOWN),
    counts: {
      old: sample.old.length,
      new: sample.new.length,
      changed: count('changed'),
      removed: count('removed'),
      added: count('added'),
    },
    errors: sample.errors.slice(0, 10),
    cut: sample.old.length >= MOST_SAMPLED,
  };
}

/** What differs comes first. */
const rank = (row: RowDiffRow) => (row.class === 'equal' ? 1 : 0);
