import { StateBadge } from '@/components/release/state-badge';
import {
  PARTITION_LOOKS,
  type PartitionStateName,
  type StateLook,
} from '@/components/release/states';
import { ButtonLink } from '@/components/ui/button';
import { type Column, DataTable } from '@/components/ui/data-table';
import { DigestChip } from '@/components/ui/digest-chip';
import { Empty } from '@/components/ui/empty';
import { Facts, Figure } from '@/components/ui/figure';
import { Interval } from '@/components/ui/interval';
import { Panel } from '@/components/ui/panel';
import { durationText } from '@/components/ui/progress';
import { Tag } from '@/components/ui/tag';
import { isZeroDecimal, subtractDecimals } from '@/lib/domain/decimal';
import { plural } from '@/lib/domain/figures';
import type { Instant } from '@/lib/domain/instant';
import { lengthNote } from '@/lib/domain/partition-label';
import type { PartitionUnit } from '@/lib/domain/partition-plan';
import type { AttemptRow, PartitionDetail, PartitionReceipt } from '@/lib/queries/partition-detail';
import { ends, when } from '../../../times';

interface Props {
  release: string;
  zone: string;
  unit: PartitionUnit;
  now: string;
  state: PartitionStateName;
  detail: PartitionDetail;
}

/** One partition: what was tried, what it came to, and what it holds. */
export function PartitionPanel({ release, zone, unit, now, state, detail }: Props) {
  const { start, end, comparison } = detail;
  const note = lengthNote(zone, unit, { start: start as Instant, end: end as Instant });
  const look = PARTITION_LOOKS[state];
  const differences = `/releases/${release}/reconciliation?partition=${encodeURIComponent(start)}`;
  return (
    <Panel
      title={<Interval {...ends(zone, start, end)} />}
      note={
        <span className="row">
          {note && <Tag>{note}</Tag>}
          <StateBadge look={look} turning={state === 'building'} />
        </span>
      }
      aside={
        comparison && (
          <ButtonLink size="sm" href={differences}>
            Differences
          </ButtonLink>
        )
      }
    >
      {detail.state === 'failed' && detail.error && (
        <p className="bad cell-error">{detail.error}</p>
      )}
      <div className="cell-parts">
        <div>
          <h3>Attempts</h3>
          <Attempts attempts={detail.attempts} zone={zone} now={now} />
        </div>
        <div>
          <h3>Receipt</h3>
          {detail.receipt ? (
            <Receipt receipt={detail.receipt} zone={zone} now={now} />
          ) : (
            <p className="q">None yet: it comes with the attempt that is accepted.</p>
          )}
        </div>
        <div>
          <h3>Figures</h3>
          <Figures detail={detail} />
        </div>
      </div>
    </Panel>
  );
}

const OUTCOMES: Record<NonNullable<AttemptRow['outcome']>, StateLook> = {
  accepted: { label: 'Accepted', hue: 'ok', icon: 'ok' },
  verified: { label: 'Verified', hue: 'ok', icon: 'ok' },
  failed: { label: 'Failed', hue: 'bad', icon: 'bad' },
  lost: { label: 'Lease lost', hue: 'idle', icon: 'void' },
  cancelled: { label: 'Cancelled', hue: 'idle', icon: 'void' },
};

const RUNNING: StateLook = { label: 'Running', hue: 'run', icon: 'building' };

/** Under a second it matters that it was not zero. */
function took(seconds: number): string {
  if (seconds < 1) return `${Math.max(1, Math.round(seconds * 1000))} ms`;
  return seconds < 10 ? `${seconds.toFixed(1)} s` : durationText(seconds);
}

