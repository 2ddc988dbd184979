import { decimalText, readDecimal, shortest } from './decimal';

/** How long one reading of a report may take unless its author says otherwise, and at most. */
export const REPORT_LIMIT = { usual: 30, most: 600 } as const;
/** A report sums up; more rows than this are not compared. */
export const MOST_REPORT_ROWS = 10_000;
export const MOST_REPORT_BYTES = 16_000_000;
/** How many of the rows that differ are kept. */
export const MOST_REPORT_SAMPLES = 50;

/** A row of a result as PostgreSQL's texts; NULL is null. */
export type ReportRow = readonly (string | null)[];

/** Rows that are not the same on both: a change, or one that only one side has. */
export interface ReportDifference {
  readonly old: ReportRow | null;
  readonly new: ReportRow | null;
}

/** Equal rows are equal texts, whatever scale their numerics have: `1.50` is `1.5`. */
export function plainRow(row: ReportRow, types: readonly string[]): ReportRow {
  return row.map((value, i) => {
    if (value === null || types[i] !== 'numeric') return value;
    const decimal = readDecimal(value);
    return decimal === null ? value : decimalText(shortest(decimal));
  });
}

/**
 * Compares the results that a report has on two generations. Where its key is known, rows of the
 * same key are held against each other; otherwise equal rows cancel out, as often as they come.
 *
 * @param types of the columns, as the report's check says them
 * @param key positions of the columns that together name a row; null where none are known to
 */
export function compareReports(
  types: readonly string[],
  key: readonly number[] | null,
  old: readonly ReportRow[],
  fresh: readonly ReportRow[],
): ReportDifference[] {
  const nameOf = (row: ReportRow) =>
    JSON.stringify(key === null ? row : key.map((i) => row[i] ?? null));
  const waiting = new Map<string, { row: ReportRow; plain: ReportRow }[]>();
  for (const row of old) {
    const plain = plainRow(row, types);
    const name = nameOf(plain);
    waiting.set(name, [...(waiting.get(name) ?? []), { row, plain }]);
  }
  const differences: ReportDifference[] = [];
  for (const row of fresh) {
    const plain = plainRow(row, types);
    const met = waiting.get(nameOf(plain))?.shift();
    if (met === undefined) differences.push({ old: null, new: row });
    else if (!met.plain.every((value, i) => value === plain[i])) {
      differences.push({ old: met.row, new: row });
    }
  }
  for (const left of waiting.values()) {
    for (const { row } of left) differences.push({ old: row, new: null });
  }
  return differences;
}
