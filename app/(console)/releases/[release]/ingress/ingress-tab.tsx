'use client';

import { useLive } from '@/components/hooks/use-live';
import { PrimaryAction } from '@/components/release/primary-action';
import { RtoClock } from '@/components/release/rto-clock';
import { StateBadge } from '@/components/release/state-badge';
import { BigFigure, Facts } from '@/components/ui/figure';
import { countText, figureText } from '@/components/ui/figure-text';
import { Note } from '@/components/ui/note';
import { Panel } from '@/components/ui/panel';
import { durationText } from '@/components/ui/progress';
import { ProgressBar } from '@/components/ui/progress-bar';
import { Term } from '@/components/ui/term';
import { say } from '@/components/ui/toaster';
import type { IngressSeal } from '@/lib/queries/ingress-seal';
import type { Can } from '../../../_parts/access';
import { type Move, useMove, words } from '../../../_parts/use-move';
import { asOf, timeText, When } from '../../../_parts/when';
import { gapOf, type Phase, phaseOf } from './phase';
import { SealHistory, Shards } from './shards';

/** Ingress of the dataset as this release sees it. */
export function IngressTab({ initial, can }: { initial: IngressSeal; can: Can<'release.reopen'> }) {
  const { data, refresh } = useLive<IngressSeal>({
    url: `/releases/${initial.release}/ingress/live`,
    initial,
    asOf: asOf(initial.zone),
  });
  const move = useMove(data);
  return (
    <div className="stack">
      <Head data={data} />
      <div className="grid side">
        <div className="stack">
          <Shards data={data} />
          <SealHistory data={data} />
        </div>
        <div className="stack">
          <SealPanel data={data} mayReopen={can['release.reopen']} move={move} refresh={refresh} />
          <Limits data={data} />
        </div>
      </div>
    </div>
  );
}

function Head({ data }: { data: IngressSeal }) {
  const over = data.maxLiveLagSeconds !== null && data.lagSeconds > data.maxLiveLagSeconds;
  const sealed = data.ingress === 'SEALED';
  const phase = phaseOf(data);
  const behind = behindOf(data, phase);
  return (
    <Panel label="Ingress">
      <div className="figs">
        <BigFigure
          label={sealed ? 'Sealed' : 'Open'}
          value={`epoch ${data.epoch}`}
          note={
            sealed
              ? `${data.byRollback ? 'by the rollback of' : 'by'} ${data.sealer ?? 'nobody'}`
              : `live writes go to ${data.activeGeneration ?? 'no generation yet'}`
          }
          hue={sealed ? 'wait' : 'ok'}
          icon={sealed ? 'lock' : 'active'}
        />
        <BigFigure
          label={<Term name="lag">Live lag</Term>}
          value={durationText(data.lagSeconds)}
          note={
            sealed
              ? 'a sealed dataset lags by design'
              : data.maxLiveLagSeconds === null
                ? 'no limit yet'
                : `limit ${durationText(data.maxLiveLagSeconds)} to seal`
          }
          {...(over && !sealed ? { hue: 'wait' as const, icon: 'wait' as const } : {})}
        />
        <BigFigure
          label={sealed ? 'Buffered behind the seal' : 'Not applied yet'}
          value={figureText(data.buffered)}
          note={
            data.maxBufferedEvents === null
              ? 'events'
              : `events, limit ${figureText(data.maxBufferedEvents)}`
          }
        />
        {phase !== 'over' && (
          <BigFigure
            label={phase === 'before' ? 'Candidate' : 'New generation'}
            value={behind === null ? 'none' : behind === 0n ? 'level' : figureText(behind)}
            note={
              behind === null
                ? 'the pin makes it'
                : `${behind === 0n ? 'with' : 'events behind'} ${limitText(data, phase)}`
            }
            {...(behind === 0n ? { hue: 'near' as const, icon: 'caught' as const } : {})}
          />
        )}
      </div>
    </Panel>
  );
}

const limitText = (data: IngressSeal, phase: Phase) =>
  phase === 'serving' ? 'the log’s end' : data.mine ? 'the barrier' : 'the generation in use';

/** Events that the new generation lacks up to where it may go; null without one. */
function behindOf(data: IngressSeal, phase: Phase): bigint | null {
  if (data.shards.every((shard) => shard.candidate === null)) return null;
  return data.shards.reduce((sum, shard) => sum + gapOf(shard, phase), 0n);
}

