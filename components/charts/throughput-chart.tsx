'use client';

import { figureText } from '@/components/ui/figure-text';
import { onDemand } from '@/components/ui/on-demand';
import { ChartFrame } from './chart-parts';
import { WhenSeen } from './when-seen';

const Plot = onDemand(async () => (await import('./throughput-plot')).ThroughputPlot);

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
      <WhenSeen height={height}>
        <Plot
          label={label}
          points={points}
          rateUnit={rateUnit}
          queueUnit={queueUnit}
          height={height}
        />
      </WhenSeen>
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
