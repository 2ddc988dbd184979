import type { Metadata } from 'next';
import { PageTop } from '@/components/shell/page-top';
import { ButtonLink } from '@/components/ui/button';
import { Empty } from '@/components/ui/empty';
import { Filters } from '@/components/ui/filters';
import { Pager } from '@/components/ui/pager';
import { Panel } from '@/components/ui/panel';
import { readSorting, sortLink } from '@/components/ui/sorting';
import { plural } from '@/lib/domain/figures';
import { may } from '@/lib/domain/permissions';
import { type ReleasesPage, releasesPage } from '@/lib/queries/releases';
import { overviewStamp } from '@/lib/queries/stamp';
import { webDatabase } from '@/lib/web/db';
import { signedIn } from '@/lib/web/session';
import { NoAccess } from '../_parts/access';
import { LiveRefresh } from '../live-refresh';
import { asOf, commonZone } from '../times';
import { FilterFields } from './filter-fields';
import { GROUPS, loadReleaseFilters, type ReleaseFilters, releasesHref, SORTS } from './filters';
import { ReleasesTable } from './releases-table';

export const metadata: Metadata = { title: 'Releases' };

type Search = Promise<Record<string, string | string[] | undefined>>;

const perPage = 25;

/** Every release, newest first, by filters that stand in the address. */
export default async function Releases({ searchParams }: { searchParams: Search }) {
  const actor = await signedIn('/releases');
  if (!may(actor.roles, 'release.read')) {
    return (
      <NoAccess actor={actor} verb="release.read" what="Every release, and where it stands." />
    );
  }
  const filters = await loadReleaseFilters(searchParams);
  const sort = readSorting(filters.sort, SORTS);
  const db = webDatabase();
  const { stamp } = await overviewStamp(db);
  const page = await releasesPage(
    db,
    { person: actor.person, roles: actor.roles },
    { group: filters.state, dataset: filters.dataset, owner: filters.owner, text: filters.q },
    { limit: perPage, cursor: filters.cursor ?? undefined, sort },
  );
  const zone = commonZone(page.items.map(({ brief }) => brief.zone));
  const read = asOf(zone, page.now);
  const mayDraft = may(actor.roles, 'release.create');
  return (
    <>
      <PageTop crumbs={[{ label: 'Releases' }]} asOf={read} />
      <LiveRefresh
        url={`/live/stamp?zone=${encodeURIComponent(zone)}`}
        stamp={stamp}
        asOf={read}
        everyMs={5000}
      />
      <div className="head">
        <div className="col">
          <h1>Releases</h1>
        </div>
        {mayDraft && (
          <ButtonLink href="/releases/new" variant="go" icon="plus">
            New release
          </ButtonLink>
        )}
      </div>
      <div className="stack">
        <Panel label="Releases" flush>
          <div className="pad col list-filters">
            <GroupFilters counts={page.counts} filters={filters} />
            <FilterFields datasets={page.datasets} owners={page.owners} />
          </div>
          {page.items.length === 0 ? (
            <div className="pad">
              <NoReleases filters={filters} all={page.counts.all} mayDraft={mayDraft} />
            </div>
          ) : (
            <>
              <ReleasesTable
                rows={page.items}
                now={page.now}
                mayDraft={mayDraft}
                sortLink={(key) =>
                  sortLink(sort, key, (text) => releasesHref(filters, { sort: text }))
                }
              />
              <Pager
                text={`${plural(page.items.length, 'release')} of ${page.counts[filters.state ?? 'all']}${sort ? '' : ', newest first'}`}
                firstHref={filters.cursor ? releasesHref(filters, {}) : undefined}
                nextHref={
                  page.nextCursor ? releasesHref(filters, { cursor: page.nextCursor }) : undefined
                }
              />
            </>
          )}
        </Panel>
      </div>
    </>
  );
}

const GROUP_LABELS: Record<(typeof GROUPS)[number] | 'all', string> = {
  all: 'All',
  draft: 'Drafts',
  building: 'Pinned, building',
  sealed: 'Sealed to approved',
  stopped: 'Reconciliation required',
  active: 'Active',
  ended: 'Ended',
};

function GroupFilters({
  counts,
  filters,
}: {
  counts: ReleasesPage['counts'];
  filters: ReleaseFilters;
}) {
  return (
    <Filters
      label="State"
      current={filters.state ?? 'all'}
      items={(['all', ...GROUPS] as const).map((group) => ({
        value: group,
        label: GROUP_LABELS[group],
        count: counts[group],
        href: releasesHref(filters, { state: group === 'all' ? null : group }),
      }))}
    />
  );
}

function NoReleases({
  filters,
  all,
  mayDraft,
}: {
  filters: ReleaseFilters;
  all: number;
  mayDraft: boolean;
}) {
  const filtered = filters.state || filters.dataset || filters.owner || filters.q;
  if (filtered) {
    return (
      <Empty
        title="No release matches these filters."
        action={
          <ButtonLink size="sm" href="/releases">
            Show all
          </ButtonLink>
        }
      >
        {all > 0 && filters.state
          ? `${plural(all, 'release')} in other states match the rest of them.`
          : 'Names, datasets and generations are matched by any part of them.'}
      </Empty>
    );
  }
  return (
    <Empty
      title="There is no release yet."
      action={
        mayDraft ? (
          <ButtonLink size="sm" href="/releases/new" icon="plus">
            New release
          </ButtonLink>
        ) : undefined
      }
    >
      A release is the order to make a new generation of a dataset. Owners draft them.
    </Empty>
  );
}
