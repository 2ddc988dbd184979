import Link from 'next/link';
import { StateBadge } from '@/components/release/state-badge';
import { ButtonLink } from '@/components/ui/button';
import { type Column, DataTable } from '@/components/ui/data-table';
import { Empty } from '@/components/ui/empty';
import type { AdminBudget, BudgetFigure } from '@/lib/queries/admin-budgets';
import { When } from '../_parts/when';
import { budgetWords, waitWords } from './budget-words';

/** Releases with what each may use and uses; nothing is changed here. */
export function BudgetsTable({ budgets }: { budgets: readonly AdminBudget[] }) {
  return (
    <DataTable<AdminBudget>
      caption="Budgets"
      cards={2}
      rows={budgets}
      rowKey={({ id }) => id}
      columns={COLUMNS}
      empty={
        <Empty
          title="No release uses a budget."
          action={
            <ButtonLink size="sm" href="/releases">
              All releases
            </ButtonLink>
          }
        >
          A budget is written in a release’s draft and frozen when it is pinned. It stands here
          until the release is over, or its rollback window is.
        </Empty>
      }
    />
  );
}

const COLUMNS: Column<AdminBudget>[] = [
  {
    key: 'release',
    head: 'Release',
    card: { full: true },
    cell: ({ release, dataset }) => (
      <>
        <b className="named">
          <Link href={`/releases/${release}/build`}>{release}</Link>
        </b>
        <span className="s">
          of <Link href={`/datasets/${dataset}`}>{dataset}</Link>
        </span>
      </>
    ),
  },
  {
    key: 'state',
    head: 'State',
    width: '24%',
    card: { full: true },
    cell: (row) => <State row={row} />,
  },
  figure('concurrency', 'At once'),
  figure('sourceRowsPerSecond', 'Source rows per s'),
  figure('warehouseSeconds', 'Warehouse time'),
  figure('maxLiveLagSeconds', 'Live lag'),
  figure('maxBufferedEvents', 'Buffered events'),
  figure('maxSealedSeconds', 'Sealed for'),
];

function figure(name: BudgetFigure, head: string): Column<AdminBudget> {
  return {
    key: name,
    head,
    number: true,
    card: { label: head },
    cell: (row) => {
      const words = budgetWords(name, row);
      return (
        <>
          {words.figure}
          {words.notes.map((note) => (
            <span className="s" key={note}>
              {note}
            </span>
          ))}
          {words.over && <span className="s bad">over the limit</span>}
        </>
      );
    },
  };
}

function State({ row }: { row: AdminBudget }) {
  const { state, building, paused, held, draining, serving, windowUntil, zone } = row;
  return (
    <>
      <span className="row role-tags">
        <StateBadge release={state} turning={building > 0} />
        {paused !== null && <StateBadge flag="paused" />}
        {held !== null && <StateBadge flag="held" />}
        {draining && <StateBadge flag="draining" />}
      </span>
      {waitWords(row).map((text) => (
        <span className="s wrap" key={text}>
          {text}
        </span>
      ))}
      {state === 'ACTIVE' && (
        <span className="s wrap">
          {serving ? 'serving' : 'not serving any more'}
          {windowUntil !== null && (
            <>
              , may be rolled back until <When zone={zone} at={windowUntil} />
            </>
          )}
        </span>
      )}
    </>
  );
}
