/**
 * A small line of values in a row of a table. Plain SVG instead of a chart library, because a table
 * has one per row and it renders on the server. The scale begins at 0.
 */
export function Sparkline({
  values,
  label,
  width = 96,
  height = 20,
}: {
  values: readonly number[];
  /** What it shows, with its last value: "lag, last 4 s". */
  label: string;
  width?: number;
  height?: number;
}) {
  const path = sparkPath(values, width, height);
  return (
    <svg
      className="chart spark"
      width={width}
      height={height}
      style={{ width, height }}
      role="img"
      aria-label={label}
    >
      <path className="g" d={`M0 ${height - 0.5}H${width}`} />
      {path && <path className="a" d={path} />}
    </svg>
  );
}

/** The path of the values over the whole width, from 0 at the bottom; empty without values. */
export function sparkPath(values: readonly number[], width: number, height: number): string {
  if (values.length === 0) return '';
  const most = Math.max(...values, Number.MIN_VALUE);
  const step = values.length > 1 ? (width - 2) / (values.length - 1) : 0;
  const y = (value: number) => height - 2 - (Math.max(0, value) / most) * (height - 4);
  const points = values.map((value, at) => `${(1 + at * step).toFixed(1)} ${y(value).toFixed(1)}`);
  return points.length === 1
    ? `M1 ${y(values[0] ?? 0).toFixed(1)}h${width - 2}`
    : `M${points.join('L')}`;
}
