import type { Metadata } from 'next';
import { PageTop } from '@/components/shell/page-top';
import { ButtonLink } from '@/components/ui/button';
import { Empty } from '@/components/ui/empty';
import { Note } from '@/components/ui/note';
import { PageHead } from '@/components/ui/page-head';
import { Panel } from '@/components/ui/panel';
import { plural } from '@/lib/domain/figures';
import { CALENDAR_CODES, calendarStateOf } from '@/lib/domain/gaps';
import { edgeSeconds, oddPartitions, packEdges } from '@/lib/domain/pack-edges';
import { may } from '@/lib/domain/permissions';
import { calendarStamp } from '@/lib/queries/calendar-range';
import { type DatasetCalendar, datasetCalendar } from '@/lib/queries/dataset-calendar';
import { gapsIn } from '@/lib/queries/dataset-gaps';
import { webDatabase } from '@/lib/web/db';
import { decodedPart } from '@/lib/web/page-data';
import { signedIn } from '@/lib/web/session';
import { NoAccess, orNotFound } from '../../../_parts/access';
import { LiveRefresh } from '../../../live-refresh';
import { asOf } from '../../../times';
import { CalendarBoard } from './calendar-board';
import { GapsNote } from './gaps-note';
import { loadCalendarSearch } from './search';
import { type Selection, selectionOf } from './selection';
import { SelectionPanel } from './selection-panel';
import '../../../_parts/parts.css';

interface Props {
  params: Promise<{ dataset: string }>;
  searchParams: Promise<Record<string, string | string[] | undefined>>;
}

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  return { title: `Calendar of ${decodedPart((await params).dataset)}` };
}

/** Row counts of more partitions than this are left to the panel below: a page must not weigh a megabyte. */
const MOST_COUNTS = 20_000;

/** Every partition of a dataset as it is served: what it holds, who has it, what is missing. */
export default async function CalendarPage({ params, searchParams }: Props) {
  const name = decodedPart((await params).dataset);
  const actor = await signedIn(`/datasets/${name}/calendar`);
  const crumbs = [
    { label: 'Datasets', href: '/datasets' },
    { label: name, href: `/datasets/${name}` },
    { label: 'Calendar' },
  ];
  if (!may(actor.roles, 'dataset.read')) {
    return (
      <>
        <PageTop crumbs={crumbs} />
        <NoAccess
          actor={actor}
          verb="dataset.read"
          what={`Which partitions of ${name} are there, claimed, sealed or missing.`}
        />
      </>
    );
  }
  const db = webDatabase();
  // before the page's own reads: what changes between them is then shown a second time, not missed
  const { stamp } = await calendarStamp(db, name);
  const calendar = await orNotFound(datasetCalendar(db, name));
  const selection = selectionOf(calendar, await loadCalendarSearch(searchParams));
  const read = asOf(calendar.zone, calendar.now);
  const gaps = calendar.watched ? gapsIn(calendar) : null;
  return (
    <>
      <PageTop crumbs={crumbs} asOf={read} />
      <LiveRefresh
        url={`/datasets/${name}/calendar/live?zone=${encodeURIComponent(calendar.zone)}`}
        stamp={stamp}
        asOf={read}
      />
      <PageHead
        title={`Calendar of ${name}`}
        facts={[
          `by ${calendar.unit}, ${calendar.zone}`,
          plural(calendar.partitions.length, 'partition'),
          calendar.cron === null ? (
            'not run by the clock'
          ) : (
            <span key="cron">
              run by the clock: <span className="mono">{calendar.cron}</span>
            </span>
          ),
        ]}
        action={
          <ButtonLink href={`/runs?dataset=${encodeURIComponent(name)}`} icon="list">
            Runs
          </ButtonLink>
        }
      />
      <div className="stack">
        {gaps && gaps.count > 0 && (
          <GapsNote gaps={gaps} mayRun={may(actor.roles, 'dataset.run')} onCalendar />
        )}
        {calendar.cut && (
          <Note title="Earlier partitions are left out.">
            There are more than the calendar draws at once; the newest are shown.
          </Note>
        )}
        {calendar.partitions.length === 0 ? (
          <Nothing calendar={calendar} />
        ) : (
          <>
            <Board calendar={calendar} />
            <Chosen calendar={calendar} selection={selection} actor={actor} />
          </>
        )}
      </div>
    </>
  );
}

function Board({ calendar }: { calendar: DatasetCalendar }) {
  const { name, zone, unit, partitions, watched } = calendar;
  const edges = edgeSeconds(partitions);
  const states = partitions.map((partition) =>
    calendarStateOf(partition, {
      moved: partition.seal !== null && partition.seal.pending + partition.seal.corrections > 0,
      claimed: partition.claimedBy !== null,
      warned: watched,
    }),
  );
  return (
    <CalendarBoard
      dataset={name}
      unit={unit}
      packed={packEdges(zone, edges)}
      states={states.map((state) => CALENDAR_CODES[state]).join('')}
      rows={partitions.length > MOST_COUNTS ? null : partitions.map(({ rows }) => rows)}
      claims={claimsByPlace(calendar)}
      odd={oddPartitions(zone, unit, edges)}
      oddLabel={unit === 'day' ? '23 h or 25 h' : 'of another length'}
    />
  );
}

function claimsByPlace({ partitions }: DatasetCalendar): [number, number, string][] {
  const claims: [number, number, string][] = [];
  partitions.forEach(({ claimedBy }, at) => {
    if (claimedBy === null) return;
    const last = claims.at(-1);
    if (last && last[1] === at && last[2] === claimedBy) last[1] = at + 1;
    else claims.push([at, at + 1, claimedBy]);
  });
  return claims;
}

function Chosen({
  calendar,
  selection,
  actor,
}: {
  calendar: DatasetCalendar;
  selection: Selection | 'none' | 'unknown';
  actor: Parameters<typeof SelectionPanel>[0]['actor'];
}) {
  if (selection === 'none') {
    return (
      <Panel label="Selected">
        <Empty title="Nothing is selected.">
          A press selects a partition, a drag or Shift with the arrow keys several; what they hold,
          who has them and what can be done stands here then.
        </Empty>
      </Panel>
    );
  }
  if (selection === 'unknown') {
    return (
      <Panel label="Selected">
        <Empty
          title="The calendar has no such stretch."
          action={
            <ButtonLink size="sm" href={`/datasets/${calendar.name}/calendar`} scroll={false}>
              Select none
            </ButtonLink>
          }
        >
          A stretch is named by the start of its first partition and the end of its last, as
          instants in UTC.
        </Empty>
      </Panel>
    );
  }
  return <SelectionPanel calendar={calendar} selection={selection} actor={actor} />;
}

function Nothing({ calendar: { name, activeGeneration } }: { calendar: DatasetCalendar }) {
  return (
    <Panel label="Calendar">
      <Empty
        title="There is no partition yet."
        action={
          <ButtonLink size="sm" href={`/datasets/${name}`}>
            Dataset
          </ButtonLink>
        }
      >
        {activeGeneration === null
          ? 'The first generation is being loaded; its partitions stand here once it serves.'
          : 'The generation in use holds no row, and nobody has claimed, run or published anything.'}
      </Empty>
    </Panel>
  );
}
