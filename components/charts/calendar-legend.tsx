'use client';

import { PARTITION_LOOKS, type PartitionStateName } from '@/components/release/states';
import { figureText } from '@/components/ui/figure-text';
import { CellSwatch } from './cell-swatch';
import { CELL_STATES, cellCode, cellCounts } from './partition-cells';

/**
 * The legend of calendar and strip: every state that occurs, with its count. A press keeps that
 * state and fades the others; another press shows all again. "Built" counts those without rows too.
 */
export function CalendarLegend({
  states,
  oddCount = 0,
  oddLabel = '23 h or 25 h',
  filter,
  onFilter,
}: {
  states: string;
  /** How many partitions have an unusual length. */
  oddCount?: number;
  oddLabel?: string;
  filter: PartitionStateName | null;
  onFilter: (state: PartitionStateName | null) => void;
}) {
  const counts = cellCounts(states);
  const countOf = (state: PartitionStateName) =>
    (counts.get(cellCode(state)) ?? 0) + (state === 'built' ? (counts.get('e') ?? 0) : 0);
  const present = CELL_STATES.filter((state) => countOf(state) > 0);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset brings a frame of its own.
    <div className="leg" role="group" aria-label="States, a press keeps one">
      {present.map((state) => (
        <button
          key={state}
          type="button"
          aria-pressed={filter === state}
          onClick={() => onFilter(filter === state ? null : state)}
        >
          <CellSwatch code={cellCode(state)} />
          {PARTITION_LOOKS[state].label} <b>{figureText(countOf(state))}</b>
        </button>
      ))}
      {oddCount > 0 && (
        <span>
          <CellSwatch code="odd" />
          {oddLabel} <b>{figureText(oddCount)}</b>
        </span>
      )}
    </div>
  );
}

/** The codes that a filter keeps. */
export function keptCodes(filter: PartitionStateName | null): ReadonlySet<string> | null {
  if (filter === null) return null;
  return new Set(filter === 'built' ? ['b', 'e'] : [cellCode(filter)]);
}
