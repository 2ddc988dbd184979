'use client';

import { useMemo } from 'react';
import { Bar, BarChart, CartesianGrid, ReferenceLine, Tooltip, XAxis, YAxis } from 'recharts';
import { figureText } from '@/components/ui/figure-text';
import { AXIS, ChartFrame, GRID, shortTick, TICK, tooltipOf } from './chart-parts';

export interface TwoSeriesPoint {
  /** The group: a month, a column. */
  label: string;
  /** Exact texts or counts; they become numbers only for the height of the bars. */
  old: string | number;
  new: string | number;
}

/**
 * Two distributions beside each other: old hollow, new solid, so that they differ without colour.
 * `limit` draws a line with its word; `unit` stands after the figures ("%", "rows").
 */
export function TwoSeriesBars({
  label,
  points,
  unit = '',
  limit,
  names = ['old', 'new'],
  height = 160,
}: {
  label: string;
  points: readonly TwoSeriesPoint[];
  unit?: string;
  limit?: { value: number; text: string };
  names?: readonly [old: string, fresh: string];
  height?: number;
}) {
  const data = useMemo(
    () => points.map((point) => ({ point, old: Number(point.old), new: Number(point.new) })),
    [points],
  );
  const suffix = unit && ` ${unit}`;
  const tip = useMemo(
    () =>
      tooltipOf<TwoSeriesPoint>((point) => ({
        head: point.label,
        lines: [
          [names[0], figureText(point.old) + suffix],
          [names[1], figureText(point.new) + suffix],
        ],
      })),
    [names, suffix],
  );
  return (
    <ChartFrame
      label={label}
      heads={['Group', names[0], names[1]]}
      rows={points.map((p) => [p.label, figureText(p.old) + suffix, figureText(p.new) + suffix])}
    >
      <SeriesKey names={names} />
      <BarChart
        responsive
        style={{ width: '100%', height }}
        data={data}
        margin={{ top: 8, right: 4, bottom: 0, left: 0 }}
        barGap={1}
        barCategoryGap="22%"
        title={label}
      >
        <CartesianGrid {...GRID} />
        <XAxis {...AXIS} dataKey="point.label" interval="preserveStartEnd" minTickGap={8} />
        <YAxis {...AXIS} width={44} tickFormatter={shortTick} allowDecimals />
        <Tooltip content={tip} cursor={{ fill: 'var(--hover)' }} isAnimationActive={false} />
        {limit && (
          <ReferenceLine
            y={limit.value}
            stroke="var(--edge)"
            strokeDasharray="3 3"
            ifOverflow="extendDomain"
            label={{ ...TICK, value: limit.text, position: 'insideTopRight' }}
          />
        )}
        <Bar
          dataKey="old"
          fill="var(--surface)"
          stroke="var(--edge)"
          strokeWidth={1}
          radius={[2, 2, 0, 0]}
          maxBarSize={18}
          isAnimationActive={false}
        />
        <Bar
          dataKey="new"
          fill="var(--ink-2)"
          radius={[2, 2, 0, 0]}
          maxBarSize={18}
          isAnimationActive={false}
        />
      </BarChart>
    </ChartFrame>
  );
}

function SeriesKey({ names }: { names: readonly [string, string] }) {
  return (
    <div className="leg s" aria-hidden="true">
      <span>
        <i className="key hollow" />
        {names[0]}
      </span>
      <span>
        <i className="key strong" />
        {names[1]}
      </span>
    </div>
  );
}
