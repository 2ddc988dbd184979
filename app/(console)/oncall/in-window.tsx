'use client';

import Link from 'next/link';
import { KeepOpen } from '@/components/release/keep-open';
import { PrimaryAction } from '@/components/release/primary-action';
import { StateBadge } from '@/components/release/state-badge';
import { Steps } from '@/components/release/steps';
import { Facts } from '@/components/ui/figure';
import { countText, figureText } from '@/components/ui/figure-text';
import { Note } from '@/components/ui/note';
import { Panel } from '@/components/ui/panel';
import { clockText, durationText } from '@/components/ui/progress';
import { say } from '@/components/ui/toaster';
import { plural } from '@/lib/domain/figures';
import { ROLLBACK_LIMIT_SECONDS, rollbackEstimateSeconds } from '@/lib/domain/rollback';
import type { OncallRelease, RollbackRun } from '@/lib/queries/oncall-view';
import { signedText } from '../_parts/signed-text';
import { ToldLine } from '../_parts/told';
import { useMove, words } from '../_parts/use-move';
import { When } from '../_parts/when';
import { CopyRecord } from './copy-record';
import type { OncallCan } from './oncall-view';
import type { OncallData } from './read';
import { recordOf } from './record';
import { stepsOf } from './steps';
import { tookText } from './took-text';

interface Props {
  release: OncallRelease;
  data: OncallData;
  you: string;
  can: OncallCan;
  refresh: () => Promise<void>;
}

/** A release in its rollback window: what a rollback would take, and whether it may be made. */
export function InWindow(props: Props) {
  const { release, data, can } = props;
  const { zone, rollback } = release;
  const offered =
    can['release.rollback'] &&
    data.blockers[release.release] !== undefined &&
    rollback?.state !== 'done';
  return (
    <Panel
      title={<Link href={`/releases/${release.release}`}>{release.release}</Link>}
      note={<StateBadge release={release.state as never} pill />}
      aside={<Link href={`/datasets/${release.dataset}`}>{release.dataset}</Link>}
    >
      {rollback?.state === 'done' ? (
        <Ended release={release} run={rollback} />
      ) : (
        <>
          {rollback?.state === 'failed' && (
            <Note tone="bad" title="The last rollback did not come through.">
              {rollback.why ?? 'No reason was kept.'}
            </Note>
          )}
          {rollback?.state === 'called_off' && (
            <Note title={`A rollback was called off, ${clockText(rollback.elapsedSeconds)} in.`}>
              {`${plural(BigInt(rollback.eventsReplayed), 'event')} replayed already; the next try goes on from there.`}
            </Note>
          )}
          <Facts items={factsOf(release)} />
          {release.serving && release.standing < release.needed && <Unsigned {...props} />}
        </>
      )}
      <KeepOpen of={offered ? 'rollback' : ''}>
        {offered && (
          <>
            <div className="sub hide-m">
              <RollBack {...props} />
            </div>
            <div className="stick">
              <RollBack {...props} />
            </div>
          </>
        )}
      </KeepOpen>
      <p className="s m after-steps">
        Cut over by {release.cutoverBy}, <When zone={zone} at={release.cutoverAt} />.
      </p>
    </Panel>
  );
}

function factsOf(release: OncallRelease) {
  const { zone, measured, needed, standing } = release;
  const events = Number(release.eventsToReplay);
  const estimate = rollbackEstimateSeconds(events, measured?.rate ?? null);
  return [
    {
      term: 'Window',
      value: release.keptUntil ? (
        <>
          until <When zone={zone} at={release.keptUntil} />
          {release.windowSeconds !== null && `, ${durationText(release.windowSeconds)} left`}
        </>
      ) : (
        `${release.oldGeneration} is ${release.oldState}`
      ),
    },
    {
      term: 'Back to',
      value: (
        <>
          <span className="mono">{release.oldGeneration}</span>, {release.oldState}
        </>
      ),
    },
    {
      term: 'To replay',
      value: `${countText(events, 'event')}${measured ? ` at ${figureText(Math.round(measured.rate))}/s, measured by ${measured.from}` : ''}`,
    },
    {
      term: 'Estimate',
      value:
        estimate === null
          ? 'not measured yet; the rate shows as soon as a replay runs'
          : `${tookText(estimate)} of ${clockText(ROLLBACK_LIMIT_SECONDS)}`,
    },
    {
      term: 'Signature',
      value:
        standing >= needed ? (
          <StateBadge look={{ label: signedText(standing, needed), hue: 'ok', icon: 'ok' }} />
        ) : (
          <StateBadge look={{ label: `${standing} of ${needed}`, hue: 'wait', icon: 'void' }} />
        ),
    },
  ];
}