/** Whose press won the seal, and for which release. */
function wonBy({ events, sealer, byRollback }: IngressSeal): string {
  const seal = events.find((e) => e.verb === 'release.seal' && e.outcome === 'done');
  if (byRollback) return `the rollback of ${sealer ?? 'a release'}`;
  return seal && seal.release === sealer ? `${seal.actor}, for ${sealer}` : (sealer ?? 'nobody');
}

function SealPanel({
  data,
  mayReopen,
  move,
  refresh,
}: {
  data: IngressSeal;
  mayReopen: boolean;
  move: Move;
  refresh: () => Promise<void>;
}) {
  if (data.ingress === 'OPEN' || data.sealedAt === null) {
    return (
      <Panel title="Seal" aside={<StateBadge ingress="OPEN" pill />}>
        <p className="m">
          Nobody holds the seal. Sealing is one compare-and-set: it closes epoch {data.epoch} to
          live writers and fixes the barrier at what the generation in use has reached. The log goes
          on accepting events.
        </p>
      </Panel>
    );
  }
  const limit = data.sealedLimitSeconds ?? 0;
  return (
    <Panel title="Seal" aside={<StateBadge ingress="SEALED" pill />}>
      <RtoClock
        label="Sealed for"
        elapsedSeconds={data.sealedSeconds ?? 0}
        limitSeconds={limit}
        running
        startText={timeText(data.zone, data.sealedAt)}
        endText={data.sealedUntil === null ? '' : timeText(data.zone, data.sealedUntil)}
      />
      <div className="sub">
        <Facts
          items={[
            { term: 'Won by', value: wonBy(data) },
            { term: 'At', value: <When zone={data.zone} at={data.sealedAt} /> },
            {
              term: 'Reopens',
              value: data.sealedUntil ? (
                <>
                  by itself, <When zone={data.zone} at={data.sealedUntil} />
                </>
              ) : (
                'never'
              ),
            },
          ]}
        />
      </div>
      {data.mine && mayReopen && (
        <div className="sub col">
          <PrimaryAction
            label="Reopen ingress…"
            pendingLabel="Reopening…"
            variant="no"
            wide
            confirm={{
              title: `Reopen ingress of ${data.dataset}?`,
              body: (
                <p>
                  Epoch {data.epoch + 1} opens on {data.activeGeneration}; what was buffered is
                  applied to it, nothing is lost. {data.release} falls back to BUILDING, and every
                  signature on its final evidence is void.
                </p>
              ),
              comment: 'optional',
              commentLabel: 'Why',
              confirmLabel: 'Reopen ingress',
            }}
            action={({ comment, key }) => move('reopen', words(comment), key)}
            onDone={() => {
              say(`Ingress open, epoch ${data.epoch + 1}`);
              void refresh();
            }}
          />
        </div>
      )}
      {!data.mine && (
        <div className="sub">
          <Note title={`${data.sealer ?? 'Somebody else'} holds the seal.`}>
            A dataset has one seal at a time. {data.release} can seal once it is reopened or cut
            over.
          </Note>
        </div>
      )}
    </Panel>
  );
}

function Limits({ data }: { data: IngressSeal }) {
  const buffered = Number(data.buffered);
  const most = data.maxBufferedEvents === null ? null : Number(data.maxBufferedEvents);
  return (
    <Panel title="Limits" note="frozen at the pin">
      {most !== null && (
        <div className="col limit">
          <span className="row s m">
            <span>Buffer</span>
            <span className="push">
              {figureText(data.buffered)} of {countText(most, 'event')}
            </span>
          </span>
          <ProgressBar
            done={buffered}
            total={most}
            label="Buffered events against the limit"
            hue={buffered > most * 0.8 ? 'wait' : 'run'}
          />
        </div>
      )}
      <Facts
        items={[
          {
            term: 'Sealed at most',
            value:
              data.maxSealedSeconds === null
                ? 'not frozen yet'
                : durationText(data.maxSealedSeconds),
          },
          {
            term: 'Lag at the seal',
            value:
              data.lagAtSealSeconds === null
                ? 'not sealed'
                : `${durationText(Number(data.lagAtSealSeconds))} of ${durationText(data.maxLiveLagSeconds ?? 0)}`,
          },
          {
            term: 'Quarantined',
            value: countText(data.quarantined, 'event of the candidate', 'events of the candidate'),
          },
        ]}
      />
    </Panel>
  );
}
