import { claimRanges } from '@/lib/domain/claims';
import type { Gap } from '@/lib/domain/gaps';
import type { CalendarPartition, DatasetCalendar } from '@/lib/queries/dataset-calendar';

/** A stretch of the calendar, whole partitions. */
export interface Selection {
  from: string;
  to: string;
  partitions: readonly CalendarPartition[];
}

/** The stretch that the address names, `none` where it names none, `unknown` where there is no such. */
export function selectionOf(
  { partitions }: DatasetCalendar,
  { from, to }: { from: string | null; to: string | null },
): Selection | 'none' | 'unknown' {
  if (from === null && to === null) return 'none';
  const first = partitions.findIndex(({ start }) => start === from);
  const last = partitions.findIndex(({ end }) => end === to);
  if (first < 0 || last < first || from === null || to === null) return 'unknown';
  return { from, to, partitions: partitions.slice(first, last + 1) };
}

/** What a stretch holds, counted. */
export interface Counted {
  /** Exact text; null where figures of some partition are being recomputed. */
  rows: string | null;
  empty: number;
  sealed: number;
  pending: number;
  corrections: number;
  claimed: { owner: string; partitions: number }[];
  gaps: Map<Gap, number>;
}

export function countedIn({ partitions }: Selection): Counted {
  const counted: Counted = {
    rows: null,
    empty: 0,
    sealed: 0,
    pending: 0,
    corrections: 0,
    claimed: ownersOf(partitions),
    gaps: new Map(),
  };
  let rows: bigint | null = 0n;
  for (const partition of partitions) {
    rows = rows === null || partition.rows === null ? null : rows + BigInt(partition.rows);
    if (partition.rows === '0') counted.empty += 1;
    if (partition.seal) {
      counted.sealed += 1;
      counted.pending += partition.seal.pending;
      counted.corrections += partition.seal.corrections;
    }
    const { gap } = partition;
    if (gap !== null) counted.gaps.set(gap, (counted.gaps.get(gap) ?? 0) + 1);
  }
  return { ...counted, rows: rows === null ? null : rows.toString() };
}

function ownersOf(partitions: readonly CalendarPartition[]): Counted['claimed'] {
  const held = partitions.flatMap(({ start, end, claimedBy }) =>
    claimedBy === null ? [] : [{ start, end, owner: claimedBy, by: '', at: '' }],
  );
  const counts = new Map<string, number>();
  for (const { owner, partitions: n } of claimRanges(held)) {
    counts.set(owner, (counts.get(owner) ?? 0) + n);
  }
  return [...counts].map(([owner, n]) => ({ owner, partitions: n }));
}
