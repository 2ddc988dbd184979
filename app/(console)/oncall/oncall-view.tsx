'use client';

import Link from 'next/link';
import { useRouter } from 'next/navigation';
import { useEffect, useRef } from 'react';
import { useLive } from '@/components/hooks/use-live';
import { KeepOpen } from '@/components/release/keep-open';
import { StateBadge } from '@/components/release/state-badge';
import { cx } from '@/components/ui/cx';
import { Empty } from '@/components/ui/empty';
import { Panel } from '@/components/ui/panel';
import { isRollbackRunning } from '@/lib/domain/rollback';
import type { OncallRelease } from '@/lib/queries/oncall-view';
import type { Can } from '../_parts/access';
import { asOf } from '../_parts/when';
import { Drills } from './drills';
import { InWindow } from './in-window';
import { Past } from './past';
import type { OncallData } from './read';
import { Running } from './running';

export type OncallCan = Can<'release.rollback' | 'release.call-off' | 'release.sign-rollback'>;

const running = ({ rollback }: OncallRelease) =>
  rollback !== null && isRollbackRunning(rollback.state);

const inWindow = ({ rollback }: OncallRelease) => rollback?.state !== 'done';

/** Running clocks first, then what can be rolled back, then how it went before. */
export function OncallView({
  initial,
  you,
  can,
}: {
  initial: OncallData;
  you: string;
  can: OncallCan;
}) {
  const zone = initial.releases[0]?.zone ?? 'UTC';
  const { data, refresh } = useLive<OncallData>({
    url: '/oncall/live',
    initial,
    everyMs: initial.releases.some(running) ? 1000 : 2000,
    asOf: asOf(zone),
  });
  const under = data.releases.filter(running);
  // the counts in the nav are the server's; it renders them anew when a clock starts or stops
  const router = useRouter();
  const clocks = under.map((release) => release.id).join();
  const shownClocks = useRef(clocks);
  useEffect(() => {
    if (shownClocks.current === clocks) return;
    shownClocks.current = clocks;
    router.refresh();
  }, [clocks, router]);
  const others = data.releases.filter((release) => !running(release));
  const shared = { data, you, can, refresh };
  if (data.releases.length === 0) {
    return (
      <div className="stack">
        <Panel label="Rollbacks">
          <Empty
            title="Nothing can be rolled back now."
            action={
              <Link className="btn" href="/releases">
                To all releases
              </Link>
            }
          >
            A release stands here from its cutover until its window is over and the generation that
            it replaced is dropped. No clock runs.
          </Empty>
        </Panel>
        <Drills drills={data.drills} />
        <Past past={data.past} />
      </div>
    );
  }
  // where a card stands never changes in the document: what is typed in it outlives a clock's start
  return (
    <div className={cx('grid', under.length > 0 ? 'side l' : 'g2', 'oncall')}>
      <div className="stack">
        {under.map((release) => (
          <Running key={release.id} release={release} {...shared} />
        ))}
        {under.length === 0 && <NoClock any={others.some(inWindow)} />}
      </div>
      <div className="stack cards">
        {data.releases.map((release) => (
          <KeepOpen key={release.id} of={running(release) ? '' : 'window'}>
            {!running(release) && <InWindow release={release} {...shared} />}
          </KeepOpen>
        ))}
      </div>
      <div className="stack past">
        <Drills drills={data.drills} />
        <Past past={data.past} />
      </div>
    </div>
  );
}

function NoClock({ any }: { any: boolean }) {
  return (
    <p className="row s m">
      <StateBadge look={{ label: 'No clock runs', hue: 'ok', icon: 'ok' }} />
      {any ? 'What can be rolled back:' : 'Nothing can be rolled back now.'}
    </p>
  );
}
