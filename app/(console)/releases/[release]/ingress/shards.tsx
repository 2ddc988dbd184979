'use client';

import { DataTable } from '@/components/ui/data-table';
import { Empty } from '@/components/ui/empty';
import { Figure } from '@/components/ui/figure';
import { figureText } from '@/components/ui/figure-text';
import { Icon } from '@/components/ui/icon';
import { Panel } from '@/components/ui/panel';
import { Term } from '@/components/ui/term';
import type { IngressEvent, IngressSeal, ShardStand } from '@/lib/queries/ingress-seal';
import { When } from '../../../_parts/when';
import { gapOf, type Phase, phaseOf } from './phase';

const total = (shards: readonly ShardStand[], pick: (shard: ShardStand) => string | null) =>
  String(shards.reduce((sum, shard) => sum + BigInt(pick(shard) ?? '0'), 0n));

/** Both generations in every shard of the log, against the barrier where there is one. */
export function Shards({ data }: { data: IngressSeal }) {
  const { shards } = data;
  const phase = phaseOf(data);
  const hasBarrier = shards.some((shard) => shard.barrier !== null);
  const hasCandidate = shards.some((shard) => shard.candidate !== null);
  const offset = (value: string | null) =>
    value === null ? <span className="q">none</span> : <Figure value={value} />;
  return (
    <Panel title="Shards" count={shards.length} note={`of source ${data.source}`} flush>
      <DataTable<ShardStand>
        caption="Offsets per shard"
        cards={3}
        rows={shards}
        rowKey={(row) => String(row.shard)}
        total={{
          shard: 'all',
          end: figureText(total(shards, (s) => s.logEnd)),
          old: figureText(total(shards, (s) => s.old)),
          ...(hasCandidate ? { candidate: figureText(total(shards, (s) => s.candidate)) } : {}),
          ...(hasBarrier ? { barrier: figureText(total(shards, (s) => s.barrier)) } : {}),
        }}
        columns={[
          {
            key: 'shard',
            head: 'Shard',
            card: { full: true },
            cell: (row) => `shard ${row.shard}`,
          },
          {
            key: 'end',
            head: 'Log’s end',
            number: true,
            card: { label: 'Log’s end' },
            cell: (row) => offset(row.logEnd),
          },
          {
            key: 'old',
            head: `Old, ${data.oldGeneration ?? data.activeGeneration ?? ''}`,
            number: true,
            card: { label: 'Old' },
            cell: (row) => offset(row.old),
          },
          {
            key: 'candidate',
            head: `New, ${data.generation ?? 'not pinned'}`,
            number: true,
            card: { label: 'New' },
            cell: (row) => offset(row.candidate),
          },
          {
            key: 'barrier',
            head: <Term name="barrier" />,
            number: true,
            card: { label: 'Barrier' },
            cell: (row) => offset(row.barrier),
          },
          ...(phase === 'over'
            ? []
            : [
                {
                  key: 'state',
                  head: phase === 'before' ? 'Candidate' : 'New',
                  width: '132px',
                  card: { two: true },
                  cell: (row: ShardStand) => <Progress shard={row} phase={phase} />,
                },
              ]),
        ]}
      />
    </Panel>
  );
}

function Progress({ shard, phase }: { shard: ShardStand; phase: Phase }) {
  if (shard.candidate === null) return <span className="q">not pinned</span>;
  const gap = gapOf(shard, phase);
  if (gap === 0n) {
    return (
      <span className="st near">
        <Icon name="caught" />
        level
      </span>
    );
  }
  // one line like every other: rows that grow would move what somebody is reading
  return (
    <span className="st run">
      <Icon name="building" />
      {figureText(gap)} behind
    </span>
  );
}

const SAID: Record<string, string> = {
  'release.seal': 'sealed ingress',
  'release.reopen': 'reopened ingress',
  'release.activate': 'cut over',
  'release.rolled-back': 'rolled back',
  'release.trouble': 'reconciliation required',
  'release.call-off': 'called a rollback off',
};

const TRIED: Record<string, string> = {
  'release.seal': 'tried to seal',
  'release.reopen': 'tried to reopen',
  'release.activate': 'tried to cut over',
  'release.call-off': 'tried to call off',
};

/** Who won each seal and when, and who was refused. */
export function SealHistory({ data }: { data: IngressSeal }) {
  return (
    <Panel title="Seals and switches" note={`of ${data.dataset}, newest first`} flush>
      <DataTable<IngressEvent>
        caption="Seals and switches"
        cards={2}
        rows={data.events}
        rowKey={(row) => row.id}
        empty={
          <Empty title="Ingress has never been sealed.">
            The first seal, who won it, and every try that was refused will stand here.
          </Empty>
        }
        columns={[
          {
            key: 'at',
            head: 'When',
            card: { full: true },
            cell: (row) => <When zone={data.zone} at={row.at} />,
          },
          {
            key: 'what',
            head: 'What',
            card: { full: true },
            cell: (row) => (
              <>
                <span className={row.outcome === 'refused' ? 'st bad' : 'st'}>
                  <Icon name={row.outcome === 'refused' ? 'bad' : iconOf(row.verb)} />
                  <b>{row.actor}</b>{' '}
                  {(row.outcome === 'refused' ? TRIED[row.verb] : SAID[row.verb]) ?? row.verb}
                </span>
                {row.reason && <span className="s wrap">{row.reason}</span>}
              </>
            ),
          },
          { key: 'release', head: 'For', card: { label: 'For' }, cell: (row) => row.release },
          {
            key: 'epoch',
            head: <Term name="ingress epoch">Epoch</Term>,
            number: true,
            card: { label: 'Epoch' },
            cell: (row) => <Epochs event={row} />,
          },
        ]}
      />
    </Panel>
  );
}

const iconOf = (verb: string) =>
  verb === 'release.seal' ? 'lock' : verb === 'release.activate' ? 'active' : 'back';

function Epochs({ event }: { event: IngressEvent }) {
  if (event.epochBefore !== null && event.epochAfter !== null) {
    return `${event.epochBefore} → ${event.epochAfter}`;
  }
  return event.epochAfter ?? event.epochBefore ?? <span className="q">–</span>;
}
