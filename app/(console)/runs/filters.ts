import { createLoader, parseAsString, parseAsStringLiteral } from 'nuqs/server';
import { RUN_KINDS, RUN_STATES } from '@/lib/domain/runs';
import { address } from '../_parts/search';

/** Filters of the list as they stand in its address. */
export const runFilters = {
  dataset: parseAsString,
  kind: parseAsStringLiteral(RUN_KINDS),
  state: parseAsStringLiteral(RUN_STATES),
  cursor: parseAsString,
};

export const loadRunFilters = createLoader(runFilters);

export type RunFilters = Awaited<ReturnType<typeof loadRunFilters>>;

/** The list's address with some filters changed; a change begins at the first page again. */
export function runsHref(now: RunFilters, change: Partial<RunFilters>): string {
  const next = { ...now, cursor: null, ...change };
  return address(
    '/runs',
    Object.fromEntries(Object.entries(next).map(([name, value]) => [name, value ?? undefined])),
  );
}
