'use client';

import { useQueryStates } from 'nuqs';
import { useTransition } from 'react';
import { Calendar, type OddPartition } from '@/components/charts/calendar';
import { Strip } from '@/components/charts/strip';
import { useEdges } from '@/components/hooks/use-edges';
import { Panel } from '@/components/ui/panel';
import type { PackedEdges } from '@/lib/domain/edge-runs';
import type { PartitionUnit } from '@/lib/domain/partition-plan';
import { coverageSearch } from './search';

/** Calendar and strip of a plan. What is selected stands in the address; the details follow it. */
export function CoverageBoard({
  unit,
  packed,
  states,
  odd,
  oddLabel,
  release,
}: {
  unit: PartitionUnit;
  packed: PackedEdges;
  states: string;
  odd: readonly OddPartition[];
  oddLabel: string;
  release: string;
}) {
  const [pending, startTransition] = useTransition();
  const [search, setSearch] = useQueryStates(coverageSearch, {
    shallow: false,
    scroll: false,
    startTransition,
  });
  const edges = useEdges(packed);
  const selected = search.partition === null ? -1 : edges.utc.indexOf(search.partition);
  const selection =
    search.from !== null && search.to !== null && search.from < search.to
      ? { from: search.from, to: Math.min(search.to, states.length) }
      : null;
  return (
    <Panel label="Coverage">
      <div aria-busy={pending}>
        <Calendar
          unit={unit}
          edges={edges}
          states={states}
          odd={odd}
          oddLabel={oddLabel}
          label={`Partitions of ${release}`}
          selected={selected >= states.length ? -1 : selected}
          onSelect={(index) => void setSearch({ partition: edges.utc[index] ?? null })}
          onRange={(from, to) => void setSearch({ from, to })}
          filter={search.state}
          // the calendar fades the others by itself: nothing is read anew
          onFilter={(state) =>
            void setSearch({ state: state as typeof search.state }, { shallow: true })
          }
        />
        <div className="sub">
          <Strip
            edges={edges}
            states={states}
            selection={selection}
            onSelect={(next) => void setSearch({ from: next?.from ?? null, to: next?.to ?? null })}
          />
        </div>
      </div>
    </Panel>
  );
}
