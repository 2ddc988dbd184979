import type { Instant } from '@/lib/domain/instant';
import { readEdge } from '@/lib/domain/local-edge';
import { formatEdge } from '@/lib/domain/partition-label';
import type { CorrectionFilter } from '@/lib/queries/corrections';
import type { CorrectionsSearch } from './search';

/** One end of the filter: what was typed, the instant that it means, and what is wrong with it. */
export interface ReadEnd {
  text: string;
  instant: Instant | undefined;
  error: string | undefined;
}

export interface ReadEnds {
  from: ReadEnd;
  to: ReadEnd;
}

/** Ends of the filter, typed as clocks in the zone show them or as instants. */
export function readEnds(zone: string, { from, to }: Pick<CorrectionsSearch, 'from' | 'to'>) {
  return { from: readEnd(zone, from), to: readEnd(zone, to) };
}

function readEnd(zone: string, text: string | undefined): ReadEnd {
  if (text === undefined) return { text: '', instant: undefined, error: undefined };
  const read = readEdge(zone, text);
  return read.ok
    ? { text: formatEdge(zone, read.value), instant: read.value, error: undefined }
    : { text, instant: undefined, error: read.message };
}

export const filterOf = (
  { release, kind, by }: CorrectionsSearch,
  dataset: string | undefined,
  { from, to }: ReadEnds,
): CorrectionFilter => ({
  dataset,
  from: from.instant,
  to: to.instant,
  release,
  kind,
  by,
});
