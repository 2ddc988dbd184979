'use client';

import { Bars } from '@/components/charts/bars';
import { ThroughputChart } from '@/components/charts/throughput-chart';
import { StateBadge } from '@/components/release/state-badge';
import { Empty } from '@/components/ui/empty';
import { BigFigure, Figure } from '@/components/ui/figure';
import { countText, figureText } from '@/components/ui/figure-text';
import { Note } from '@/components/ui/note';
import { Panel } from '@/components/ui/panel';
import { durationText } from '@/components/ui/progress';
import { type BuildWait, buildWaits } from '@/lib/domain/build-waits';
import type { BuildView, DurationBand } from '@/lib/queries/build-view';
import type { Can } from '../../../_parts/access';
import { useMove } from '../../../_parts/use-move';
import { timeText } from '../../../_parts/when';
import { BuildControls } from './build-controls';
import { Attempts, Failures, Workers } from './build-work';

export type BuildCan = Can<'release.limits' | 'release.pause' | 'release.resume' | 'release.retry'>;

/** Who builds, how fast, and what keeps it. */
export function BuildTab({ data, can }: { data: BuildView; can: BuildCan }) {
  const move = useMove(data);
  const waits = buildWaits({ ...data, snapshotReady: data.snapshot?.ready ?? null });
  if (data.planned === 0) {
    return (
      <Panel label="Build">
        <Empty title="Nothing is planned yet.">
          Pinning the draft freezes its plan; from then on this page shows every partition’s
          attempt, who makes it, and why it waits.
        </Empty>
      </Panel>
    );
  }
  return (
    <div className="stack">
      <Figures data={data} />
      <Waits waits={waits} />
      <div className="grid side">
        <div className="stack">
          <Throughput data={data} />
          {data.failed > 0 && <Failures data={data} can={can} move={move} />}
          <Attempts data={data} />
          <Workers data={data} />
        </div>
        <div className="stack">
          <BuildControls data={data} can={can} move={move} />
          <Durations data={data} />
        </div>
      </div>
    </div>
  );
}

function Figures({ data }: { data: BuildView }) {
  const done = data.receipts === data.planned;
  const rate = data.seconds > 0 ? Number(data.rowsOut) / data.seconds : 0;
  return (
    <Panel label="Progress">
      <div className="figs">
        <BigFigure
          label="Built, by receipts"
          value={`${figureText(data.receipts)} of ${figureText(data.planned)}`}
          note={done ? 'every planned partition has its receipt' : `${data.building} being built`}
          hue={done ? 'ok' : 'run'}
          icon={done ? 'ok' : 'building'}
        />
        <BigFigure
          label="Rows"
          value={figureText(data.rowsOut)}
          note={`of ${figureText(data.factsIn)} facts, ${figureText(data.filtered)} filtered, ${figureText(data.quarantined)} quarantined`}
        />
        <BigFigure
          label="Throughput"
          value={`${figureText(Math.round(rate))}/s`}
          note={`rows, over ${durationText(data.seconds)}`}
        />
        <BigFigure
          label="Failed"
          value={figureText(data.failed)}
          note={
            data.stopLoss === null
              ? 'no stop-loss'
              : `stop-loss pauses at ${countText(data.stopLoss, 'partition')}`
          }
          {...(data.failed > 0 ? { hue: 'bad' as const, icon: 'bad' as const } : {})}
        />
      </div>
    </Panel>
  );
}

function Waits({ waits }: { waits: readonly BuildWait[] }) {
  if (waits.length === 0) return null;
  return (
    <Note
      tone={waits.some((wait) => wait.kind === 'person') ? 'wait' : 'idle'}
      title={waits.length === 1 ? 'Why it waits' : `Why it waits, ${waits.length} reasons`}
    >
      <ul>
        {waits.map((wait) => (
          <li key={wait.code}>{wait.text}</li>
        ))}
      </ul>
    </Note>
  );
}

function Throughput({ data }: { data: BuildView }) {
  return (
    <Panel
      title="Throughput"
      note="rows of receipts per second, and partitions without a receipt"
      aside={data.building > 0 && <StateBadge partition="building" turning />}
    >
      {data.throughput.length === 0 ? (
        <Empty title="No attempt yet.">The first receipt draws the first point.</Empty>
      ) : (
        <ThroughputChart
          label="Rows per second and partitions without a receipt"
          points={data.throughput.map((slot) => ({
            utc: slot.at,
            text: timeText(data.zone, slot.at),
            rate: slot.rowsPerSecond,
            queue: slot.waiting,
          }))}
          queueUnit="partitions wait"
        />
      )}
    </Panel>
  );
}

const ms = (value: number) =>
  value < 1000 ? `${Math.round(value)} ms` : `${Number((value / 1000).toFixed(1))} s`;

const bandText = ({ from, to }: DurationBand) =>
  to === null ? `${ms(from)} or more` : `${ms(from)} to ${ms(to)}`;

function Durations({ data }: { data: BuildView }) {
  const { durations } = data;
  const first = durations.findIndex((band) => band.receipts > 0);
  const last = durations.findLastIndex((band) => band.receipts > 0);
  return (
    <Panel title="Durations" note="of one partition, from claim to receipt">
      {first < 0 ? (
        <Empty title="No receipt yet." />
      ) : (
        <>
          <Bars
            label="Receipts by how long their partition took"
            unit="receipts"
            groupHead="Duration"
            points={durations.slice(Math.max(0, first - 1), last + 2).map((band) => ({
              label: band.to === null ? `≥ ${ms(band.from)}` : `< ${ms(band.to)}`,
              name: bandText(band),
              value: band.receipts,
            }))}
          />
          <p className="s m">
            Half took under {ms(data.durationMedian ?? 0)}, the longest {ms(data.durationMost ?? 0)}
            , <Figure value={data.receipts} /> in all.
          </p>
        </>
      )}
    </Panel>
  );
}
