'use client';

import { figureText } from '@/components/ui/figure-text';
import { onDemand } from '@/components/ui/on-demand';
import { ChartFrame } from './chart-parts';
import { WhenSeen } from './when-seen';

const Plot = onDemand(async () => (await import('./two-series-plot')).TwoSeriesPlot);

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
  const suffix = unit && ` ${unit}`;
  return (
    <ChartFrame
      label={label}
      heads={['Group', names[0], names[1]]}
      rows={points.map((p) => [p.label, figureText(p.old) + suffix, figureText(p.new) + suffix])}
    >
      <SeriesKey names={names} />
      <WhenSeen height={height}>
        <Plot
          label={label}
          points={points}
          suffix={suffix}
          limit={limit}
          names={names}
          height={height}
        />
      </WhenSeen>
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
