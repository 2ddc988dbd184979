import type { Metadata } from 'next';
import { PageTop } from '@/components/shell/page-top';
import { waitFor } from '@/lib/domain/next-move';
import { may } from '@/lib/domain/permissions';
import { gapsOf } from '@/lib/queries/dataset-gaps';
import { overview } from '@/lib/queries/overview';
import { overviewStamp } from '@/lib/queries/stamp';
import { unrevisedBriefs } from '@/lib/queries/unrevised';
import { webDatabase } from '@/lib/web/db';
import { signedIn } from '@/lib/web/session';
import { NoAccess } from './_parts/access';
import { GapsNote } from './datasets/[dataset]/calendar/gaps-note';
import { LiveRefresh } from './live-refresh';
import { ClocksPanel } from './overview/clocks-panel';
import { DatasetsPanel } from './overview/datasets-panel';
import { MovesPanel } from './overview/moves-panel';
import { EndedPanel, InFlightPanel } from './overview/releases-panels';
import { WaitsPanel } from './overview/waits-panel';
import { asOf, commonZone } from './times';
import './_parts/parts.css';

export const metadata: Metadata = { title: 'Overview' };

/** What waits for me, what is served, what is under way. */
export default async function OverviewPage() {
  const actor = await signedIn('/');
  if (!may(actor.roles, 'release.read')) {
    return (
      <NoAccess actor={actor} verb="release.read" what="What is served and what is under way." />
    );
  }
  const db = webDatabase();
  const { stamp } = await overviewStamp(db);
  const viewer = { person: actor.person, roles: actor.roles };
  const found = await overview(db, viewer);
  const zone = commonZone(found.datasets.map((dataset) => dataset.zone));
  const waits = [...found.inFlight, ...(await unrevisedBriefs(db, viewer))]
    .flatMap((brief) => {
      const wait = waitFor(brief.turn, brief.person);
      return wait === null ? [] : [{ brief, wait }];
    })
    .sort((a, b) => b.wait.urgency - a.wait.urgency);
  const gaps = await gapsOf(db);
  const read = asOf(zone, found.now);
  return (
    <>
      <PageTop crumbs={[{ label: 'Overview' }]} asOf={read} />
      <LiveRefresh
        url={`/live/stamp?zone=${encodeURIComponent(zone)}`}
        stamp={stamp}
        asOf={read}
        everyMs={5000}
      />
      <h1 className="sr">Overview</h1>
      <div className="stack">
        <WaitsPanel waits={waits} actor={actor} now={found.now} />
        {gaps.map((one) => (
          <GapsNote key={one.dataset} gaps={one} mayRun={may(actor.roles, 'dataset.run')} named />
        ))}
        <DatasetsPanel datasets={found.datasets} />
        <div className="grid side">
          <div className="stack">
            <InFlightPanel briefs={found.inFlight} />
            <ClocksPanel
              briefs={found.inFlight}
              last={found.lastRollback}
              drill={found.lastDrill}
              now={found.now}
            />
            <EndedPanel briefs={found.ended} now={found.now} />
          </div>
          <MovesPanel moves={found.moves} zone={zone} now={found.now} />
        </div>
      </div>
    </>
  );
}
