'use client';

import { figureText } from '@/components/ui/figure-text';
import { onDemand } from '@/components/ui/on-demand';
import { ChartFrame } from './chart-parts';
import { WhenSeen } from './when-seen';

const Plot = onDemand(async () => (await import('./bars-plot')).BarsPlot);

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
  const suffix = unit && ` ${unit}`;
  return (
    <ChartFrame
      label={label}
      heads={[groupHead, unit || 'Value']}
      rows={points.map((p) => [p.name ?? p.label, figureText(p.value) + suffix])}
    >
      <WhenSeen height={height}>
        <Plot label={label} points={points} suffix={suffix} height={height} />
      </WhenSeen>
    </ChartFrame>
  );
}
