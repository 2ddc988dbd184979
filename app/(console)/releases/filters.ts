import { createLoader, parseAsString, parseAsStringLiteral } from 'nuqs/server';

/** `lib/queries/releases` names the groups; written out here, since the browser reads this too. */
export const GROUPS = ['draft', 'building', 'sealed', 'stopped', 'active', 'ended'] as const;

/** `lib/queries/releases` sorts by them. */
export const SORTS = ['release', 'dataset', 'state', 'owner', 'age'] as const;

/** Filters of the list as they stand in its address. */
export const releaseFilters = {
  state: parseAsStringLiteral(GROUPS),
  dataset: parseAsString,
  owner: parseAsString,
  q: parseAsString,
  /** A column, with `-` from its largest down. */
  sort: parseAsString,
  cursor: parseAsString,
};

export const loadReleaseFilters = createLoader(releaseFilters);

export type ReleaseFilters = Awaited<ReturnType<typeof loadReleaseFilters>>;

/** The list's address with some filters changed; a change begins at the first page again. */
export function releasesHref(now: ReleaseFilters, change: Partial<ReleaseFilters>): string {
  const next = { ...now, cursor: null, ...change };
  const search = new URLSearchParams(
    Object.entries(next).flatMap(([name, value]) => (value ? [[name, value]] : [])),
  );
  return search.size === 0 ? '/releases' : `/releases?${search}`;
}
