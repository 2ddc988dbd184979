import Link from 'next/link';
import { StateBadge } from '@/components/release/state-badge';
import { MiniRail } from '@/components/release/state-rail';
import type { LineState } from '@/components/release/states';
import { ButtonLink } from '@/components/ui/button';
import { type Column, DataTable } from '@/components/ui/data-table';
import { Empty } from '@/components/ui/empty';
import { Panel } from '@/components/ui/panel';
import { plural } from '@/lib/domain/figures';
import type { ReleaseBrief } from '@/lib/queries/release-brief';
import { whenZoned } from '../times';
import { nextText } from '../wait-words';

/** Releases that are not over, each as a small rail, with who does what next. */
export function InFlightPanel({ briefs }: { briefs: readonly ReleaseBrief[] }) {
  return (
    <Panel title="Releases in flight" count={briefs.length} countHref="/releases" flush>
      <DataTable
        caption="Releases in flight"
        cards={2}
        rows={briefs}
        rowKey={(brief) => brief.id}
        columns={inFlight}
        empty={
          <Empty
            title="No release is in flight."
            action={
              <ButtonLink size="sm" href="/releases">
                All releases
              </ButtonLink>
            }
          >
            An owner drafts one to recompute part of a dataset’s history.
          </Empty>
        }
      />
    </Panel>
  );
}

const name: Column<ReleaseBrief> = {
  key: 'name',
  head: 'Release',
  card: { full: true },
  cell: ({ release, dataset, turn }) => (
    <>
      <b>
        <Link href={`/releases/${release}`}>{release}</Link>
      </b>
      <span className="s">
        {dataset}
        {turn.planned > 0 && ` · ${plural(turn.planned, 'partition')}`}
      </span>
    </>
  ),
};

const inFlight: readonly Column<ReleaseBrief>[] = [
  name,
  {
    key: 'state',
    head: 'State',
    cell: ({ turn, running, paused, held }) => (
      <>
        <StateBadge release={turn.state} turning={running > 0} />
        {held ? (
          <StateBadge flag="held">held by {held.by}</StateBadge>
        ) : (
          paused && <StateBadge flag="paused">paused by {paused.by}</StateBadge>
        )}
      </>
    ),
  },
  {
    key: 'rail',
    head: 'Rail',
    cell: ({ turn, lastOnLine }) => (
      <MiniRail current={turn.state} reached={lastOnLine as LineState} />
    ),
  },
  {
    key: 'next',
    head: 'Next',
    card: { full: true },
    cell: (brief) => {
      const { next, detail } = nextText(brief);
      return (
        <>
          {next}
          {detail && <span className="s">{detail}</span>}
        </>
      );
    },
  },
  { key: 'owner', head: 'Owner', card: { hide: true }, cell: ({ owner }) => owner },
];

/** Ends that come by themselves, or whose reason is told where they were asked for. */
const UNSAID: Partial<Record<string, string>> = {
  RETIRED: 'what it replaced is no longer kept',
  ROLLED_BACK: 'the old generation serves again',
};

/** The newest releases that ended, with why. */
export function EndedPanel({ briefs, now }: { briefs: readonly ReleaseBrief[]; now: string }) {
  if (briefs.length === 0) return null;
  const ended: readonly Column<ReleaseBrief>[] = [
    name,
    { key: 'state', head: 'Ended as', cell: ({ turn }) => <StateBadge release={turn.state} /> },
    {
      key: 'why',
      head: 'Why',
      card: { full: true },
      cell: ({ since, turn }) => (
        <span className="m">{since.why ?? UNSAID[turn.state] ?? 'no reason given'}</span>
      ),
    },
    {
      key: 'when',
      head: 'By, when',
      cell: ({ since, zone }) => {
        const told = whenZoned(zone, since.at, now);
        return (
          <>
            {since.by}
            <time className="s nw" dateTime={told.utc} title={told.utc}>
              {told.text}
            </time>
          </>
        );
      },
    },
  ];
  return (
    <Panel title="Ended lately" count="all" countHref="/releases?state=ended" flush>
      <DataTable
        caption="Releases that ended lately"
        cards={2}
        rows={briefs}
        rowKey={(brief) => brief.id}
        columns={ended}
      />
    </Panel>
  );
}
