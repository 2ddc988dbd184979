import { type Column, DataTable } from '@/components/ui/data-table';
import { Empty } from '@/components/ui/empty';
import { Panel } from '@/components/ui/panel';
import type { Conserved } from '@/lib/domain/dataset';
import { type ContractCheck, contractName, type ExpectedDiff } from '@/lib/domain/release';

const code = (text: string) => <code>{text}</code>;

/** Declared reasons for rows to change. */
export function RulesPanel({ rules }: { rules: readonly ExpectedDiff[] }) {
  const columns: readonly Column<ExpectedDiff>[] = [
    {
      key: 'rule',
      head: 'Rule',
      nowrap: true,
      card: { full: true },
      cell: ({ rule }) => <b>{rule}</b>,
    },
    {
      key: 'where',
      head: 'Where',
      card: { label: 'Where', full: true },
      cell: ({ where }) => code(where),
    },
    {
      key: 'columns',
      head: 'Accounts for',
      card: { label: 'Accounts for', full: true },
      cell: ({ columns: names }) => names.join(', '),
    },
  ];
  return (
    <Panel title="Expected differences" count={rules.length} flush>
      <DataTable
        caption="Rules"
        cards={2}
        rows={rules}
        rowKey={({ rule }) => rule}
        columns={columns}
        empty={
          <Empty title="No rule.">
            Every row that changes is unexplained and stops the release.
          </Empty>
        }
      />
    </Panel>
  );
}

/** What holds of every row of the candidate. */
export function ContractPanel({ contract }: { contract: readonly ContractCheck[] }) {
  const columns: readonly Column<ContractCheck>[] = [
    {
      key: 'name',
      head: 'Check',
      card: { full: true },
      cell: (item) => <b>{item.check === 'sql' ? item.name : item.check}</b>,
    },
    {
      key: 'of',
      head: 'Of',
      card: { label: 'Of', full: true },
      cell: (item) =>
        item.check === 'sql' ? (
          <>no row where {code(item.where_bad)}</>
        ) : (
          <>
            {code(item.column)}
            {item.check === 'null_ratio' && ` NULL in at most ${item.max} of the rows`}
          </>
        ),
    },
  ];
  return (
    <Panel title="Contract" count={contract.length} flush>
      <DataTable
        caption="Contract"
        cards={2}
        rows={contract}
        rowKey={contractName}
        columns={columns}
        empty={<Empty title="No check beside the reconciliation’s own." />}
      />
    </Panel>
  );
}

/** Sums that may not change. */
export function ConservedPanel({ conserved }: { conserved: readonly Conserved[] | undefined }) {
  const columns: readonly Column<Conserved>[] = [
    { key: 'name', head: 'Sum', card: { full: true }, cell: ({ name }) => <b>{name}</b> },
    { key: 'old', head: 'Old', card: { label: 'Old' }, cell: (item) => code(item.old) },
    { key: 'new', head: 'New', card: { label: 'New' }, cell: (item) => code(item.new) },
    {
      key: 'source',
      head: 'Of the facts',
      card: { label: 'Of the facts', full: true },
      cell: ({ source }) => (source ? code(source) : <span className="q">not compared</span>),
    },
  ];
  return (
    <Panel title="Conserved sums" count={conserved?.length} flush>
      <DataTable
        caption="Conserved sums"
        cards={2}
        rows={conserved ?? []}
        rowKey={({ name }) => name}
        columns={columns}
        empty={
          conserved === undefined ? (
            <Empty title="The dataset’s own.">They are copied when the draft is pinned.</Empty>
          ) : (
            <Empty title="None: nothing is conserved." />
          )
        }
      />
    </Panel>
  );
}
