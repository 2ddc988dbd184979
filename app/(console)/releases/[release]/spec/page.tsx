import type { Metadata } from 'next';
import Link from 'next/link';
import { DigestChip } from '@/components/ui/digest-chip';
import { Facts } from '@/components/ui/figure';
import { Interval } from '@/components/ui/interval';
import { Panel } from '@/components/ui/panel';
import { SqlDiff } from '@/components/ui/sql-diff';
import { Tag } from '@/components/ui/tag';
import { formatDecimal } from '@/lib/domain/figures';
import type { ReleaseSpec } from '@/lib/domain/release';
import { cutoverMarks } from '@/lib/queries/cutover-marks';
import { type SpecView, specView } from '@/lib/queries/spec';
import { webDatabase } from '@/lib/web/db';
import { decodedPart } from '@/lib/web/page-data';
import { orNotFound } from '../../../_parts/access';
import { ends, moment, whenZoned } from '../../../times';
import { MarksPanel } from '../marks';
import { readHeader } from '../read';
import { ChangesPanel } from './changes-panel';
import { ConservedPanel, ContractPanel, RulesPanel } from './rule-panels';

export const metadata: Metadata = { title: 'Spec' };

interface Props {
  params: Promise<{ release: string }>;
}

/** What was ordered: every frozen field, the transform beside the one it replaces, and by whom. */
export default async function SpecPage({ params }: Props) {
  const reference = decodedPart((await params).release);
  // the header's read says who is signed in, and that they may see it
  const { brief } = await readHeader(reference);
  const view = await orNotFound(specView(webDatabase(), reference));
  const spec = view.spec as Partial<ReleaseSpec>;
  return (
    <div className="grid side l">
      <div className="stack">
        <TransformPanel view={view} />
        <RulesPanel rules={spec.expectedDiff ?? []} />
        <ContractPanel contract={spec.contract ?? []} />
        <ConservedPanel conserved={spec.conserved} />
        <ChangesPanel view={view} />
        <MarksPanel
          marks={await cutoverMarks(webDatabase(), brief.id)}
          state={brief.turn.state}
          dataset={brief.dataset}
          zone={brief.zone}
        />
        <Panel title="As JSON" note="the canonical form, of which the digest is taken">
          <details>
            <summary>{view.digest ? 'frozen' : 'as it is drafted'}</summary>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard. */}
            <pre className="json" tabIndex={0}>
              {JSON.stringify(view.spec, null, 2)}
            </pre>
          </details>
        </Panel>
      </div>
      <div className="stack">
        <OrderPanel view={view} spec={spec} />
        <LimitsPanel view={view} spec={spec} />
        <DigestsPanel view={view} />
        <AuthorsPanel view={view} />
      </div>
    </div>
  );
}

function TransformPanel({ view }: { view: SpecView }) {
  const { old, new: young } = view;
  if (!old || !young) return null;
  const head = (label: string, { digest, commit }: NonNullable<SpecView['old']>) => (
    <>
      {label} {digest && <DigestChip value={digest} />}
      {commit && <Tag>commit {commit.slice(0, 12)}</Tag>}
    </>
  );
  return (
    <Panel
      title="Transform"
      note={old.sql === young.sql ? 'the same text as the one that it replaces' : undefined}
    >
      <SqlDiff
        before={old.sql}
        after={young.sql}
        oldHead={head(view.digest ? 'old' : 'old, in use', old)}
        newHead={head('new', young)}
      />
    </Panel>
  );
}

