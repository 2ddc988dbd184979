import Link from 'next/link';
import { RtoClock } from '@/components/release/rto-clock';
import { ButtonLink } from '@/components/ui/button';
import { Empty } from '@/components/ui/empty';
import { Panel } from '@/components/ui/panel';
import { formatClock } from '@/lib/domain/figures';
import { ROLLBACK_LIMIT_SECONDS } from '@/lib/domain/rollback';
import type { DrillView } from '@/lib/queries/drills';
import type { LastRollback } from '@/lib/queries/overview';
import type { ReleaseBrief } from '@/lib/queries/release-brief';
import { tookText } from '../oncall/took-text';
import { whenZoned } from '../times';

/** The rollback clocks that run, or how the last one went. */
export function ClocksPanel({
  briefs,
  last,
  drill,
  now,
}: {
  briefs: readonly ReleaseBrief[];
  last: LastRollback | null;
  drill: DrillView | null;
  now: string;
}) {
  const running = briefs.filter(({ turn }) => turn.rollingBack);
  return (
    <Panel title="Rollback clocks">
      {running.length === 0 ? (
        <Empty
          title="No rollback is running."
          action={
            <ButtonLink size="sm" href="/oncall">
              Open on-call
            </ButtonLink>
          }
        >
          {last === null ? 'None was ever asked for.' : <Last last={last} now={now} />}
          {drill?.rollbackSeconds != null && (
            <>
              {' '}
              The last drill, of <Link href={`/releases/${drill.release}`}>{drill.release}</Link>,
              took {tookText(drill.rollbackSeconds)}.
            </>
          )}
        </Empty>
      ) : (
        <div className="col">
          {running.map((brief) => (
            <div key={brief.id} className="col">
              <p>
                <Link href="/oncall">{brief.release}</Link> rolls back, {brief.dataset}
              </p>
              <RtoClock elapsedSeconds={brief.rollbackSeconds ?? 0} running />
            </div>
          ))}
        </div>
      )}
    </Panel>
  );
}

function Last({ last, now }: { last: LastRollback; now: string }) {
  const told = whenZoned(last.zone, last.requestedAt, now);
  const how = last.state === 'done' ? 'took' : `was ${last.state.replace('_', ' ')} after`;
  return (
    <>
      The last one, <Link href={`/releases/${last.release}`}>{last.release}</Link>, {how}{' '}
      {tookText(last.seconds)} of {formatClock(ROLLBACK_LIMIT_SECONDS)},{' '}
      <time dateTime={told.utc} title={told.utc}>
        {told.text}
      </time>
      .
    </>
  );
}
