import type { Role } from '@/lib/domain/permissions';
import { address, type Search, said } from '../_parts/search';
import { OFFERED } from './role-words';

export const TABS = ['people', 'tokens', 'datasets', 'sources', 'budgets', 'subscribers'] as const;
export type Tab = (typeof TABS)[number];

/** What the page's address says. */
export interface AdminSearch {
  tab: Tab;
  /** A part of a person's name, display name or address. */
  text: string | undefined;
  role: Role | undefined;
  /** Whose tokens. */
  person: string | undefined;
  /** `1`: tokens that were revoked. */
  revoked: '1' | undefined;
  /** `1`: subscribers that were ended. */
  ended: '1' | undefined;
}

export function adminSearch(search: Search): AdminSearch {
  return {
    tab: TABS.find((tab) => tab === said(search, 'tab')) ?? 'people',
    text: said(search, 'text')?.trim().slice(0, 254),
    role: OFFERED.find((role) => role === said(search, 'role')),
    person: said(search, 'person')?.slice(0, 254),
    revoked: said(search, 'revoked') === '1' ? '1' : undefined,
    ended: said(search, 'ended') === '1' ? '1' : undefined,
  };
}

/** The page's address with some of it changed; another tab begins without filters. */
export function adminHref(
  now: AdminSearch,
  change: Partial<AdminSearch> & { cursor?: string | undefined },
): string {
  const moved = change.tab !== undefined && change.tab !== now.tab;
  const { tab, ...rest } = { ...(moved ? { tab: now.tab } : now), ...change };
  return address('/admin', { tab: tab === 'people' ? undefined : tab, ...rest });
}
