import type { PackedEdges } from './edge-runs';
import { instantOfSeconds, secondsOf } from './instant';
import { lengthNote, zoneAbbreviation } from './partition-label';
import type { Partition, PartitionUnit } from './partition-plan';
import { offsetSpans } from './time-zone';

/** Every edge of partitions that follow one another, in seconds since 1970: one more than of them. */
export type EdgeSeconds = readonly number[];

/** The edges of partitions that follow one another without a gap, as a plan's do. */
export function edgeSeconds(partitions: readonly Partition[]): number[] {
  const last = partitions.at(-1);
  if (last === undefined) return [];
  return [...partitions.map(({ start }) => secondsOf(start)), secondsOf(last.end)];
}

/** One of the partitions. */
export function partitionOfEdges(edges: EdgeSeconds, index: number): Partition | null {
  const start = edges[index];
  const end = edges[index + 1];
  if (start === undefined || end === undefined) return null;
  return { start: instantOfSeconds(start), end: instantOfSeconds(end) };
}

/**
 * Packs edges for the browser, which writes them out again. The zone's offsets are walked along:
 * asking the clock of each of 50,000 edges by itself takes half a second.
 */
export function packEdges(zone: string, edges: EdgeSeconds): PackedEdges {
  const first = edges[0];
  const end = edges.at(-1);
  if (first === undefined || end === undefined) return { zone, first: 0, lengths: [], clocks: [] };
  const lengths: [number, number][] = [];
  const clocks: [number, number, string][] = [];
  const spans = offsetSpans(zone, first, end + 1);
  let span = 0;
  let before = first;
  edges.forEach((edge, at) => {
    if (at > 0) {
      const last = lengths.at(-1);
      if (last?.[0] === edge - before) last[1] += 1;
      else lengths.push([edge - before, 1]);
      before = edge;
    }
    while ((spans[span]?.end ?? Number.POSITIVE_INFINITY) <= edge) span += 1;
    const offset = spans[span]?.offset ?? 0;
    if (clocks.at(-1)?.[1] !== offset) {
      clocks.push([at, offset, zoneAbbreviation(zone, instantOfSeconds(edge))]);
    }
  });
  return { zone, first, lengths, clocks };
}

/** Those that need no look at the calendar to know that they are as long as they should be. */
const USUAL: Partial<Record<PartitionUnit, number>> = { hour: 3600, day: 86_400, week: 604_800 };

/** Partitions that are not as long as their unit usually is, by place, each with its length. */
export function oddPartitions(
  zone: string,
  unit: PartitionUnit,
  edges: EdgeSeconds,
): { index: number; text: string }[] {
  const odd: { index: number; text: string }[] = [];
  for (let index = 0; index + 1 < edges.length; index += 1) {
    if ((edges[index + 1] ?? 0) - (edges[index] ?? 0) === USUAL[unit]) continue;
    const partition = partitionOfEdges(edges, index);
    const text = partition && lengthNote(zone, unit, partition);
    if (text) odd.push({ index, text });
  }
  return odd;
}
