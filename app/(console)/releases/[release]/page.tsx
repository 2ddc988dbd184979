import { cellState } from '@/components/charts/partition-cells';
import { ButtonLink } from '@/components/ui/button';
import { Empty } from '@/components/ui/empty';
import { Note } from '@/components/ui/note';
import { Panel } from '@/components/ui/panel';
import { compareInstants, type Instant, isInstant, secondsOf } from '@/lib/domain/instant';
import { oddPartitions, packEdges, partitionOfEdges } from '@/lib/domain/pack-edges';
import { may } from '@/lib/domain/permissions';
import { InterlockError } from '@/lib/domain/refusal';
import {
  type Coverage,
  coverageOfPlan,
  coverageOfRelease,
  failedStarts,
  unfinishedPartitions,
} from '@/lib/queries/coverage';
import { partitionDetail } from '@/lib/queries/partition-detail';
import type { ReleaseHeader } from '@/lib/queries/release-header';
import { previewPlan } from '@/lib/services/release';
import { webDatabase } from '@/lib/web/db';
import { decodedPart } from '@/lib/web/page-data';
import { ends } from '../../times';
import { CoverageBoard } from './coverage/coverage-board';
import { PartitionPanel } from './coverage/partition-panel';
import { type CoverageSearch, loadCoverageSearch } from './coverage/search';
import { UnfinishedPanel } from './coverage/unfinished-panel';
import { readHeader } from './read';

interface Props {
  params: Promise<{ release: string }>;
  searchParams: Promise<Record<string, string | string[] | undefined>>;
}

/** Every partition of the plan and how far it is; of a draft, the plan that a pin would freeze. */
export default async function CoveragePage({ params, searchParams }: Props) {
  const reference = decodedPart((await params).release);
  const header = await readHeader(reference);
  const search = await loadCoverageSearch(searchParams);
  const { release, turn, zone, unit } = header.brief;
  const coverage = await coverageShown(header);
  if (coverage === null || coverage.states.length === 0) {
    return <NoPlan header={header} empty={coverage !== null} />;
  }
  return (
    <div className="stack">
      <CoverageBoard
        release={release}
        unit={unit}
        packed={packEdges(zone, coverage.edges)}
        states={coverage.states}
        odd={oddPartitions(zone, unit, coverage.edges)}
        oddLabel={unit === 'day' ? '23 h or 25 h' : 'of another length'}
      />
      {turn.state === 'DRAFT' ? (
        <Note title="Nothing of it is built.">
          This is the plan that a pin would freeze now. An open range goes through the last
          partition that has a row.
        </Note>
      ) : (
        <>
          {search.partition !== null && (
            <Chosen header={header} start={search.partition} coverage={coverage} />
          )}
          <Unfinished
            header={header}
            stretch={stretchOf(search, coverage, zone)}
            kept={keptOf(search)}
          />
        </>
      )}
    </div>
  );
}

/** The plan with its states; null where a draft has none because of a fault. */
async function coverageShown({ brief }: ReleaseHeader): Promise<Coverage | null> {
  const db = webDatabase();
  if (brief.turn.state !== 'DRAFT' && brief.turn.planned > 0) {
    return coverageOfRelease(db, brief.id, brief.turn.state);
  }
  try {
    const { partitions, claims } = await previewPlan(db, brief.release);
    return await coverageOfPlan(db, brief.dataset, partitions, claims);
  } catch (error) {
    if (error instanceof InterlockError) return null;
    throw error;
  }
}

interface Stretch {
  start: Instant;
  end: Instant;
  text: string;
}

/** Filter and stretch, as they stand in the address. */
function keptOf({ state, from, to }: CoverageSearch): Record<string, string> {
  return {
    ...(state === null ? {} : { state }),
    ...(from === null ? {} : { from: String(from) }),
    ...(to === null ? {} : { to: String(to) }),
  };
}

/** The stretch of the plan that the address names; null where it names none that is there. */
function stretchOf(
  { from, to }: CoverageSearch,
  { edges, states }: Coverage,
  zone: string,
): Stretch | null {
  if (from === null || to === null || from < 0) return null;
  const first = partitionOfEdges(edges, from);
  const last = partitionOfEdges(edges, Math.min(to, states.length) - 1);
  if (!first || !last || from >= to) return null;
  const told = ends(zone, first.start, last.end);
  return {
    start: first.start,
    end: last.end,
    text: `[${told.from}, ${told.to}) ${zone}`,
  };
}

async function Chosen({
  header: { brief, now },
  start,
  coverage,
}: {
  header: ReleaseHeader;
  start: string;
  coverage: Coverage;
}) {
  const detail = isInstant(start) ? await partitionDetail(webDatabase(), brief.id, start) : null;
  const place = isInstant(start) ? coverage.edges.indexOf(secondsOf(start)) : -1;
  if (!detail || place < 0) {
    return (
      <Panel label="Partition">
        <Empty
          title="The plan has no partition of this name."
          action={
            <ButtonLink size="sm" href={`/releases/${brief.release}`} scroll={false}>
              Select none
            </ButtonLink>
          }
        >
          A partition is named by its start instant in UTC.
        </Empty>
      </Panel>
    );
  }
  return (
    <PartitionPanel
      release={brief.release}
      zone={brief.zone}
      unit={brief.unit}
      now={now}
      state={cellState(coverage.states[place])}
      detail={detail}
    />
  );
}

async function Unfinished({
  header: { brief, now },
  stretch,
  kept,
}: {
  header: ReleaseHeader;
  stretch: Stretch | null;
  kept: Record<string, string>;
}) {
  const db = webDatabase();
  const { id, release, version, zone, turn, person } = brief;
  const within = (start: string) =>
    stretch === null ||
    (compareInstants(stretch.start, start as Instant) <= 0 &&
      compareInstants(start as Instant, stretch.end) < 0);
  const unfinished = await unfinishedPartitions(db, id);
  const failed = await failedStarts(db, id);
  // once all is built there is nothing to wait for here
  if (unfinished.length === 0 && turn.receipts === turn.planned) return null;
  return (
    <UnfinishedPanel
      zone={zone}
      unfinished={unfinished.filter(({ start }) => within(start))}
      failed={failed.filter(within)}
      within={stretch?.text ?? null}
      shown={{ release, version, at: now }}
      kept={kept}
      mayRetry={turn.state === 'BUILDING' && may(person.roles, 'release.retry')}
    />
  );
}

function NoPlan({ header: { brief }, empty }: { header: ReleaseHeader; empty: boolean }) {
  const mayEdit = brief.turn.state === 'DRAFT' && may(brief.person.roles, 'release.edit');
  return (
    <Panel label="Coverage">
      <Empty
        title="There is no plan."
        action={
          mayEdit && (
            <ButtonLink size="sm" href={`/releases/${brief.release}/edit`}>
              Edit draft
            </ButtonLink>
          )
        }
      >
        {empty
          ? 'The range holds no partition with a row; an open range goes through the last one that has any.'
          : 'The draft has a fault that keeps it from being planned; the button above lists it.'}
      </Empty>
    </Panel>
  );
}
