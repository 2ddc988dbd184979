import type { Metadata } from 'next';
import { PageTop } from '@/components/shell/page-top';
import { ButtonLink } from '@/components/ui/button';
import { Empty } from '@/components/ui/empty';
import { Filters } from '@/components/ui/filters';
import { Pager } from '@/components/ui/pager';
import { Panel } from '@/components/ui/panel';
import { plural } from '@/lib/domain/figures';
import { may } from '@/lib/domain/permissions';
import { RUN_STATES, type RunState } from '@/lib/domain/runs';
import { runCounts, runDatasets, runsStamp } from '@/lib/queries/run-partitions';
import { runList } from '@/lib/queries/runs';
import { webDatabase } from '@/lib/web/db';
import { signedIn } from '@/lib/web/session';
import { NoAccess } from '../_parts/access';
import { LiveRefresh } from '../live-refresh';
import { asOf, commonZone } from '../times';
import { FilterFields } from './filter-fields';
import { loadRunFilters, type RunFilters, runsHref } from './filters';
import { NewRun } from './new-run';
import { RunsTable } from './runs-table';
import { RUN_LOOKS } from './words';
import '../_parts/parts.css';

export const metadata: Metadata = { title: 'Runs' };

type Search = Promise<Record<string, string | string[] | undefined>>;

const perPage = 25;

/** Every run, newest first, by filters that stand in the address; and a new one. */
export default async function Runs({ searchParams }: { searchParams: Search }) {
  const actor = await signedIn('/runs');
  if (!may(actor.roles, 'dataset.read')) {
    return (
      <>
        <PageTop crumbs={[{ label: 'Runs' }]} />
        <NoAccess
          actor={actor}
          verb="dataset.read"
          what="Which partitions were computed again, by whom, and what was left out."
        />
      </>
    );
  }
  const filters = await loadRunFilters(searchParams);
  const db = webDatabase();
  const { stamp, now } = await runsStamp(db);
  const datasets = await runDatasets(db);
  const { state, kind, dataset, cursor } = nothingNull(filters);
  const counts = await runCounts(db, { dataset, kind });
  const page = await runList(db, { dataset, kind, state }, { limit: perPage, cursor });
  const zones = new Map(datasets.map(({ name, zone }) => [name, zone]));
  const read = asOf(commonZone(page.items.map((run) => zones.get(run.dataset) ?? 'UTC')), now);
  return (
    <>
      <PageTop crumbs={[{ label: 'Runs' }]} asOf={read} />
      <LiveRefresh
        url={`/runs/live?zone=${encodeURIComponent(zones.get(page.items[0]?.dataset ?? '') ?? 'UTC')}`}
        stamp={stamp}
        asOf={read}
      />
      <div className="head">
        <div className="col">
          <h1>Runs</h1>
        </div>
      </div>
      <div className="stack">
        <Panel label="Runs" flush>
          <div className="pad col list-filters">
            <StateFilters counts={counts} filters={filters} />
            <FilterFields datasets={datasets.map(({ name }) => name)} />
          </div>
          {page.items.length === 0 ? (
            <div className="pad">
              <NoRuns filtered={Boolean(state ?? kind ?? dataset)} />
            </div>
          ) : (
            <>
              <RunsTable rows={page.items} zones={zones} now={now} />
              <Pager
                text={`${plural(page.items.length, 'run')} of ${state ? counts[state] : allOf(counts)}, newest first`}
                firstHref={cursor ? runsHref(filters, {}) : undefined}
                nextHref={
                  page.nextCursor ? runsHref(filters, { cursor: page.nextCursor }) : undefined
                }
              />
            </>
          )}
        </Panel>
        {may(actor.roles, 'dataset.run') && datasets.length > 0 && (
          <NewRun datasets={datasets} initial={filters.dataset} />
        )}
      </div>
    </>
  );
}

const nothingNull = ({ state, kind, dataset, cursor }: RunFilters) => ({
  state: state ?? undefined,
  kind: kind ?? undefined,
  dataset: dataset ?? undefined,
  cursor: cursor ?? undefined,
});

const allOf = (counts: Record<RunState, number>) =>
  Object.values(counts).reduce((sum, count) => sum + count, 0);

function StateFilters({
  counts,
  filters,
}: {
  counts: Record<RunState, number>;
  filters: RunFilters;
}) {
  const shown = RUN_STATES.filter((state) => counts[state] > 0 || state === filters.state);
  return (
    <Filters
      label="State"
      current={filters.state ?? 'all'}
      items={[
        {
          value: 'all',
          label: 'All',
          count: allOf(counts),
          href: runsHref(filters, { state: null }),
        },
        ...shown.map((state) => ({
          value: state,
          label: RUN_LOOKS[state].label,
          count: counts[state],
          href: runsHref(filters, { state }),
        })),
      ]}
    />
  );
}

function NoRuns({ filtered }: { filtered: boolean }) {
  if (filtered) {
    return (
      <Empty
        title="No run matches these filters."
        action={
          <ButtonLink size="sm" href="/runs">
            Show all
          </ButtonLink>
        }
      >
        A run that is skipped for a claim or a seal is done all the same, and is not green.
      </Empty>
    );
  }
  return (
    <Empty title="Nothing was run yet.">
      A run computes whole partitions of the generation in use again, from the log. One is made by
      the clock where a dataset’s policy says when, or asked for here or on a dataset’s calendar.
    </Empty>
  );
}
