'use client';

import Link from 'next/link';
import { useMemo } from 'react';
import { StateBadge } from '@/components/release/state-badge';
import { Tag } from '@/components/ui/tag';
import { VirtualTable } from '@/components/ui/virtual-table';
import {
  cellState,
  type Edges,
  intervalText,
  intervalUtc,
  type OddPartition,
} from './partition-cells';

/** The calendar as a table, filtered alike. */
export function CalendarTable({
  edges,
  states,
  odd,
  selected,
  kept,
  label,
  hrefBase,
  noteOf,
  onSelect,
}: {
  edges: Edges;
  states: string;
  odd: readonly OddPartition[];
  selected: number;
  kept: ReadonlySet<string> | null;
  label: string;
  hrefBase?: string;
  noteOf?: (index: number) => string | undefined;
  onSelect: (index: number) => void;
}) {
  const rows = useMemo(() => {
    const all = Array.from({ length: states.length }, (_, at) => at);
    return kept ? all.filter((at) => kept.has(states[at] ?? '')) : all;
  }, [states, kept]);
  const lengths = useMemo(() => new Map(odd.map((one) => [one.index, one.text])), [odd]);
  const place = rows.indexOf(selected);
  return (
    <VirtualTable
      label={`${label}, ${edges.zone}`}
      count={rows.length}
      columns={[
        { key: 'partition', head: `Partition, ${edges.zone}`, width: noteOf ? '44%' : '60%' },
        { key: 'state', head: 'State', width: noteOf ? '24%' : '40%' },
        ...(noteOf ? [{ key: 'note', head: 'Holds', width: '32%' }] : []),
      ]}
      selected={place}
      showIndex={place < 0 ? undefined : place}
      rowKey={(row) => edges.utc[rows[row] ?? 0] ?? String(row)}
      row={(row) => {
        const at = rows[row] ?? 0;
        const text = intervalText(edges, at).replace(` ${edges.zone}`, '');
        const length = lengths.get(at);
        const title = intervalUtc(edges, at);
        return [
          <span key="partition" className="row" title={title}>
            {hrefBase ? (
              <Link href={`${hrefBase}${encodeURIComponent(edges.utc[at] ?? '')}`} scroll={false}>
                {text}
              </Link>
            ) : (
              <button type="button" className="link" onClick={() => onSelect(at)}>
                {text}
              </button>
            )}
            {length && <Tag>{length}</Tag>}
          </span>,
          <StateBadge key="state" partition={cellState(states[at])} />,
          ...(noteOf ? [<span key="note">{noteOf(at)}</span>] : []),
        ];
      }}
    />
  );
}
