import { createLoader, parseAsInteger, parseAsString, parseAsStringLiteral } from 'nuqs/server';

/** States that the legend filters by. */
const STATES = [
  'planned',
  'building',
  'built',
  'built_empty',
  'caught_up',
  'reconciled',
  'failed',
  'claimed',
  'sealed',
] as const;

/** What of the coverage is looked at, as it stands in its address. */
export const coverageSearch = {
  /** Start of the partition whose details are shown. */
  partition: parseAsString,
  state: parseAsStringLiteral(STATES),
  /** A stretch of the plan, by place: from…to, half-open. */
  from: parseAsInteger,
  to: parseAsInteger,
};

export const loadCoverageSearch = createLoader(coverageSearch);

export type CoverageSearch = Awaited<ReturnType<typeof loadCoverageSearch>>;
