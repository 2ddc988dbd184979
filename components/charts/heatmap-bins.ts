/** One bucket of one partition that differs: `[partition, bucket, rows, unexplained rows]`. */
export type HeatCell = readonly [
  partition: number,
  bucket: number,
  rows: number,
  unexplained?: number,
];

export interface HeatBins {
  columns: number;
  buckets: number;
  /** Rows per column and bucket: column * buckets + bucket; the largest of what shares a column. */
  rows: Float64Array;
  /** 1 where any of them holds an unexplained row. */
  unexplained: Uint8Array;
  /** The largest count, which the ramp ends at; at least 1. */
  most: number;
}

/**
 * Cells on a grid of at most `width` columns. Where there are more partitions than pixels several
 * share a column: it shows the largest count, and an unexplained row in any of them.
 */
export function heatBins(
  cells: readonly HeatCell[],
  partitions: number,
  buckets: number,
  width: number,
): HeatBins {
  const columns = Math.max(1, Math.min(partitions, Math.floor(width)));
  const rows = new Float64Array(columns * buckets);
  const unexplained = new Uint8Array(columns * buckets);
  let most = 1;
  for (const [partition, bucket, count, odd = 0] of cells) {
    if (partition < 0 || partition >= partitions || bucket < 0 || bucket >= buckets) continue;
    const column = Math.floor((partition * columns) / partitions);
    const at = column * buckets + bucket;
    rows[at] = Math.max(rows[at] ?? 0, count);
    if (odd > 0) unexplained[at] = 1;
    most = Math.max(most, count);
  }
  return { columns, buckets, rows, unexplained, most };
}

/** Partitions that a column stands for: from…to, half-open. */
export function columnPartitions(
  column: number,
  columns: number,
  partitions: number,
): [from: number, to: number] {
  return [
    Math.ceil((column * partitions) / columns),
    Math.ceil(((column + 1) * partitions) / columns),
  ];
}

/** Strength of the ink for a count: a little for any at all, then by the share of the largest. */
export function inkShare(count: number, most: number): number {
  if (count <= 0) return 0.03;
  return 0.1 + 0.83 * Math.min(1, count / most);
}

/** The strongest cells, unexplained ones first, for the list beside the picture. */
export function strongest(cells: readonly HeatCell[], many: number): HeatCell[] {
  return [...cells]
    .sort((a, b) => (b[3] ?? 0) - (a[3] ?? 0) || b[2] - a[2] || a[0] - b[0] || a[1] - b[1])
    .slice(0, many);
}
