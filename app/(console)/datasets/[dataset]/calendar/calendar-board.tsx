'use client';

import { useQueryStates } from 'nuqs';
import { useTransition } from 'react';
import { Calendar, type OddPartition } from '@/components/charts/calendar';
import { Strip } from '@/components/charts/strip';
import { useEdges } from '@/components/hooks/use-edges';
import { Panel } from '@/components/ui/panel';
import type { PackedEdges } from '@/lib/domain/edge-runs';
import type { PartitionUnit } from '@/lib/domain/partition-plan';
import { rowsText } from '../../../runs/words';
import { calendarSearch } from './search';

/** By place: from…to, half-open, with whose claim it is. */
type Claim = readonly [from: number, to: number, owner: string];

/**
 * Calendar and strip of a dataset. What is selected stands in the address, as instants: a link goes
 * on meaning the same when more partitions have come.
 */
export function CalendarBoard({
  dataset,
  unit,
  packed,
  states,
  rows,
  claims,
  odd,
  oddLabel,
}: {
  dataset: string;
  unit: PartitionUnit;
  packed: PackedEdges;
  /** One code per partition, see `lib/domain/gaps`. */
  states: string;
  /** Row counts as texts, null where figures are being recomputed; null where there are too many. */
  rows: readonly (string | null)[] | null;
  claims: readonly Claim[];
  odd: readonly OddPartition[];
  oddLabel: string;
}) {
  const [pending, startTransition] = useTransition();
  const [search, setSearch] = useQueryStates(calendarSearch, {
    shallow: false,
    scroll: false,
    startTransition,
  });
  const edges = useEdges(packed);
  const from = search.from === null ? -1 : edges.utc.indexOf(search.from);
  const to = search.to === null ? -1 : edges.utc.indexOf(search.to);
  const range = from >= 0 && to > from ? { from, to } : null;
  const one = range !== null && range.to === range.from + 1;

  const select = (next: { from: number; to: number } | null) =>
    void setSearch({
      from: next === null ? null : (edges.utc[next.from] ?? null),
      to: next === null ? null : (edges.utc[next.to] ?? null),
    });
  const noteOf = (at: number) => {
    const count = rows?.[at];
    const claim = claims.find(([first, end]) => at >= first && at < end);
    const words = [
      rows === null ? '' : count == null ? 'being counted' : rowsText(count),
      claim ? `claimed by ${claim[2]}` : '',
    ];
    return words.filter(Boolean).join(', ') || undefined;
  };
  return (
    <Panel label="Calendar">
      <div aria-busy={pending}>
        <Calendar
          unit={unit}
          edges={edges}
          states={states}
          odd={odd}
          oddLabel={oddLabel}
          label={`Partitions of ${dataset}`}
          selected={one ? range.from : -1}
          range={one ? null : range}
          onSelect={(at) => select({ from: at, to: at + 1 })}
          onRange={(first, end) => select({ from: first, to: end })}
          noteOf={noteOf}
          filter={search.state}
          // the calendar fades the others by itself: nothing is read anew
          onFilter={(state) =>
            void setSearch({ state: state as typeof search.state }, { shallow: true })
          }
        />
        <div className="sub">
          <Strip edges={edges} states={states} selection={range} onSelect={select} />
        </div>
      </div>
    </Panel>
  );
}
