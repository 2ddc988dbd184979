import type { RowDiffColumn, RowDiffRow } from '@/components/release/row-diff';
import { countText, figureText } from '@/components/ui/figure-text';
import { instantFromPostgres } from '@/lib/domain/instant';
import { formatEdge } from '@/lib/domain/partition-label';
import type { ReportRow } from '@/lib/domain/report';
import type { ShadowReadView } from '@/lib/queries/reports';

type Compared = NonNullable<ShadowReadView['compared']>;

/** "11 rows, the same on both", or how many differ of how many. */
export function comparedWords({ old, new: fresh, differing }: Compared): string {
  if (differing === '0') {
    return old.rows === '0' ? 'no rows on either' : `${rowsText(old.rows)}, the same on both`;
  }
  const verb = differing === '1' ? 'differs' : 'differ';
  // without a key of its rows a report counts a change as a row gone and a row come
  if (old.rows === fresh.rows && BigInt(differing) <= BigInt(old.rows)) {
    return `${figureText(differing)} of ${rowsText(old.rows)} ${verb}`;
  }
  return `${rowsText(differing)} ${verb}; ${figureText(old.rows)} on the old, ${figureText(fresh.rows)} on the new`;
}

const rowsText = (count: string) => countText(Number(count), 'row');

export interface DifferenceTable {
  once: RowDiffColumn[];
  compared: RowDiffColumn[];
  rows: RowDiffRow[];
}

/**
 * The first rows that differ, as the row diff shows rows: columns that are equal on both sides of
 * each stand once, the others side by side.
 */
export function differenceTable(zone: string, { columns, sample }: Compared): DifferenceTable {
  const places = columns.map((_, at) => at);
  const equal = places.filter((at) =>
    sample.every(({ old, new: fresh }) => !old || !fresh || old[at] === fresh[at]),
  );
  // where each row is on one side only, it is compared whole
  const once = equal.length === columns.length ? [] : equal;
  const compared = places.filter((at) => !once.includes(at));
  const columnAt = (at: number): RowDiffColumn => ({
    name: columns[at] ?? '',
    number: isNumber(sample.flatMap(({ old, new: fresh }) => [old?.[at], fresh?.[at]])),
  });
  const texts = (row: ReportRow | null, of: readonly number[]) =>
    row && of.map((at) => cellText(zone, row[at] ?? null));
  return {
    once: once.map(columnAt),
    compared: compared.map(columnAt),
    rows: sample.map(({ old, new: fresh }, place) => ({
      key: String(place),
      class: old === null ? 'added' : fresh === null ? 'removed' : 'changed',
      once: texts(fresh ?? old, once) ?? [],
      old: texts(old, compared),
      control: null,
      new: texts(fresh, compared),
      rules: [],
    })),
  };
}

function isNumber(values: readonly (string | null | undefined)[]): boolean {
  const said = values.filter((value) => value !== null && value !== undefined);
  return said.length > 0 && said.every((value) => /^-?\d+(\.\d+)?$/.test(value));
}

const TIMESTAMPTZ = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d{1,6})?\+00$/;

/** An instant as the rest of the page says it; PostgreSQL writes it in UTC. */
const cellText = (zone: string, value: string | null) =>
  value !== null && TIMESTAMPTZ.test(value) ? formatEdge(zone, instantFromPostgres(value)) : value;
