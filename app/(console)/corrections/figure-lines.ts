import type { FiguresDelta, PartitionFigures } from '@/lib/domain/correction';

/** One figure of a partition over several sides, exact text; null where there was no value. */
export interface FigureLine {
  /** `rows`, `sum net`, `rollup tax`: as the address names it. */
  key: string;
  name: string;
  kind: '' | 'conserved' | 'rollup';
  values: (string | null)[];
  /** Null where a difference means nothing. */
  delta: string | null;
}

type Sides = Omit<PartitionFigures, 'root' | 'rows'> & { rows: number | string };
type Difference = Omit<FiguresDelta, 'rows'> & { rows: number | string };

/**
 * Rows, conserved sums and rollups of some sides, a line for each. A rollup that a conserved sum is
 * named like is the same figure, and is told once.
 */
export function figureLines(
  sides: readonly Sides[],
  delta: Difference,
  figure?: string | undefined,
): FigureLine[] {
  const sums = namesOf(sides.map((side) => side.sums));
  const partials = namesOf(sides.map((side) => side.partials)).filter(
    (name) => !sums.includes(name),
  );
  const lines: FigureLine[] = [
    {
      key: 'rows',
      name: 'rows',
      kind: '',
      values: sides.map(({ rows }) => String(rows)),
      delta: String(delta.rows),
    },
    ...sums.map(
      (name): FigureLine => ({
        key: `sum ${name}`,
        name,
        kind: 'conserved',
        values: sides.map((side) => side.sums[name] ?? null),
        delta: delta.sums[name] ?? null,
      }),
    ),
    ...partials.map(
      (name): FigureLine => ({
        key: `rollup ${name}`,
        name,
        kind: 'rollup',
        values: sides.map((side) => side.partials[name] ?? null),
        delta: delta.partials[name] ?? null,
      }),
    ),
  ];
  return figure === undefined ? lines : lines.filter(({ key }) => key === figure);
}

const namesOf = (records: readonly Record<string, string | null>[]) =>
  [...new Set(records.flatMap((record) => Object.keys(record)))].sort();

/** The figures that a filter can choose among. */
export function figureKeys({ sums, partials }: { sums: string[]; partials: string[] }) {
  return [
    { value: 'rows', label: 'rows' },
    ...sums.map((name) => ({ value: `sum ${name}`, label: `${name}, conserved` })),
    ...partials
      .filter((name) => !sums.includes(name))
      .map((name) => ({ value: `rollup ${name}`, label: `${name}, rollup` })),
  ];
}
