import Link from 'next/link';
import { type Column, DataTable } from '@/components/ui/data-table';
import { Empty } from '@/components/ui/empty';
import { Panel } from '@/components/ui/panel';
import { SqlDiff } from '@/components/ui/sql-diff';
import type { Change, Json } from '@/lib/domain/json';
import { diffSpecs } from '@/lib/domain/release';
import type { SpecView } from '@/lib/queries/spec';

/** Members that differ in every revision, or that another panel shows better. */
const ELSEWHERE =
  /^\/(release|policy|transform\/|source\/snapshot|columns|timezone|partition|schema)/;

/** What this revision says otherwise than the one before it. */
export function ChangesPanel({ view }: { view: SpecView }) {
  const { before, spec } = view;
  if (!before) return null;
  const changes = diffSpecs(before.spec, spec).filter(
    (change) =>
      !ELSEWHERE.test(change.pointer) && !(isEmpty(change.before) && isEmpty(change.after)),
  );
  const columns: readonly Column<Change>[] = [
    {
      key: 'field',
      head: 'Field',
      card: { full: true },
      cell: ({ pointer }) => <b>{pointer.slice(1).replaceAll('/', ' › ')}</b>,
    },
    {
      key: 'before',
      head: before.release,
      card: { label: before.release, full: true },
      cell: (change) => <Said value={change.before} />,
    },
    {
      key: 'after',
      head: view.release,
      card: { label: view.release, full: true },
      cell: (change) => <Said value={change.after} />,
    },
  ];
  const rewritten = before.sql !== null && view.new !== null && before.sql !== view.new.sql;
  return (
    <>
      <Panel
        title="Changed since the revision before"
        id="changes"
        note={<Link href={`/releases/${before.release}/spec`}>{before.release}</Link>}
        flush
      >
        <DataTable
          caption={`Fields that differ from ${before.release}`}
          cards={2}
          rows={changes}
          rowKey={({ pointer }) => pointer}
          columns={columns}
          empty={
            <Empty title={rewritten ? 'Nothing but its transform.' : 'Nothing but its name.'} />
          }
        />
      </Panel>
      {rewritten && (
        <Panel title={`Transform changed since ${before.release}`}>
          <SqlDiff
            before={before.sql ?? ''}
            after={view.new?.sql ?? ''}
            oldHead={before.release}
            newHead={view.release}
            names={[`Transform of ${before.release}`, `Transform of ${view.release}`]}
          />
        </Panel>
      )}
    </>
  );
}

/** The editor writes a limit without a figure where another hand leaves it out: that is no change. */
const isEmpty = (value: Json | undefined) =>
  value === undefined ||
  value === null ||
  (typeof value === 'object' && Object.keys(value).length === 0);

function Said({ value }: { value: Json | undefined }) {
  if (value === undefined) return <span className="q">not said</span>;
  if (typeof value === 'string') return <span className="said">{value}</span>;
  return <code className="said">{JSON.stringify(value)}</code>;
}
