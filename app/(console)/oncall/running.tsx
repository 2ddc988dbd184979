'use client';

import Link from 'next/link';
import { PrimaryAction } from '@/components/release/primary-action';
import { RtoClock, useTicking } from '@/components/release/rto-clock';
import { StateBadge } from '@/components/release/state-badge';
import { Steps } from '@/components/release/steps';
import { Icon } from '@/components/ui/icon';
import { Panel } from '@/components/ui/panel';
import { clockText } from '@/components/ui/progress';
import { say } from '@/components/ui/toaster';
import type { Instant } from '@/lib/domain/instant';
import { addSeconds } from '@/lib/domain/instant';
import { ROLLBACK_LIMIT_SECONDS, rollbackEstimateSeconds } from '@/lib/domain/rollback';
import type { OncallRelease, RollbackRun } from '@/lib/queries/oncall-view';
import { useMove, words } from '../_parts/use-move';
import { timeText } from '../_parts/when';
import type { OncallCan } from './oncall-view';
import type { OncallData } from './read';
import { stepsOf } from './steps';

/** On the track of the clock the words of the start end about here. */
const NEAR_SECONDS = 180;

/** A rollback whose clock runs: the clock, each step as it lands, and the way out before the switch. */
export function Running({
  release,
  data,
  can,
  refresh,
}: {
  release: OncallRelease;
  data: OncallData;
  can: OncallCan;
  refresh: () => Promise<void>;
}) {
  const run = release.rollback as RollbackRun;
  const estimate = rollbackEstimateSeconds(
    Number(run.eventsToReplay),
    release.measured?.rate ?? null,
    { replayed: Number(run.eventsReplayed), elapsedSeconds: run.elapsedSeconds },
  );
  const { zone } = release;
  const title = `Rolling back ${release.release}`;
  return (
    <>
      <Panel
        title={title}
        id={`rollback-${release.id}`}
        aside={
          <span className="s m">
            {release.dataset}, <span className="mono">{release.generation}</span>{' '}
            <Icon name="right" label="to" /> <span className="mono">{release.oldGeneration}</span>
          </span>
        }
        note={
          <StateBadge release="ROLLED_BACK" pill>
            Rollback running
          </StateBadge>
        }
      >
        <RtoClock
          elapsedSeconds={run.elapsedSeconds}
          limitSeconds={ROLLBACK_LIMIT_SECONDS}
          running
          // near the start the estimate's word needs the place
          startText={
            estimate !== null && estimate < NEAR_SECONDS ? '' : timeText(zone, run.requestedAt)
          }
          endText={timeText(zone, addSeconds(run.requestedAt as Instant, ROLLBACK_LIMIT_SECONDS))}
          {...(estimate === null ? {} : { estimateSeconds: Math.round(estimate) })}
        />
        <div className="sub">
          <Steps
            label={`Steps of the rollback of ${release.release}`}
            steps={stepsOf(release, run)}
            turning
          />
        </div>
        <p className="s m">
          If a step fails, ingress reopens on {release.generation} and this page says what does not
          agree. <Link href={`/releases/${release.release}`}>The release</Link>
        </p>
        {can['release.call-off'] && (
          <div className="sub hide-m">
            <CallOff release={release} now={data.now} refresh={refresh} />
          </div>
        )}
      </Panel>
      <div className="stick">
        <a className="btn" href={`#rollback-${release.id}`}>
          <Elapsed run={run} />
        </a>
        {can['release.call-off'] && <CallOff release={release} now={data.now} refresh={refresh} />}
      </div>
    </>
  );
}

function Elapsed({ run }: { run: RollbackRun }) {
  const seconds = useTicking(run.elapsedSeconds, true);
  return `${clockText(seconds, { padded: true })} of ${clockText(ROLLBACK_LIMIT_SECONDS)}`;
}

function CallOff({
  release,
  now,
  refresh,
}: {
  release: OncallRelease;
  now: string;
  refresh: () => Promise<void>;
}) {
  const move = useMove({ release: release.release, version: release.version, now });
  return (
    <PrimaryAction
      label="Call it off…"
      pendingLabel="Calling it off…"
      variant="no"
      confirm={{
        title: `Call the rollback of ${release.release} off?`,
        body: (
          <p>
            Readers and writers stay on {release.generation}. What was replayed stays true, so the
            next try goes on from there. After the switch it cannot be called off any more.
          </p>
        ),
        comment: 'optional',
        commentLabel: 'Why',
        confirmLabel: 'Call the rollback off',
      }}
      action={({ comment, key }) => move('call-off', words(comment), key)}
      onDone={() => {
        say(`The rollback of ${release.release} is called off`);
        void refresh();
      }}
    />
  );
}