function OrderPanel({ view, spec }: { view: SpecView; spec: Partial<ReleaseSpec> }) {
  const { range } = spec;
  const frozen = view.digest !== null;
  const items = [
    {
      term: 'Dataset',
      value: spec.dataset ? <Link href={`/datasets/${spec.dataset}`}>{spec.dataset}</Link> : 'none',
    },
    ...(range
      ? [
          {
            term: 'Range',
            value: (
              <Interval {...ends(view.zone, range.from, range.to === 'open' ? null : range.to)} />
            ),
          },
        ]
      : []),
    { term: 'Partition', value: `${spec.partition ?? 'the dataset’s'}, ${view.zone}` },
    {
      term: 'Source',
      value: `${spec.source?.name ?? 'none'}, ${spec.source?.pin ?? 'SNAPSHOT'}`,
    },
    ...(view.snapshot
      ? [
          {
            term: 'Snapshot',
            value: (
              <>
                <span className="mono">{view.snapshot.name}</span>
                <span className="s m"> {formatDecimal(view.snapshot.rows)} facts</span>
              </>
            ),
          },
        ]
      : []),
    {
      term: 'Replaces',
      value: view.oldGeneration ? (
        <span className="mono">{view.oldGeneration}</span>
      ) : (
        'what is in use when it is pinned'
      ),
    },
    {
      term: 'Into',
      value: <span className="mono">{spec.targetGeneration}</span>,
    },
    { term: 'Writes', value: spec.writeMode ?? 'REPLACE_RANGE' },
    { term: 'Deletes', value: spec.deletes ?? 'ABSENCE_IS_DELETE' },
    { term: 'Owner', value: spec.owner ?? 'who drafted it' },
  ];
  return (
    <Panel title="Order" note={frozen ? 'frozen' : 'a draft'}>
      <Facts items={items} />
    </Panel>
  );
}

const said = (value: number | undefined, none = 'not said') =>
  value === undefined ? none : formatDecimal(String(value));

function LimitsPanel({ view, spec }: { view: SpecView; spec: Partial<ReleaseSpec> }) {
  const { budget, stopLoss, approvals, expected, deadline } = spec;
  const due = deadline ? moment(view.zone, deadline) : null;
  const rows =
    expected?.rows?.min === undefined && expected?.rows?.max === undefined
      ? 'not said'
      : `${said(expected.rows?.min, 'any')} to ${said(expected.rows?.max, 'any')}`;
  return (
    <Panel title="Limits and approvals">
      <Facts
        numbers
        items={[
          { term: 'Partitions at once', value: said(budget?.concurrency) },
          { term: 'Sealed at most', value: `${said(budget?.maxSealedSeconds)} s` },
          { term: 'Live lag at most', value: `${said(budget?.maxLiveLagSeconds)} s` },
          { term: 'Buffered at most', value: said(budget?.maxBufferedEvents) },
          { term: 'Pause at failed', value: said(stopLoss?.failedPartitions) },
          { term: 'Stop at unexplained', value: said(stopLoss?.unexplainedRows) },
          { term: 'Expected partitions', value: said(expected?.partitions) },
          { term: 'Expected rows', value: rows },
          { term: 'Sign the cutover', value: said(approvals?.cutover) },
          { term: 'Sign the rollback', value: said(approvals?.rollback) },
          {
            term: 'Deadline',
            value: due ? (
              <time dateTime={due.utc} title={due.utc}>
                {due.text}
              </time>
            ) : (
              'none'
            ),
          },
        ]}
      />
    </Panel>
  );
}

function DigestsPanel({ view }: { view: SpecView }) {
  const digests = [
    ['Release', view.digest],
    ['Plan', view.planDigest],
    ['Columns', view.columnsDigest],
    ['Old transform', view.old?.digest],
    ['New transform', view.new?.digest],
    ['Lock', view.new?.lock],
    ['Evidence', view.evidence],
  ] as const;
  const present = digests.flatMap(([term, value]) =>
    value ? [{ term, value: <DigestChip value={value} /> }] : [],
  );
  return (
    <Panel title="Digests" note={view.digest ? undefined : 'most come with the pin'}>
      <Facts items={present} />
    </Panel>
  );
}

function AuthorsPanel({ view }: { view: SpecView }) {
  return (
    <Panel title="Authors" note="none of them may sign it">
      <ul className="authors">
        {view.authors.map(({ person, how, at }) => {
          const told = whenZoned(view.zone, at, view.now);
          return (
            <li key={person}>
              <b>{person}</b>
              <span className="m">{how}</span>
              <time className="s q push" dateTime={told.utc} title={told.utc}>
                {told.text}
              </time>
            </li>
          );
        })}
      </ul>
    </Panel>
  );
}
