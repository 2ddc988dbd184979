import type { Metadata } from 'next';
import { PageTop } from '@/components/shell/page-top';
import { buttonClass } from '@/components/ui/button';
import { Empty } from '@/components/ui/empty';
import { figureText } from '@/components/ui/figure-text';
import { Filters } from '@/components/ui/filters';
import { Icon } from '@/components/ui/icon';
import { PageHead } from '@/components/ui/page-head';
import { Pager } from '@/components/ui/pager';
import { Panel } from '@/components/ui/panel';
import { may } from '@/lib/domain/permissions';
import { Invalid } from '@/lib/domain/refusal';
import { auditFacets } from '@/lib/queries/audit-facets';
import { auditList } from '@/lib/queries/audit-list';
import { webDatabase } from '@/lib/web/db';
import { signedIn } from '@/lib/web/session';
import { NoAccess } from '../_parts/access';
import { address, type Search, said } from '../_parts/search';
import { AuditFilters } from './audit-filters';
import { AuditRows } from './audit-rows';
import { type AuditSearch, auditFilter, auditSearch } from './filter';
import { Verify } from './verify';
import '../_parts/parts.css';

export const metadata: Metadata = { title: 'Audit' };

const PAGE = 50;

export default async function AuditPage({ searchParams }: { searchParams: Promise<Search> }) {
  const actor = await signedIn('/audit');
  const crumbs = [{ label: 'Audit' }];
  if (!may(actor.roles, 'audit.read')) {
    return (
      <>
        <PageTop crumbs={crumbs} />
        <NoAccess actor={actor} verb="audit.read" what="Who did what, and what was refused." />
      </>
    );
  }
  const search = await searchParams;
  const filter = auditSearch(search);
  const cursor = said(search, 'cursor');
  const db = webDatabase();
  const facets = await auditFacets(db);
  const page = await pageOf(filter, cursor);
  const filtered = Object.values(filter).some((value) => value !== undefined);
  return (
    <>
      <PageTop crumbs={crumbs} />
      <PageHead
        title="Audit"
        facts={[
          `${figureText(facets.rows)} rows in ${facets.chains.length} chains, each row naming the one before it`,
        ]}
        action={may(actor.roles, 'audit.verify') ? <Verify /> : undefined}
      />
      <div className="stack">
        <Panel label="Rows" flush>
          <div className="pad filter-line">
            <AuditFilters search={filter} facets={facets} />
            <span className="row">
              <Filters
                label="Anchors"
                current={filter.anchors === undefined ? '' : 'all'}
                items={[
                  {
                    value: 'all',
                    label: 'with anchors',
                    href: address('/audit', {
                      ...filter,
                      anchors: filter.anchors === undefined ? '1' : undefined,
                    }),
                  },
                ]}
              />
              <Export search={filter} format="csv" />
              <Export search={filter} format="json" />
            </span>
          </div>
          {page.items.length === 0 ? (
            <div className="pad">
              <Empty
                title={filtered ? 'No row is like this.' : 'Nothing was done yet.'}
                action={
                  filtered ? (
                    <a className="btn" href="/audit">
                      All rows
                    </a>
                  ) : undefined
                }
              >
                Every move of a person or the runner is one row here, a refused move too.
              </Empty>
            </div>
          ) : (
            <AuditRows items={page.items} />
          )}
          <Pager
            text={`${figureText(page.items.length)} rows${cursor ? ' of an earlier page' : ''}, newest first`}
            {...(cursor ? { firstHref: address('/audit', { ...filter }) } : {})}
            {...(page.nextCursor
              ? { nextHref: address('/audit', { ...filter, cursor: page.nextCursor }) }
              : {})}
          />
        </Panel>
      </div>
    </>
  );
}

/** A page of rows; a cursor that is none of ours begins again. */
async function pageOf(filter: AuditSearch, cursor: string | undefined) {
  const db = webDatabase();
  try {
    return await auditList(db, auditFilter(filter), { limit: PAGE, cursor });
  } catch (error) {
    if (!(error instanceof Invalid)) throw error;
    return auditList(db, auditFilter(filter), { limit: PAGE });
  }
}

function Export({ search, format }: { search: AuditSearch; format: 'csv' | 'json' }) {
  return (
    <a
      className={buttonClass({ size: 'sm' })}
      href={address('/audit/export', { ...search, format })}
      download
    >
      <Icon name="export" />
      {format.toUpperCase()}
    </a>
  );
}
