'use client';

import Link from 'next/link';
import { StateBadge } from '@/components/release/state-badge';
import { cx } from '@/components/ui/cx';
import { DigestChip } from '@/components/ui/digest-chip';
import { Empty } from '@/components/ui/empty';
import { Figure } from '@/components/ui/figure';
import { countText, figureText } from '@/components/ui/figure-text';
import { Panel } from '@/components/ui/panel';
import type { DatasetServing, GenerationHold } from '@/lib/queries/dataset-serving';
import type { GenerationView } from '@/lib/queries/dataset-view';
import { TimeOfDay, When } from '../../_parts/when';

/** Every generation, newest first: what made it, how long it served, what still holds it. */
export function Generations({ data }: { data: DatasetServing }) {
  const holds = new Map(data.holds.map((hold) => [hold.name, hold]));
  const newest = [...data.generations].reverse();
  const more = data.generationCount - newest.length;
  return (
    <Panel title="Generations" count={data.generationCount}>
      {newest.length === 0 ? (
        <Empty title="There is no generation yet." />
      ) : (
        <ol className="gens">
          {newest.map((generation) => (
            <Generation
              key={generation.name}
              generation={generation}
              hold={holds.get(generation.name)}
              zone={data.timezone}
              active={generation.name === data.activeGeneration}
            />
          ))}
        </ol>
      )}
      {more > 0 && (
        <p className="s m">
          And {countText(more, 'earlier generation')} of which no row is left: see{' '}
          <Link href={`/releases?dataset=${data.name}&state=ended`}>the releases that ended</Link>.
        </p>
      )}
    </Panel>
  );
}

function Generation({
  generation,
  hold,
  zone,
  active,
}: {
  generation: GenerationView;
  hold: GenerationHold | undefined;
  zone: string;
  active: boolean;
}) {
  const gone = generation.state === 'retired';
  return (
    <li className={cx(active && 'now', gone && 'gone')} aria-current={active ? 'true' : undefined}>
      <div className="gen-head">
        <b className="mono">{generation.name}</b>
        <StateBadge generation={generation.state} pill />
        <span className="s m push">
          {generation.release ? (
            <Link href={`/releases/${generation.release}`}>{generation.release}</Link>
          ) : (
            'first load'
          )}
        </span>
      </div>
      <p className="s m">
        <Times generation={generation} zone={zone} />
      </p>
      {!gone && hold && (
        <p className="s m">
          {hold.rows === null ? (
            `figures of ${countText(hold.stale, 'partition')} are taken anew when asked for`
          ) : (
            <>
              <Figure value={hold.rows} /> rows
            </>
          )}{' '}
          in {countText(hold.partitions, 'partition')}, {countText(hold.segments, 'segment')},{' '}
          {countText(hold.ranges, 'range')}
          {hold.quarantined > 0 && `, ${figureText(hold.quarantined)} quarantined`}
        </p>
      )}
      <p className="s row">
        transform <DigestChip value={generation.transform} />
        {generation.manifestRoot && (
          <>
            manifest <DigestChip value={generation.manifestRoot} />
          </>
        )}
      </p>
      {hold && hold.openLeases > 0 && <Leases hold={hold} zone={zone} />}
    </li>
  );
}

function Times({ generation, zone }: { generation: GenerationView; zone: string }) {
  const { servedFrom, servedUntil, keptUntil, retiredAt, createdAt, state } = generation;
  if (servedFrom === null) {
    return (
      <>
        made <When zone={zone} at={createdAt} />,{' '}
        {state === 'retired' ? 'never served' : 'not served yet'}
        {retiredAt && (
          <>
            , dropped <When zone={zone} at={retiredAt} />
          </>
        )}
      </>
    );
  }
  return (
    <>
      {state === 'serving' ? 'serves since' : 'served from'} <When zone={zone} at={servedFrom} />
      {servedUntil && (
        <>
          {' '}
          to <When zone={zone} at={servedUntil} />
        </>
      )}
      {state === 'kept' && keptUntil && (
        <>
          , <b>kept until</b> <When zone={zone} at={keptUntil} />
        </>
      )}
      {retiredAt && (
        <>
          , dropped <When zone={zone} at={retiredAt} />
        </>
      )}
    </>
  );
}

function Leases({ hold, zone }: { hold: GenerationHold; zone: string }) {
  return (
    <details className="s">
      <summary>{countText(hold.openLeases, 'lease')} of readers</summary>
      <ul>
        {hold.leases.map((lease) => (
          <li key={`${lease.person} ${lease.since} ${lease.until}`}>
            <b>{lease.person}</b> until <TimeOfDay zone={zone} at={lease.until} />
            {lease.renewable ? ', renewed as it reads' : ', fixed'}
          </li>
        ))}
        {hold.openLeases > hold.leases.length && (
          <li className="q">
            and {figureText(hold.openLeases - hold.leases.length)} that end later
          </li>
        )}
      </ul>
    </details>
  );
}