function Attempts({
  attempts,
  zone,
  now,
}: {
  attempts: readonly AttemptRow[];
  zone: string;
  now: string;
}) {
  if (attempts.length === 0) {
    return <p className="q">No worker has taken it yet.</p>;
  }
  const columns: readonly Column<AttemptRow>[] = [
    { key: 'n', head: '#', cell: ({ attempt }) => attempt },
    {
      key: 'worker',
      head: 'Worker',
      cell: ({ worker }) => <span title={worker}>{shortWorker(worker)}</span>,
    },
    {
      key: 'started',
      head: 'Started',
      nowrap: true,
      cell: ({ startedAt }) => {
        const told = when(zone, startedAt, now);
        return (
          <time dateTime={told.utc} title={told.utc}>
            {told.text}
          </time>
        );
      },
    },
    { key: 'took', head: 'Took', number: true, cell: ({ seconds }) => took(seconds) },
    {
      key: 'ended',
      head: 'Ended',
      cell: ({ outcome, error }) => (
        <>
          <StateBadge
            look={outcome === null ? RUNNING : OUTCOMES[outcome]}
            turning={outcome === null}
          />
          {error && <span className="s wrap">{error}</span>}
        </>
      ),
    },
  ];
  return (
    <DataTable
      caption="Attempts, newest first"
      rows={attempts}
      rowKey={({ attempt }) => String(attempt)}
      columns={columns}
    />
  );
}

/** `host-4711-ab12`: the host's name may be long, the process is what tells workers apart. */
const shortWorker = (worker: string) => (worker.length > 16 ? `…${worker.slice(-14)}` : worker);

function Receipt({ receipt, zone, now }: { receipt: PartitionReceipt; zone: string; now: string }) {
  const told = when(zone, receipt.at, now);
  return (
    <Facts
      items={[
        { term: 'Input root', value: <DigestChip value={receipt.inputRoot} /> },
        { term: 'Output root', value: <DigestChip value={receipt.outputRoot} /> },
        { term: 'Transform', value: <DigestChip value={receipt.transform} /> },
        { term: 'Token', value: <span className="mono s">{receipt.token}</span> },
        {
          term: 'Written',
          value: (
            <time dateTime={told.utc} title={told.utc}>
              {told.text}
            </time>
          ),
        },
      ]}
    />
  );
}

interface FigureRow {
  name: string;
  old: string | null;
  candidate: string | null;
}

/** Old beside new, and what it came from. */
function Figures({ detail }: { detail: PartitionDetail }) {
  const { receipt, candidate, old, comparison } = detail;
  if (!receipt && !old) {
    return <Empty title="No figures." />;
  }
  const sums = Object.keys({ ...old?.sums, ...candidate?.sums });
  const figures: FigureRow[] = [
    { name: 'rows', old: old?.rows ?? null, candidate: candidate?.rows ?? null },
    ...sums.map((name) => ({
      name,
      old: old?.sums[name] ?? null,
      candidate: candidate?.sums[name] ?? null,
    })),
  ];
  return (
    <>
      <DataTable
        caption="Figures of the old generation and the candidate"
        rows={figures}
        rowKey={({ name }) => name}
        columns={figureColumns}
      />
      {receipt && (
        <p className="s m">
          Built from {plural(BigInt(receipt.factsIn), 'fact')}:{' '}
          {plural(BigInt(receipt.rowsOut), 'row')}, {receipt.filtered} filtered by the transform,{' '}
          {receipt.quarantined} quarantined.
        </p>
      )}
      {receipt && candidate === null && (
        <p className="s m">Catch-up changed it; its figures are being recomputed.</p>
      )}
      {comparison && (
        <p className="s m">
          {comparison.kind === 'final' ? 'Reconciled' : 'Rehearsed'}:{' '}
          {plural(BigInt(comparison.changed), 'row')} changed, {comparison.unexplained} unexplained,{' '}
          {comparison.drift} drift.
        </p>
      )}
    </>
  );
}

const none = <span className="q">none</span>;

const figureColumns: readonly Column<FigureRow>[] = [
  {
    key: 'name',
    head: <span className="sr">Figure</span>,
    cell: ({ name }) => <span className="m">{name}</span>,
  },
  {
    key: 'old',
    head: 'Old',
    number: true,
    cell: ({ old }) => (old === null ? none : <Figure value={old} />),
  },
  {
    key: 'new',
    head: 'Candidate',
    number: true,
    cell: ({ candidate }) => (candidate === null ? none : <Figure value={candidate} />),
  },
  {
    key: 'delta',
    head: 'Δ',
    number: true,
    cell: ({ old, candidate }) => <Delta from={old} to={candidate} />,
  },
];

function Delta({ from, to }: { from: string | null; to: string | null }) {
  if (from === null || to === null) return null;
  const delta = subtractDecimals(to, from);
  return isZeroDecimal(delta) ? <span className="q">0</span> : <Figure value={delta} signed />;
}
