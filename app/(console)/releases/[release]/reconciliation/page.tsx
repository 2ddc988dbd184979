import type { Metadata } from 'next';
import { Suspense } from 'react';
import { SkeletonPanel } from '@/components/ui/skeleton';
import { isInstant } from '@/lib/domain/instant';
import { may } from '@/lib/domain/permissions';
import { type ReconciliationPage, reconciliationPage } from '@/lib/queries/reconciliation-view';
import { shadowOf } from '@/lib/queries/reports';
import { webDatabase } from '@/lib/web/db';
import { decodedPart } from '@/lib/web/page-data';
import { signedIn } from '@/lib/web/session';
import { toAccept } from '@/lib/web/to-accept';
import { canDo, NoAccess, orNotFound } from '../../../_parts/access';
import { type Search, said } from '../../../_parts/search';
import { Checks } from './checks';
import { Columns, Counts, Heat, Nulls, Removed, Rules } from './figures';
import { Findings } from './findings';
import { type DiffFilter, RowDiffSection } from './row-diff-section';
import { NotCompared, Runs } from './runs';
import { ShadowReads } from './shadow-reads';
import { Verdict } from './verdict';

import '../../../_parts/parts.css';

export const metadata: Metadata = { title: 'Reconciliation' };

export default async function ReconciliationTab({
  params,
  searchParams,
}: {
  params: Promise<{ release: string }>;
  searchParams: Promise<Search>;
}) {
  const release = decodedPart((await params).release);
  const search = await searchParams;
  const actor = await signedIn(`/releases/${release}/reconciliation`);
  if (!may(actor.roles, 'release.read')) {
    return (
      <NoAccess actor={actor} verb="release.read" what="What the two generations differ in." />
    );
  }
  const db = webDatabase();
  const [page, shadow] = await orNotFound(
    Promise.all([
      reconciliationPage(db, release, {
        run: said(search, 'run'),
        partition: instantIn(search, 'partition'),
        heat: heatSpan(search),
      }),
      shadowOf(db, release),
    ]),
  );
  const can = canDo(actor, ['release.rehearse', 'release.accept']);
  const filter = filterOf(page, search);
  const shadowReads = (
    <ShadowReads page={page} shadow={shadow} mayAsk={may(actor.roles, 'release.shadow')} />
  );
  if (!page.found) {
    return (
      <div className="stack">
        <NotCompared page={page} can={can} />
        {shadowReads}
      </div>
    );
  }
  const found = page.found;
  return (
    <div className="stack">
      <Verdict page={page} found={found} />
      <Runs page={page} found={found} can={can} />
      <div className="grid side l">
        <Checks page={page} found={found} />
        <div className="stack">
          <Rules page={page} found={found} />
          <Columns page={page} found={found} />
        </div>
      </div>
      <Findings page={page} found={found} quotes={await toAccept(db, release)} can={can} />
      {shadowReads}
      <div className="grid g2">
        <Nulls page={page} found={found} />
        <div className="stack">
          <Removed page={page} found={found} />
          <Counts page={page} found={found} />
        </div>
      </div>
      <Heat page={page} found={found} filter={filter} />
      <Suspense
        key={JSON.stringify([found.run.id, filter])}
        fallback={<SkeletonPanel title="Row diff" lines={8} />}
      >
        <RowDiffSection page={page} found={found} filter={filter} />
      </Suspense>
    </div>
  );
}

/** Filters of the row diff; what is no partition, class or rule here is left out. */
function filterOf({ found, rules }: ReconciliationPage, search: Search): DiffFilter {
  const rule = said(search, 'rule');
  const named = [...rules.map((r) => r.rule), ...(found?.groups.map((g) => g.rule) ?? [])];
  const bucket = said(search, 'bucket');
  return {
    run: said(search, 'run'),
    class: said(search, 'class'),
    rule: named.includes(rule ?? '') ? rule : undefined,
    partition: instantIn(search, 'partition'),
    from: instantIn(search, 'from'),
    to: instantIn(search, 'to'),
    bucket: bucket !== undefined && /^([0-5]?\d|6[0-3])$/.test(bucket) ? bucket : undefined,
    heatFrom: instantIn(search, 'heatFrom'),
    heatTo: instantIn(search, 'heatTo'),
    cursor: said(search, 'cursor'),
  };
}

/** What the picture of differences is drawn of, where it is not of all. */
function heatSpan(search: Search): { from: string; to: string } | null {
  const from = instantIn(search, 'heatFrom');
  const to = instantIn(search, 'heatTo');
  return from === undefined || to === undefined ? null : { from, to };
}

function instantIn(search: Search, name: string): string | undefined {
  const text = said(search, name);
  return text !== undefined && isInstant(text) ? text : undefined;
}
