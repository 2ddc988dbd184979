import type { CorrectionKind } from '@/lib/queries/corrections';
import { address, type Search, said } from '../_parts/search';

export const TABS = ['sealed', 'history', 'publications'] as const;
export type Tab = (typeof TABS)[number];

const KINDS = ['amend', 'cutover', 'rollback'] as const satisfies readonly CorrectionKind[];

const READINGS = ['both', 'published', 'now'] as const;
export type Reading = (typeof READINGS)[number];

/** What the page's address says, as it says it. */
export interface CorrectionsSearch {
  tab: Tab;
  dataset: string | undefined;
  from: string | undefined;
  to: string | undefined;
  release: string | undefined;
  kind: CorrectionKind | undefined;
  by: string | undefined;
  /** `sum net`, `rollup tax`, `rows`; every figure where nothing is said. */
  figure: string | undefined;
  read: Reading;
}

const oneOf = <T extends string>(all: readonly T[], text: string | undefined): T | undefined =>
  all.find((each) => each === text);

export function correctionsSearch(search: Search): CorrectionsSearch {
  return {
    tab: oneOf(TABS, said(search, 'tab')) ?? 'sealed',
    dataset: said(search, 'dataset'),
    from: said(search, 'from'),
    to: said(search, 'to'),
    release: said(search, 'release'),
    kind: oneOf(KINDS, said(search, 'kind')),
    by: said(search, 'by'),
    figure: said(search, 'figure'),
    read: oneOf(READINGS, said(search, 'read')) ?? 'both',
  };
}

/** The page's address with some of it changed; what it says without being told is left out. */
export function correctionsHref(
  now: CorrectionsSearch,
  change: Partial<CorrectionsSearch> & {
    cursor?: string | undefined;
    publish?: string | undefined;
  },
): string {
  const { tab, read, ...rest } = { ...now, ...change };
  return address('/corrections', {
    ...rest,
    tab: tab === 'sealed' ? undefined : tab,
    read: read === 'both' ? undefined : read,
  });
}
