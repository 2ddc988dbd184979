'use client';

import { useMemo } from 'react';
import { CartesianGrid, ComposedChart, Line, Tooltip, XAxis, YAxis } from 'recharts';
import { figureText } from '@/components/ui/figure-text';
import { AXIS, ChartFrame, GRID, shortTick, tooltipOf } from './chart-parts';

export interface ThroughputPoint {
  /** RFC 3339 instant; names the point. */
  utc: string;
  /** The time in the dataset's zone, as it is shown: "09:19:40". */
  text: string;
  /** Rows (or events) per second. */
  rate: number;
  /** Partitions (or events) that wait. */
  queue?: number;
}

/**
 * Throughput over time as a solid line, what waits as a dashed one on an axis of its own. Straight
 * between the measurements: nothing is smoothed into values that were never measured.
 */
export function ThroughputChart({
  label,
  points,
  rateUnit = 'rows/s',
  queueUnit = 'waiting',
  height = 160,
}: {
  label: string;
  points: readonly ThroughputPoint[];
  rateUnit?: string;
  queueUnit?: string;
  height?: number;
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
    <ChartFrame
      label={label}
      heads={queued ? ['Time', rateUnit, queueUnit] : ['Time', rateUnit]}
      rows={points.map((p) => [
        p.text,
        figureText(Math.round(p.rate)),
        ...(queued ? [p.queue === undefined ? '' : figureText(p.queue)] : []),
      ])}
    >
      <div className="leg s" aria-hidden="true">
        <LineKey text={rateUnit} />
        {queued && <LineKey text={queueUnit} dashed />}
      </div>
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
    </ChartFrame>
  );
}

function LineKey({ text, dashed = false }: { text: string; dashed?: boolean }) {
  return (
    <span>
      <svg className="chart" width="18" height="8" style={{ width: 18 }} focusable="false">
        <title>{text}</title>
        <path className={dashed ? 'o' : 'a'} d="M0 4h18" />
      </svg>
      {text}
    </span>
  );
}
