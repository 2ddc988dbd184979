'use client';

import { useMemo } from 'react';
import { CartesianGrid, ComposedChart, Line, Tooltip, XAxis, YAxis } from 'recharts';
import { figureText } from '@/components/ui/figure-text';
import { AXIS, GRID, shortTick, tooltipOf } from './chart-parts';
import type { ThroughputPoint } from './throughput-chart';

/** The drawn part of `ThroughputChart`. */
export function ThroughputPlot({
  label,
  points,
  rateUnit,
  queueUnit,
  height,
}: {
  label: string;
  points: readonly ThroughputPoint[];
  rateUnit: string;
  queueUnit: string;
  height: number;
}) {
  const queued = points.some((point) => point.queue !== undefined);
  const data = useMemo(
    () => points.map((point) => ({ point, rate: point.rate, queue: point.queue })),
    [points],
  );
  const tip = useMemo(
    () =>
      tooltipOf<ThroughputPoint>((point) => ({
        head: point.text,
        lines: [
          ['', `${figureText(Math.round(point.rate))} ${rateUnit}`],
          ...(point.queue === undefined
            ? []
            : [[' ', `${figureText(point.queue)} ${queueUnit}`] as [string, string]]),
        ],
      })),
    [rateUnit, queueUnit],
  );
  return (
    <ComposedChart
      responsive
      style={{ width: '100%', height }}
      data={data}
      margin={{ top: 8, right: 4, bottom: 0, left: 0 }}
      title={label}
    >
      <CartesianGrid {...GRID} />
      <XAxis {...AXIS} dataKey="point.text" interval="preserveStartEnd" minTickGap={32} />
      <YAxis {...AXIS} yAxisId="rate" width={44} tickFormatter={shortTick} />
      {queued && (
        <YAxis
          {...AXIS}
          yAxisId="queue"
          orientation="right"
          width={44}
          tickFormatter={shortTick}
          allowDecimals={false}
        />
      )}
      <Tooltip content={tip} cursor={{ stroke: 'var(--edge)' }} isAnimationActive={false} />
      <Line
        yAxisId="rate"
        dataKey="rate"
        type="linear"
        stroke="var(--ink)"
        strokeWidth={1.5}
        dot={false}
        isAnimationActive={false}
      />
      {queued && (
        <Line
          yAxisId="queue"
          dataKey="queue"
          type="linear"
          stroke="var(--edge)"
          strokeWidth={1.5}
          strokeDasharray="3 3"
          dot={false}
          isAnimationActive={false}
        />
      )}
    </ComposedChart>
  );
}
