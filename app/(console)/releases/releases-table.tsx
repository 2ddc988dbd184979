import Link from 'next/link';
import { StateBadge } from '@/components/release/state-badge';
import { type Column, DataTable } from '@/components/ui/data-table';
import { Interval } from '@/components/ui/interval';
import { durationText } from '@/components/ui/progress';
import type { ReleaseRow } from '@/lib/queries/releases';
import { ends, moment } from '../times';
import { CoverageStrip } from './coverage-strip';
import type { SORTS } from './filters';

/** The rows of the list. */
export function ReleasesTable({
  rows,
  now,
  mayDraft,
  sortLink,
}: {
  rows: readonly ReleaseRow[];
  now: string;
  mayDraft: boolean;
  sortLink: SortLink;
}) {
  return (
    <DataTable
      caption="Releases"
      cards={2}
      rows={rows}
      rowKey={({ brief }) => brief.id}
      columns={columnsAt(now, mayDraft, sortLink)}
    />
  );
}

type SortLink = (key: (typeof SORTS)[number]) => Column<ReleaseRow>['sort'];

/** For an age of whole seconds; the instant itself stays exact text. */
const secondsBetween = (from: string, to: string) => (Date.parse(to) - Date.parse(from)) / 1000;

function columnsAt(
  now: string,
  mayDraft: boolean,
  sortLink: SortLink,
): readonly Column<ReleaseRow>[] {
  return [
    {
      key: 'name',
      head: 'Release',
      sort: sortLink('release'),
      card: { full: true },
      cell: ({ brief }) => (
        <>
          <b>
            <Link href={`/releases/${brief.release}`}>{brief.release}</Link>
          </b>
          {brief.targetGeneration && (
            <span className="s">
              into <span className="mono">{brief.targetGeneration}</span>
            </span>
          )}
        </>
      ),
    },
    {
      key: 'dataset',
      head: 'Dataset',
      sort: sortLink('dataset'),
      card: { label: 'Dataset' },
      cell: ({ brief }) => <Link href={`/datasets/${brief.dataset}`}>{brief.dataset}</Link>,
    },
    {
      key: 'state',
      head: 'State',
      sort: sortLink('state'),
      card: { label: 'State' },
      cell: ({ brief }) => (
        <>
          <StateBadge release={brief.turn.state} turning={brief.running > 0}>
            {brief.turn.state === 'ACTIVE' && brief.turn.serving ? 'Active, serving' : undefined}
          </StateBadge>
          {brief.held && <span className="s wait">held by {brief.held.by}</span>}
          {brief.paused && <span className="s wait">paused by {brief.paused.by}</span>}
        </>
      ),
    },
    {
      key: 'range',
      head: 'Range',
      card: { label: 'Range', full: true },
      cell: ({ brief }) =>
        brief.from === null ? (
          <span className="q">not said yet</span>
        ) : (
          <Interval {...ends(brief.zone, brief.from, brief.to)} />
        ),
    },
    {
      key: 'coverage',
      head: 'Coverage',
      width: '136px',
      card: { label: 'Coverage', full: true },
      cell: ({ brief, strip }) => <CoverageStrip brief={brief} strip={strip} />,
    },
    {
      key: 'owner',
      head: 'Owner',
      sort: sortLink('owner'),
      card: { label: 'Owner' },
      cell: ({ brief }) => brief.owner,
    },
    {
      key: 'age',
      head: 'Age',
      sort: sortLink('age'),
      number: true,
      card: { label: 'Age' },
      cell: ({ brief }) => {
        const made = moment(brief.zone, brief.createdAt);
        return (
          <time dateTime={made.utc} title={`${made.text}, ${made.utc}`}>
            {durationText(secondsBetween(brief.createdAt, now))}
          </time>
        );
      },
    },
    ...(mayDraft ? [nextRevision] : []),
  ];
}

const nextRevision: Column<ReleaseRow> = {
  key: 'next',
  head: <span className="sr">Next revision</span>,
  number: true,
  card: { hide: true },
  cell: ({ brief }) =>
    brief.turn.state === 'DRAFT' ? (
      <Link
        className="btn sm"
        href={`/releases/${brief.release}/edit`}
        aria-label={`Edit ${brief.release}`}
      >
        Edit
      </Link>
    ) : (
      <Link
        className="btn sm"
        href={`/releases/new?from=${encodeURIComponent(brief.release)}`}
        aria-label={`Next revision of ${brief.release}`}
      >
        Next revision
      </Link>
    ),
};
