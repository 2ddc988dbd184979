import type { AuditFilter } from '@/lib/queries/audit-list';
import { type Search, said } from '../_parts/search';

/** The filters of the audit page, as its address has them. */
export interface AuditSearch {
  release: string | undefined;
  person: string | undefined;
  verb: string | undefined;
  outcome: 'done' | 'refused' | undefined;
  dataset: string | undefined;
  /** `1`: with the anchors of the chains. */
  anchors: string | undefined;
}

export function auditSearch(search: Search): AuditSearch {
  const outcome = said(search, 'outcome');
  return {
    release: said(search, 'release'),
    person: said(search, 'person'),
    verb: said(search, 'verb'),
    outcome: outcome === 'done' || outcome === 'refused' ? outcome : undefined,
    dataset: said(search, 'dataset'),
    anchors: said(search, 'anchors'),
  };
}

export const auditFilter = (search: AuditSearch): AuditFilter => ({
  subject: search.release,
  actor: search.person,
  verb: search.verb,
  outcome: search.outcome,
  dataset: search.dataset,
  // who asks for that verb wants to see it
  withoutAnchors: search.anchors === undefined && search.verb !== 'audit.anchor',
});
