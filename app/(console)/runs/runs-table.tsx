import Link from 'next/link';
import { type Column, DataTable } from '@/components/ui/data-table';
import { figureText } from '@/components/ui/figure-text';
import { Interval, Moment } from '@/components/ui/interval';
import { durationText } from '@/components/ui/progress';
import type { RunItem } from '@/lib/queries/runs';
import { ends, when } from '../times';
import { RunBadge } from './run-badge';

/** The rows of the list. `zones`: each dataset's time zone. */
export function RunsTable({
  rows,
  zones,
  now,
}: {
  rows: readonly RunItem[];
  zones: ReadonlyMap<string, string>;
  now: string;
}) {
  const zoneOf = ({ dataset }: RunItem) => zones.get(dataset) ?? 'UTC';
  const columns: readonly Column<RunItem>[] = [
    {
      key: 'run',
      head: 'Run',
      card: { full: true },
      cell: ({ id, kind, by, retryOf }) => (
        <>
          <b>
            <Link href={`/runs/${id}`}>run {id}</Link>
          </b>
          <span className="s">
            {kind === 'scheduled' ? 'by the clock' : `asked for by ${by}`}
            {retryOf && (
              <>
                , again after <Link href={`/runs/${retryOf}`}>run {retryOf}</Link>
              </>
            )}
          </span>
        </>
      ),
    },
    {
      key: 'dataset',
      head: 'Dataset',
      card: { label: 'Dataset' },
      cell: ({ dataset }) => <Link href={`/datasets/${dataset}`}>{dataset}</Link>,
    },
    {
      key: 'range',
      head: 'Range',
      card: { label: 'Range', full: true },
      cell: (run) => <Interval {...ends(zoneOf(run), run.range.from, run.range.to)} />,
    },
    {
      key: 'state',
      head: 'State',
      card: { label: 'State' },
      cell: (run) => (
        <>
          <RunBadge run={run} />
          {run.why && <span className="s wrap">{run.why}</span>}
        </>
      ),
    },
    {
      key: 'outcome',
      head: 'Outcome',
      card: { label: 'Outcome', full: true },
      cell: (run) => <Outcome run={run} />,
    },
    {
      key: 'owner',
      head: 'For',
      card: { label: 'For' },
      cell: ({ owner, secondNeeded, secondBy }) => (
        <>
          {owner}
          {secondNeeded && (
            <span className="s">
              {secondBy === null ? 'no second person yet' : `confirmed by ${secondBy}`}
            </span>
          )}
        </>
      ),
    },
    {
      key: 'at',
      head: 'Asked',
      number: true,
      card: { label: 'Asked' },
      cell: (run) => {
        const told = when(zoneOf(run), run.createdAt, now);
        return (
          <>
            <Moment text={told.text} utc={told.utc} />
            {run.startedAt && (
              <span className="s">
                took {durationText(secondsBetween(run.startedAt, run.endedAt ?? now))}
                {run.endedAt === null && ' so far'}
              </span>
            )}
          </>
        );
      },
    },
  ];
  return (
    <DataTable caption="Runs" cards={2} rows={rows} rowKey={({ id }) => id} columns={columns} />
  );
}

/** For a length of whole seconds; the instants themselves stay exact text. */
export const secondsBetween = (from: string, to: string) =>
  (Date.parse(to) - Date.parse(from)) / 1000;

/** What became of the partitions: each count leads to them. */
function Outcome({ run: { id, counts } }: { run: RunItem }) {
  const parts = (['planned', 'done', 'skipped', 'failed'] as const).filter((of) => counts[of] > 0);
  return (
    <span>
      {parts.map((of, at) => (
        <span key={of} className="nw">
          {at > 0 && ', '}
          <Link href={`/runs/${id}?show=${of}#partitions`}>
            {figureText(counts[of])} {of}
          </Link>
        </span>
      ))}
      {counts.done > 0 && (
        <span className="s">
          {counts.changed === 0 ? 'nothing changed' : `${figureText(counts.changed)} changed`}
        </span>
      )}
    </span>
  );
}
