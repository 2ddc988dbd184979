'use client';

import type { ReactNode } from 'react';
import type { TooltipContentProps } from 'recharts';
import { figureText } from '@/components/ui/figure-text';

/** Ticks of every chart: 11 px, quiet, no line of their own. */
export const TICK = { fontSize: 11, fill: 'var(--ink-3)' };
export const AXIS = { axisLine: false, tickLine: false, tick: TICK } as const;
export const GRID = { stroke: 'var(--line)', vertical: false } as const;

/** "1.2 k", "340 k", "2 M": axes have room for little; exact figures are in tooltip and table. */
export function shortTick(value: number): string {
  const size = Math.abs(value);
  if (size >= 1_000_000) return `${Number((value / 1_000_000).toFixed(1))} M`;
  if (size >= 10_000) return `${Number((value / 1000).toFixed(1))} k`;
  return figureText(value);
}

/**
 * The words that float over a point. `lines` gets the point's own record back, with its exact
 * texts: the chart's numbers are for its geometry only.
 */
export function tooltipOf<Point>(
  lines: (point: Point) => { head: string; lines: readonly [name: string, text: string][] },
) {
  return ({ active, payload }: TooltipContentProps): ReactNode => {
    const point = payload[0]?.payload as { point: Point } | undefined;
    if (!active || !point) return null;
    const { head, lines: rows } = lines(point.point);
    return (
      <div className="tip">
        <b>{head}</b>
        {rows.map(([name, text]) => (
          <span key={name}>
            {name} {text}
          </span>
        ))}
      </div>
    );
  };
}

/** A chart with its name and, for those who do not see it, its figures as a table. */
export function ChartFrame({
  label,
  heads,
  rows,
  children,
}: {
  label: string;
  heads: readonly string[];
  rows: readonly (readonly string[])[];
  children: ReactNode;
}) {
  return (
    <figure className="chart-frame" aria-label={label}>
      {children}
      <table className="sr">
        <caption>{label}</caption>
        <thead>
          <tr>
            {heads.map((head) => (
              <th key={head} scope="col">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row[0]}>
              {row.map((text, at) => (
                <td key={heads[at]}>{text}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </figure>
  );
}
