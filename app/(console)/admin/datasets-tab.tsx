import Link from 'next/link';
import { Fragment, type ReactNode } from 'react';
import { type Column, DataTable } from '@/components/ui/data-table';
import { Empty } from '@/components/ui/empty';
import { type Policy, policySchema } from '@/lib/domain/dataset';
import type { AdminDataset } from '@/lib/queries/admin';
import { type PolicyDataset, PolicyForm } from './policy-form';
import { type PolicyWords, policyWords } from './policy-words';

interface Row extends PolicyDataset {
  source: string;
  words: PolicyWords;
}

const rowOf = ({ policy: stored, ...dataset }: AdminDataset): Row => {
  // a field that came after the policy was written down has its default
  const policy: Policy = policySchema.parse(stored);
  return { ...dataset, policy, words: policyWords(policy, dataset.unit, dataset.zone) };
};

/** Datasets with their policies in words. */
export function DatasetsTable({
  datasets,
  may,
}: {
  datasets: readonly AdminDataset[];
  may: boolean;
}) {
  const columns: Column<Row>[] = [
    {
      key: 'name',
      head: 'Dataset',
      card: { full: true },
      cell: ({ name, source, unit, zone, underWay }) => (
        <>
          <b className="named">
            <Link href={`/datasets/${name}`}>{name}</Link>
          </b>
          <span className="s">
            of <Link href={`/sources/${source}`}>{source}</Link>, by {unit} in {zone}
          </span>
          {underWay.length > 0 && (
            <span className="s">
              under way: <Releases names={underWay} />
            </span>
          )}
        </>
      ),
    },
    two('signatures', 'Signatures', ({ words }) => [
      `${words.cutover} for a cutover, ${words.rollback} for a rollback`,
      words.signers,
    ]),
    two('window', 'Rollback window', ({ words }) => [words.window, `a lease is ${words.lease}`]),
    two('drill', 'Drill before a cutover', ({ words }) => [words.drill, null]),
    two('runs', 'Runs', ({ words }) => [words.cron, words.secondPerson]),
  ];
  if (may) {
    columns.push({
      key: 'act',
      head: <span className="sr">Change</span>,
      number: true,
      card: { full: true },
      cell: ({ words: _, source: __, ...dataset }) => <PolicyForm dataset={dataset} />,
    });
  }
  return (
    <DataTable<Row>
      caption="Datasets"
      cards={2}
      rows={datasets.map(rowOf)}
      rowKey={({ name }) => name}
      columns={columns}
      empty={
        <Empty title="There is no dataset yet.">
          One is declared with <span className="mono">interlock dataset apply</span> or the API. Its
          policy is changed here; everything else of it only by a release.
        </Empty>
      }
    />
  );
}

/** A cell of a first line and a second one under it. */
function two(key: string, head: string, lines: (row: Row) => [ReactNode, ReactNode]): Column<Row> {
  return {
    key,
    head,
    card: { full: true, label: head },
    cell: (row) => {
      const [first, second] = lines(row);
      return (
        <>
          {first}
          {second && <span className="s">{second}</span>}
        </>
      );
    },
  };
}

function Releases({ names }: { names: readonly string[] }) {
  return names.map((name, at) => (
    <Fragment key={name}>
      {at > 0 && ', '}
      <Link href={`/releases/${name}`}>{name}</Link>
    </Fragment>
  ));
}
