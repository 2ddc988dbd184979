import Link from 'next/link';
import { StateBadge } from '@/components/release/state-badge';
import { ButtonLink } from '@/components/ui/button';
import { type Column, DataTable } from '@/components/ui/data-table';
import { Empty } from '@/components/ui/empty';
import { figureText } from '@/components/ui/figure-text';
import { Filters } from '@/components/ui/filters';
import { Pager } from '@/components/ui/pager';
import { Panel } from '@/components/ui/panel';
import { isReleaseOwner } from '@/lib/domain/claims';
import { plural } from '@/lib/domain/figures';
import { isForClaim } from '@/lib/domain/gaps';
import type { RunPage } from '@/lib/queries/run-page';
import {
  RUN_PARTITION_FILTERS,
  type RunPartitionFilter,
  type RunPartitionItem,
  runPartitionPage,
} from '@/lib/queries/run-partitions';
import { webDatabase } from '@/lib/web/db';
import { address } from '../../_parts/search';
import { partitionHref } from '../../corrections/links';
import { ends } from '../../times';
import { OUTCOME_LOOKS, reasonWords } from '../words';

const perPage = 50;

const LABELS: Record<RunPartitionFilter, string> = {
  planned: 'Planned',
  done: 'Done',
  changed: 'Changed',
  skipped: 'Skipped',
  failed: 'Failed',
};

/** Every partition of a run with what became of it, why, and the rows before and after. */
export async function PartitionsPanel({
  run,
  zone,
  show: asked,
  cursor,
}: {
  run: Pick<RunPage, 'id' | 'dataset' | 'counts'>;
  zone: string;
  show: string | undefined;
  cursor: string | undefined;
}) {
  const show = RUN_PARTITION_FILTERS.find((filter) => filter === asked);
  const page = await runPartitionPage(webDatabase(), run.id, show, { limit: perPage, cursor });
  const { counts } = run;
  const all = counts.planned + counts.done + counts.skipped + counts.failed;
  const href = (filter: string | undefined, next?: string) =>
    address(`/runs/${run.id}`, { show: filter, cursor: next }, '#partitions');
  return (
    <Panel title="Partitions" id="partitions" count={all} flush>
      <div className="pad col list-filters">
        <Filters
          label="Outcome"
          current={show ?? 'all'}
          items={[
            { value: 'all', label: 'All', count: all, href: href(undefined) },
            ...RUN_PARTITION_FILTERS.filter((filter) => counts[filter] > 0 || filter === show).map(
              (filter) => ({
                value: filter,
                label: LABELS[filter],
                count: counts[filter],
                href: href(filter),
              }),
            ),
          ]}
        />
      </div>
      <DataTable<RunPartitionItem>
        caption="Partitions of the run"
        cards={2}
        rows={page.items}
        rowKey={({ start }) => start}
        columns={columnsOf(run.dataset, zone)}
        empty={
          <Empty
            title="None of its partitions is in this state."
            action={
              <ButtonLink size="sm" href={href(undefined)} scroll={false}>
                Show all
              </ButtonLink>
            }
          >
            {`It has ${plural(all, 'partition')}.`}
          </Empty>
        }
      />
      {page.items.length > 0 && (
        <Pager
          text={`${plural(page.items.length, 'partition')} of ${figureText(show ? counts[show] : all)}, in order of time, ${zone}`}
          firstHref={cursor ? href(show) : undefined}
          nextHref={page.nextCursor ? href(show, page.nextCursor) : undefined}
        />
      )}
    </Panel>
  );
}

function columnsOf(dataset: string, zone: string): readonly Column<RunPartitionItem>[] {
  return [
    {
      key: 'partition',
      head: `Partition, ${zone}`,
      card: { full: true },
      cell: ({ start, end }) => {
        const { from, to, fromUtc, toUtc } = ends(zone, start, end);
        return (
          <Link
            href={address(`/datasets/${dataset}/calendar`, { from: start, to: end })}
            title={`[${fromUtc}, ${toUtc})`}
          >
            <span className="nw">[{from},</span> <span className="nw">{to})</span>
          </Link>
        );
      },
    },
    {
      key: 'state',
      head: 'Outcome',
      card: { full: true },
      cell: (part) => (
        <>
          <StateBadge
            look={
              part.state === 'skipped' && part.reason === 'no_data'
                ? { ...OUTCOME_LOOKS.skipped, hue: 'idle' }
                : OUTCOME_LOOKS[part.state]
            }
          />
          {part.reason && <Reason dataset={dataset} part={part} />}
        </>
      ),
    },
    {
      key: 'rows',
      head: 'Rows before → after',
      number: true,
      card: { label: 'Rows before → after' },
      cell: ({ rowsBefore, rows }) =>
        rows === null ? (
          <span className="q">untouched</span>
        ) : (
          <span className="nw">
            {rowsBefore === null ? 'none' : figureText(rowsBefore)} → {figureText(rows)}
          </span>
        ),
    },
    {
      key: 'changed',
      head: 'Changed',
      card: { label: 'Changed' },
      cell: ({ changed }) =>
        changed === null ? <span className="q">–</span> : changed ? <b>yes</b> : 'no',
    },
  ];
}

/** Why it was left out, with the way to whoever is in the way. */
function Reason({ dataset, part: { reason, start } }: { dataset: string; part: RunPartitionItem }) {
  if (reason === null) return null;
  const words = reasonWords(reason);
  if (isForClaim(reason)) {
    const owner = reason.slice('claimed_by:'.length);
    const href = isReleaseOwner(owner) ? `/releases/${owner}` : `/datasets/${dataset}#claims`;
    return (
      <span className="s">
        <Link href={href}>{words}</Link>
      </span>
    );
  }
  if (reason === 'sealed') {
    return (
      <span className="s">
        <Link href={partitionHref(dataset, start)}>{words}</Link>
      </span>
    );
  }
  return <span className="s wrap">{words}</span>;
}
