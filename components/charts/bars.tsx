'use client';

import { useMemo } from 'react';
import { Bar, BarChart, CartesianGrid, LabelList, Tooltip, XAxis, YAxis } from 'recharts';
import { figureText } from '@/components/ui/figure-text';
import { AXIS, ChartFrame, GRID, shortTick, TICK, tooltipOf } from './chart-parts';

export interface BarPoint {
  /** The group: a month, a band of durations. */
  label: string;
  /** Exact text or count; it becomes a number only for the height of the bar. */
  value: string | number;
  /** The group in full, for the tooltip and the table; the label where left out. */
  name?: string;
}

/** One distribution as solid bars; the counts stand over them where there is room. */
export function Bars({
  label,
  points,
  unit = '',
  groupHead = 'Group',
  height = 160,
}: {
  label: string;
  points: readonly BarPoint[];
  unit?: string;
  groupHead?: string;
  height?: number;
}) {
  const data = useMemo(
    () => points.map((point) => ({ point, value: Number(point.value) })),
    [points],
  );
  const suffix = unit && ` ${unit}`;
  const tip = useMemo(
    () =>
      tooltipOf<BarPoint>((point) => ({
        head: point.name ?? point.label,
        lines: [['', figureText(point.value) + suffix]],
      })),
    [suffix],
  );
  return (
    <ChartFrame
      label={label}
      heads={[groupHead, unit || 'Value']}
      rows={points.map((p) => [p.name ?? p.label, figureText(p.value) + suffix])}
    >
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
    </ChartFrame>
  );
}
