'use client';

import { Suspense, useMemo, useState } from 'react';
import type { PartitionStateName } from '@/components/release/states';
import { onDemand } from '@/components/ui/on-demand';
import { Segmented } from '@/components/ui/segmented';
import { CalendarCanvas } from './calendar-canvas';
import type { CalendarUnit } from './calendar-grid';
import { CalendarLegend, keptCodes } from './calendar-legend';
import type { Edges, OddPartition, Stretch } from './partition-cells';

export type { OddPartition } from './partition-cells';

const CalendarTable = onDemand(async () => (await import('./calendar-table')).CalendarTable);

/**
 * The calendar of a plan: every partition is one cell, by state; legend with counts that filters;
 * a table of the same always beside it. Smooth at 50,000 partitions: only what is in view is drawn.
 *
 * Selection and filter may be left to the component or held by the page (in the URL): give both the
 * value and the callback then.
 */
export function Calendar({
  unit,
  edges,
  states,
  odd = [],
  oddLabel,
  selected,
  range,
  onSelect,
  onRange,
  filter,
  onFilter,
  hrefBase,
  noteOf,
  label = 'Partitions',
}: {
  unit: CalendarUnit;
  /** Both ends of every partition, n + 1 each. */
  edges: Edges;
  /** One code per partition, see `cellCodes`. */
  states: string;
  odd?: readonly OddPartition[];
  oddLabel?: string;
  /** Index of the partition whose details are shown, -1 for none. */
  selected?: number;
  /** Given, null for none, where several can be selected by a drag; they come by `onRange`. */
  range?: Stretch | null;
  /** A cell was pressed, or Enter on it. */
  onSelect?: (index: number) => void;
  /** The label of a month, day or year was pressed, or several dragged over: half-open. */
  onRange?: (from: number, to: number) => void;
  filter?: PartitionStateName | null;
  onFilter?: (state: PartitionStateName | null) => void;
  /** The table's rows link to this with the partition's start instant after it. */
  hrefBase?: string;
  /** More to say of a partition than its state, in the tooltip and the table: "12 rows". */
  noteOf?: (index: number) => string | undefined;
  label?: string;
}) {
  const [ownSelected, setOwnSelected] = useState(-1);
  const [ownFilter, setOwnFilter] = useState<PartitionStateName | null>(null);
  const [view, setView] = useState<'calendar' | 'table'>('calendar');
  const shown = filter === undefined ? ownFilter : filter;
  const chosen = selected ?? ownSelected;
  const kept = useMemo(() => keptCodes(shown), [shown]);
  const select = (index: number) => {
    setOwnSelected(index);
    onSelect?.(index);
  };
  return (
    <div className="cal">
      <div className="cal-head">
        <CalendarLegend
          states={states}
          oddCount={odd.length}
          oddLabel={oddLabel}
          filter={shown}
          onFilter={(state) => {
            setOwnFilter(state);
            onFilter?.(state);
          }}
        />
        <Segmented
          label="View"
          value={view}
          onChange={setView}
          options={[
            { value: 'calendar', label: 'Calendar' },
            { value: 'table', label: 'Table' },
          ]}
        />
      </div>
      {view === 'calendar' ? (
        <CalendarCanvas
          unit={unit}
          edges={edges}
          states={states}
          odd={odd}
          selected={chosen}
          range={range}
          kept={kept}
          label={label}
          noteOf={noteOf}
          onSelect={select}
          onRange={onRange}
        />
      ) : (
        <Suspense>
          <CalendarTable
            edges={edges}
            states={states}
            odd={odd}
            selected={chosen}
            kept={kept}
            label={label}
            hrefBase={hrefBase}
            noteOf={noteOf}
            onSelect={select}
          />
        </Suspense>
      )}
    </div>
  );
}
