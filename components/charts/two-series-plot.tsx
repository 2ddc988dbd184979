'use client';

import { useMemo } from 'react';
import { Bar, BarChart, CartesianGrid, ReferenceLine, Tooltip, XAxis, YAxis } from 'recharts';
import { figureText } from '@/components/ui/figure-text';
import { AXIS, GRID, shortTick, TICK, tooltipOf } from './chart-parts';
import type { TwoSeriesPoint } from './two-series-bars';

/** The drawn part of `TwoSeriesBars`. */
export function TwoSeriesPlot({
  label,
  points,
  suffix,
  limit,
  names,
  height,
}: {
  label: string;
  points: readonly TwoSeriesPoint[];
  suffix: string;
  limit?: { value: number; text: string } | undefined;
  names: readonly [old: string, fresh: string];
  height: number;
}) {
  const data = useMemo(
    () => points.map((point) => ({ point, old: Number(point.old), new: Number(point.new) })),
    [points],
  );
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
  );
}
