'use client';

import Link from 'next/link';
import type { ReactNode } from 'react';
import { useLive } from '@/components/hooks/use-live';
import { StateBadge } from '@/components/release/state-badge';
import { ButtonLink } from '@/components/ui/button';
import { BigFigure } from '@/components/ui/figure';
import { countText, figureText } from '@/components/ui/figure-text';
import { Note } from '@/components/ui/note';
import { PageHead } from '@/components/ui/page-head';
import { Panel } from '@/components/ui/panel';
import { durationText } from '@/components/ui/progress';
import { Term } from '@/components/ui/term';
import type { DatasetServing } from '@/lib/queries/dataset-serving';
import { ContaminatedLink } from '../../_parts/contaminated-link';
import { asOf, TimeOfDay } from '../../_parts/when';
import { ClaimsPanel } from './claims-panel';
import { ContaminatedPanel, type MarkRights } from './contaminated-panel';
import { Generations } from './generations';
import { DatasetReleases, QuarantineList } from './lists';
import { ServingShards } from './serving-shards';

/** A dataset as it is served; what is fixed at its declaration comes as `side` and `children`. */
export function DatasetPageView({
  initial,
  totals,
  published,
  reports,
  subscribers,
  claiming,
  marks,
  warning,
  side,
  children,
}: {
  initial: DatasetServing;
  totals: ReactNode;
  published: ReactNode;
  reports: ReactNode;
  subscribers: ReactNode;
  /** Under which name the one who looks claims; null for who may not. */
  claiming: string | null;
  /** What the one who looks may do with contaminated marks. */
  marks: MarkRights;
  /** What is missing of it, where anything is. */
  warning?: ReactNode;
  side: ReactNode;
  children: ReactNode;
}) {
  const { data, refresh } = useLive<DatasetServing>({
    url: `/datasets/${initial.name}/live`,
    initial,
    asOf: asOf(initial.timezone),
  });
  return (
    <>
      <PageHead
        title={data.name}
        badges={
          <>
            <StateBadge ingress={data.ingress.state} pill />
            <ContaminatedLink dataset={data.name} count={data.contaminated.length} pill />
          </>
        }
        facts={[
          <span key="grain">
            one row per <span className="mono">{data.key.join(', ')}</span>
          </span>,
          `by ${data.partition}, ${data.timezone}`,
          <span key="source">
            of source <Link href={`/sources/${data.source}`}>{data.source}</Link>
          </span>,
        ]}
        action={
          <ButtonLink href={`/datasets/${data.name}/calendar`} icon="grid">
            Calendar
          </ButtonLink>
        }
      />
      <div className="stack">
        {warning}
        {data.activeGeneration === null && (
          <Note icon="building" title={`The first generation, ${data.loading}, is being loaded.`}>
            Readers get it as soon as it holds what the log held when the dataset was declared.
          </Note>
        )}
        <Head data={data} />
        <div className="grid side">
          <div className="stack">
            <Generations data={data} />
            {totals}
            {published}
            <ContaminatedPanel data={data} can={marks} refresh={refresh} />
            <ClaimsPanel data={data} claiming={claiming} refresh={refresh} />
            <QuarantineList data={data} />
            {reports}
            {subscribers}
            {children}
            <DatasetReleases data={data} />
          </div>
          <div className="stack">
            <ServingShards data={data} />
            {side}
          </div>
        </div>
      </div>
    </>
  );
}

function Head({ data }: { data: DatasetServing }) {
  const { ingress } = data;
  const leases = data.holds.reduce((sum, hold) => sum + hold.openLeases, 0);
  const sealed = ingress.state === 'SEALED';
  return (
    <Panel label="Served now">
      <div className="figs">
        <BigFigure
          label={<Term name="generation">In use</Term>}
          value={<span className="fit">{data.activeGeneration ?? 'none yet'}</span>}
          note={`since the ${data.generationCount > 1 ? 'last switch' : 'first load'}, epoch ${ingress.epoch}`}
        />
        <BigFigure
          label={<Term name="ingress seal">Ingress</Term>}
          value={sealed ? 'sealed' : 'open'}
          note={sealed ? `by ${ingress.sealer ?? 'nobody'}` : 'live writes are applied'}
          hue={sealed ? 'wait' : 'ok'}
          icon={sealed ? 'lock' : 'active'}
        />
        <BigFigure
          label={<Term name="lag" />}
          value={durationText(ingress.lagSeconds)}
          note={
            data.appliedAt ? (
              <>
                {figureText(ingress.buffered)} events wait; applied last{' '}
                <TimeOfDay zone={data.timezone} at={data.appliedAt} />
              </>
            ) : (
              'nothing was applied yet'
            )
          }
        />
        <BigFigure
          label={<Term name="quarantined event">Quarantined</Term>}
          value={figureText(ingress.quarantined)}
          note={
            ingress.quarantined === 0
              ? 'every event became a row'
              : 'their keys keep the last good row'
          }
          {...(ingress.quarantined > 0 ? { hue: 'wait' as const, icon: 'warn' as const } : {})}
        />
        <BigFigure
          label={<Term name="lease">Readers’ leases</Term>}
          value={figureText(leases)}
          note={`on ${countText(data.holds.filter((h) => h.openLeases > 0).length, 'generation')}`}
        />
      </div>
    </Panel>
  );
}
