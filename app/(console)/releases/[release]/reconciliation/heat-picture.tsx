'use client';

import { useRouter } from 'next/navigation';
import { useMemo } from 'react';
import { DiffHeatmap, type HeatSelection } from '@/components/charts/diff-heatmap';
import { useEdges } from '@/components/hooks/use-edges';
import { ButtonLink } from '@/components/ui/button';
import type { PackedEdges } from '@/lib/domain/edge-runs';
import { type PackedHeat, unpackHeat } from '@/lib/domain/packed-heat';
import { address } from '../../../_parts/search';
import type { DiffFilter } from './row-diff-section';

/**
 * The picture of differences: what is selected in it is what the rows below are of, and can be drawn
 * again by itself, larger.
 */
export function HeatPicture({
  release,
  filter,
  packed,
  heat,
}: {
  release: string;
  filter: DiffFilter;
  /** Of the groups of partitions. */
  packed: PackedEdges;
  heat: PackedHeat;
}) {
  const router = useRouter();
  const edges = useEdges(packed);
  const cells = useMemo(() => unpackHeat(heat), [heat]);
  const groups = edges.utc.length - 1;
  const to = (values: Partial<DiffFilter>, hash = '') => {
    const next = { ...filter, partition: undefined, cursor: undefined, ...values };
    return address(`/releases/${release}/reconciliation`, next, hash);
  };
  const place = ({ from, to: until, bucket }: HeatSelection) => ({
    from: edges.utc[from],
    to: edges.utc[until],
    bucket: bucket === null ? undefined : String(bucket),
  });
  const selection = selected(edges.utc, filter);
  const zoomed = filter.heatFrom !== undefined;
  const whole = selection?.from === 0 && selection.to === groups;
  return (
    <>
      <div className="row s m heat-tools">
        <span>
          {selection
            ? 'The rows below are of what is selected.'
            : 'Press a cell, or drag over several partitions, to see their rows.'}
        </span>
        <span className="push row">
          {selection && groups > 1 && !whole && (
            <ButtonLink
              size="sm"
              icon="plus"
              scroll={false}
              href={to({ heatFrom: edges.utc[selection.from], heatTo: edges.utc[selection.to] })}
            >
              Zoom in
            </ButtonLink>
          )}
          {zoomed && (
            <ButtonLink
              size="sm"
              icon="fit"
              scroll={false}
              href={to({ heatFrom: undefined, heatTo: undefined })}
            >
              All partitions
            </ButtonLink>
          )}
        </span>
      </div>
      <DiffHeatmap
        edges={edges}
        partitions={groups}
        cells={cells}
        selection={selection}
        onSelect={(next) => router.push(to(place(next)), { scroll: false })}
        hrefOf={(at, bucket) => to(place({ from: at, to: at + 1, bucket }), '#diff')}
      />
    </>
  );
}

/** The groups that the rows below are of, where they are not of all. */
function selected(edges: readonly string[], filter: DiffFilter): HeatSelection | null {
  const from = filter.partition ?? filter.from;
  if (from === undefined && filter.bucket === undefined) return null;
  const last = edges.length - 1;
  const at =
    from === undefined
      ? 0
      : Math.max(
          0,
          edges.findLastIndex((edge) => edge <= from),
        );
  const { to } = filter;
  const end = to === undefined ? last : edges.findIndex((edge) => edge >= to);
  return {
    from: Math.min(at, last - 1),
    to: filter.partition ? at + 1 : end <= at ? last : end,
    bucket: filter.bucket === undefined ? null : Number(filter.bucket),
  };
}