/** Without a signature there is no rollback and no bypass: whom to call. */
function Unsigned({ release, you, can }: Props) {
  const free = release.approvers.filter(
    (a) =>
      a.author === null && !release.signatures.some((s) => s.standing && s.person === a.person),
  );
  const mine = can['release.sign-rollback'] && free.some((a) => a.person === you);
  return (
    <div className="sub">
      <Note tone="wait" icon="sign" title="Not signed, so it cannot be rolled back.">
        <p>Call an approver. Signing takes one screen, also on a phone.</p>
        <ul className="call">
          {free.map((a) => (
            <li key={a.person}>
              <b>{a.person}</b> <span className="m">{a.displayName}</span>
              {a.email && (
                <a className="btn sm push" href={`mailto:${a.email}`}>
                  Write to {a.person}
                </a>
              )}
            </li>
          ))}
        </ul>
        {free.length === 0 && <p>Nobody holds the role approver who may: ask an admin.</p>}
        {mine && (
          <p>
            <Link className="btn sm" href={`/releases/${release.release}/approval#your-signature`}>
              Sign the rollback
            </Link>
          </p>
        )}
      </Note>
    </div>
  );
}

function RollBack({ release, data, refresh }: Props) {
  const move = useMove({ release: release.release, version: release.version, now: data.now });
  const events = Number(release.eventsToReplay);
  return (
    <PrimaryAction
      label={`Roll back ${release.release}`}
      pendingLabel="Asking…"
      variant="stop"
      size="lg"
      wide
      icon="back"
      blockers={data.blockers[release.release] ?? []}
      confirm={{
        title: `Roll back ${release.release}?`,
        body: (
          <div className="col">
            <p>
              The clock starts at once, against {clockText(ROLLBACK_LIMIT_SECONDS)}.{' '}
              {countText(events, 'event')} written since the cutover {events === 1 ? 'is' : 'are'}{' '}
              replayed into {release.oldGeneration}, so no write is lost; then one switch moves
              every reader of {release.dataset} back.
            </p>
            <p>
              Readers stay on {release.generation} until the switch. It can be called off until
              then. A release that is sealed on this dataset loses its seal.
            </p>
          </div>
        ),
        comment: 'required',
        commentLabel: 'Why, for the audit chain',
        confirmLabel: `Roll back ${release.release}`,
      }}
      action={({ comment, key }) =>
        move(
          'rollback',
          {
            ...words(comment),
            ...(release.evidence === null ? {} : { evidence: release.evidence }),
          },
          key,
        )
      }
      onDone={() => {
        say(`Rolling back ${release.release}`, 'The clock runs.');
        void refresh();
      }}
    />
  );
}

/** It is done: how long it took, step by step. */
function Ended({ release, run }: { release: OncallRelease; run: RollbackRun }) {
  const late = run.elapsedSeconds > ROLLBACK_LIMIT_SECONDS;
  return (
    <>
      <Note
        {...(late ? { tone: 'bad' as const } : { icon: 'ok' as const })}
        title={`Rolled back in ${tookText(run.elapsedSeconds)} of ${clockText(ROLLBACK_LIMIT_SECONDS)}.`}
      >
        {`${release.dataset} serves ${release.oldGeneration}; ${countText(Number(run.eventsReplayed), 'event')} written since the cutover ${run.eventsReplayed === '1' ? 'is' : 'are'} in it.`}
      </Note>
      {run.told !== null && run.told.total > 0 && (
        <p className="sub m">
          <ToldLine told={run.told} dataset={release.dataset} />
        </p>
      )}
      <details className="sub">
        <summary className="s m">each step as it landed</summary>
        <Steps label="Steps of the rollback" steps={stepsOf(release, run)} />
      </details>
      <CopyRecord record={recordOf(release, run)} />
    </>
  );
}
