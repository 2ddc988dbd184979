import Link from 'next/link';
import type { ReactNode } from 'react';
import { ButtonLink } from '@/components/ui/button';
import { DataTable } from '@/components/ui/data-table';
import { Facts, Figure } from '@/components/ui/figure';
import { countText } from '@/components/ui/figure-text';
import { Icon } from '@/components/ui/icon';
import { Panel } from '@/components/ui/panel';
import { durationText } from '@/components/ui/progress';
import type { Told } from '@/lib/domain/notices';
import type { CutoverPage, ShardBarrier } from '@/lib/queries/cutover-view';
import { address } from '../../../_parts/search';
import { ToldLine } from '../../../_parts/told';
import { When } from '../../../_parts/when';

const Arrow = () => <Icon name="right" className="q" label="to" />;

/** What the switch moves, or moved; `children` is the button that does it. */
export function Moves({ page, children }: { page: CutoverPage; children?: ReactNode }) {
  const { cutover } = page;
  return (
    <Panel title={cutover === null ? 'What it moves' : 'What it moved'}>
      <Facts
        items={[
          {
            term: 'Pointer',
            value: (
              <>
                <span className="mono">{cutover?.from ?? page.oldGeneration ?? 'none'}</span>
                <br />
                <Arrow />{' '}
                <span className="mono">{cutover?.to ?? page.generation ?? 'not pinned'}</span>
              </>
            ),
          },
          {
            term: 'Epoch',
            value: (
              <>
                {cutover?.epochBefore ?? page.epoch} sealed <Arrow />{' '}
                {cutover?.epochAfter ?? page.epoch + 1} open
              </>
            ),
          },
          {
            term: 'Inherited',
            value:
              cutover === null
                ? 'everything outside the range, by reference'
                : `${countText(page.inherited, 'range')}, by reference`,
          },
          ...(page.sealed === null || page.sealed === 0
            ? []
            : [{ term: 'Sealed', value: <SealedOfRange page={page} sealed={page.sealed} /> }]),
          ...(cutover === null
            ? [
                {
                  term: 'Kept',
                  value:
                    page.rollbackWindowSeconds === null
                      ? 'set at the pin'
                      : `${page.oldGeneration} for ${durationText(page.rollbackWindowSeconds)}`,
                },
              ]
            : [
                {
                  term: 'At',
                  value: (
                    <>
                      <When zone={page.zone} at={cutover.at} />, by {cutover.by}
                    </>
                  ),
                },
                {
                  term: 'Kept',
                  value: cutover.keptUntil ? (
                    <>
                      {cutover.from} until <When zone={page.zone} at={cutover.keptUntil} />
                    </>
                  ) : (
                    `${cutover.from} is ${cutover.fromState}`
                  ),
                },
                ...toldFacts(page, cutover.told),
              ]),
        ]}
      />
      {cutover !== null && page.serving && cutover.fromState === 'kept' && (
        <div className="sub">
          <ButtonLink href="/oncall" icon="back" wide>
            To on-call, to roll back…
          </ButtonLink>
        </div>
      )}
      {children}
    </Panel>
  );
}

const toldFacts = (page: CutoverPage, told: Told | null) =>
  told === null
    ? []
    : [{ term: 'Notices', value: <ToldLine told={told} dataset={page.dataset} /> }];

/** What was published is not moved: it goes on being served, and corrections are written beside it. */
function SealedOfRange({ page, sealed }: { page: CutoverPage; sealed: number }) {
  return (
    <>
      {countText(sealed, 'partition')} {sealed === 1 ? 'keeps' : 'keep'} what was published;{' '}
      <Link
        href={address('/corrections', {
          tab: page.cutover === null ? undefined : 'history',
          dataset: page.dataset,
          ...(page.cutover === null
            ? { from: page.from ?? undefined, to: page.to ?? undefined }
            : { release: page.release }),
        })}
      >
        {page.cutover === null
          ? 'corrections are written instead'
          : sealed === 1
            ? 'corrections of it'
            : 'corrections of them'}
      </Link>
    </>
  );
}

/** The barrier per shard, and where both generations are. */
export function ShardTable({ page }: { page: CutoverPage }) {
  const done = page.cutover !== null;
  const none = page.shards.every((shard) => shard.barrier === null);
  return (
    <Panel title="Barrier per shard">
      {none ? (
        <p className="m">
          The seal fixes the barrier: one offset for each of the {page.shards.length} shards.
        </p>
      ) : (
        <DataTable<ShardBarrier>
          caption="Barrier per shard"
          rows={page.shards}
          rowKey={(row) => String(row.shard)}
          columns={[
            { key: 'shard', head: 'Shard', cell: (row) => row.shard },
            {
              key: 'barrier',
              head: done ? 'Barrier' : 'Expected',
              number: true,
              cell: (row) => <Offset value={row.barrier} />,
            },
            {
              key: 'candidate',
              head: done ? 'New, now' : 'Candidate',
              number: true,
              cell: (row) => <Offset value={row.candidate} />,
            },
            {
              key: 'old',
              head: done ? 'Old, now' : 'Old',
              number: true,
              cell: (row) => <Offset value={row.old} />,
            },
            {
              key: 'equal',
              head: <span className="sr">Equal</span>,
              number: true,
              cell: (row) => <Equal shard={row} done={done} />,
            },
          ]}
        />
      )}
    </Panel>
  );
}

function Offset({ value }: { value: string | null }) {
  return value === null ? <span className="q">none</span> : <Figure value={value} />;
}

/** Before the switch both stand at the barrier; after it the new one has it, the old one stays. */
function Equal({ shard, done }: { shard: ShardBarrier; done: boolean }) {
  const { barrier, old, candidate } = shard;
  const holds =
    barrier !== null &&
    candidate !== null &&
    (done ? BigInt(candidate) >= BigInt(barrier) : candidate === barrier && old === barrier);
  return (
    <Icon
      name={holds ? 'ok' : 'bad'}
      className={holds ? 'ok' : 'bad'}
      label={holds ? 'holds' : 'fails'}
    />
  );
}
