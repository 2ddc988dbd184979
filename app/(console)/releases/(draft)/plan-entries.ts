import { countEdges, type EdgeTexts, type PackedEdges } from '@/lib/domain/edge-runs';

/** A plan told in a few lines: single partitions by place, and stretches of equal ones between. */
export type PlanEntry =
  | { kind: 'partition'; index: number; seconds: number; odd: boolean }
  | { kind: 'more'; count: number; seconds: number };

/** How many lines at most; what is left is one more. */
const MOST = 14;

/**
 * The first and the last partition, every one of an unusual length, and how many equal ones stand
 * between them.
 *
 * @param odd places of partitions of an unusual length
 */
export function planEntries(packed: PackedEdges, odd: ReadonlySet<number>): PlanEntry[] {
  const entries: PlanEntry[] = [];
  let index = 0;
  packed.lengths.forEach(([seconds, times], run) => {
    const isFirst = run === 0;
    const isLast = run === packed.lengths.length - 1;
    const lead = isFirst || times === 1 || odd.has(index) ? 1 : 0;
    const tail = isLast && times > lead ? 1 : 0;
    const between = times - lead - tail;
    const partition = (at: number) =>
      entries.push({ kind: 'partition', index: at, seconds, odd: odd.has(at) });
    if (lead) partition(index);
    if (between > 0) entries.push({ kind: 'more', count: between, seconds });
    if (tail) partition(index + times - 1);
    index += times;
  });
  if (entries.length <= MOST) return entries;
  const kept = entries.slice(0, MOST - 2);
  const told = kept.reduce((n, entry) => n + (entry.kind === 'more' ? entry.count : 1), 0);
  const last = entries.at(-1) as PlanEntry;
  return [...kept, { kind: 'more', count: countEdges(packed) - told - 1, seconds: 0 }, last];
}

/** What of two plans differs, in whole partitions. */
export interface PlanDifference {
  added: number;
  removed: number;
  /** Where the plans ended and end, in the dataset's zone. */
  endBefore: string;
  endNow: string;
}

/** Compares two plans by their exact edges; tells their ends in the dataset's zone. */
export function planDifference(before: EdgeTexts, now: EdgeTexts): PlanDifference | null {
  const pairs = ({ utc }: EdgeTexts) =>
    new Set(utc.slice(0, -1).map((edge, at) => `${edge} ${utc[at + 1]}`));
  const old = pairs(before);
  const young = pairs(now);
  const added = [...young].filter((pair) => !old.has(pair)).length;
  const removed = [...old].filter((pair) => !young.has(pair)).length;
  if (added + removed === 0) return null;
  const end = ({ text }: EdgeTexts) => text.at(-1) ?? 'nowhere';
  return { added, removed, endBefore: end(before), endNow: end(now) };
}
