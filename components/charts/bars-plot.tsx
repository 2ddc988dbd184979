'use client';

import { useMemo } from 'react';
import { Bar, BarChart, CartesianGrid, LabelList, Tooltip, XAxis, YAxis } from 'recharts';
import { figureText } from '@/components/ui/figure-text';
import type { BarPoint } from './bars';
import { AXIS, GRID, shortTick, TICK, tooltipOf } from './chart-parts';

/** The drawn part of `Bars`. */
export function BarsPlot({
  label,
  points,
  suffix,
  height,
}: {
  label: string;
  points: readonly BarPoint[];
  suffix: string;
  height: number;
}) {
  const data = useMemo(
    () => points.map((point) => ({ point, value: Number(point.value) })),
    [points],
  );
  const tip = useMemo(
    () =>
      tooltipOf<BarPoint>((point) => ({
        head: point.name ?? point.label,
        lines: [['', figureText(point.value) + suffix]],
      })),
    [suffix],
  );
  return (
    <BarChart
      responsive
      style={{ width: '100%', height }}
      data={data}
      margin={{ top: 20, right: 4, bottom: 0, left: 0 }}
      barCategoryGap="22%"
      title={label}
    >
      <CartesianGrid {...GRID} />
      <XAxis
        {...AXIS}
        dataKey="point.label"
        interval={points.length <= 6 ? 0 : 'preserveStartEnd'}
        minTickGap={8}
      />
      <YAxis {...AXIS} width={44} tickFormatter={shortTick} allowDecimals={false} />
      <Tooltip content={tip} cursor={{ fill: 'var(--hover)' }} isAnimationActive={false} />
      <Bar
        dataKey="value"
        fill="var(--ink-2)"
        radius={[2, 2, 0, 0]}
        maxBarSize={28}
        isAnimationActive={false}
      >
        {points.length <= 16 && (
          <LabelList
            dataKey="value"
            position="top"
            {...TICK}
            formatter={(value) => (Number(value) === 0 ? '' : shortTick(Number(value)))}
          />
        )}
      </Bar>
    </BarChart>
  );
}
