import Link from 'next/link';
import type { ReactNode } from 'react';
import { BigFigure } from '@/components/ui/figure';
import { figureText } from '@/components/ui/figure-text';
import { Panel } from '@/components/ui/panel';
import { durationText } from '@/components/ui/progress';
import { ProgressBar } from '@/components/ui/progress-bar';
import type { Instant } from '@/lib/domain/instant';
import { formatMoment } from '@/lib/domain/partition-label';
import type { RunPage } from '@/lib/queries/run-page';
import { secondsBetween } from '../runs-table';

/** How far a run is and what became of its partitions; each count leads to them. */
export function OutcomePanel({ run, zone, now }: { run: RunPage; zone: string; now: string }) {
  const { stopped } = run;
  const { planned, done, skipped, failed, changed } = run.counts;
  const all = planned + done + skipped + failed;
  const link = (show: string, count: number): ReactNode =>
    count === 0 ? (
      '0'
    ) : (
      <Link href={`/runs/${run.id}?show=${show}#partitions`} scroll={false}>
        {figureText(count)}
      </Link>
    );
  return (
    <Panel label="Outcome">
      <div className="figs">
        <BigFigure
          label="Done"
          value={link('done', done)}
          note={
            changed === 0
              ? 'nothing changed'
              : `${figureText(changed)} changed, ${figureText(run.rows)} rows now`
          }
          hue="ok"
          icon="ok"
        />
        <BigFigure
          label="Skipped"
          value={link('skipped', skipped)}
          note={
            stopped === 0
              ? 'nothing for a claim or a seal'
              : `${figureText(stopped)} for a claim or a seal`
          }
          {...(stopped > 0 ? { hue: 'wait' as const, icon: 'void' as const } : {})}
        />
        <BigFigure
          label="Failed"
          value={link('failed', failed)}
          note={failed === 0 ? 'nothing' : 'each with its reason below'}
          {...(failed > 0 ? { hue: 'bad' as const, icon: 'bad' as const } : {})}
        />
        <BigFigure
          label={run.endedAt === null ? 'Still to come' : 'Never come to'}
          value={link('planned', planned)}
          note={`of ${figureText(all)} partitions`}
        />
        <BigFigure
          label="Took"
          value={
            run.startedAt === null
              ? 'not begun'
              : durationText(secondsBetween(run.startedAt, run.endedAt ?? now))
          }
          note={
            run.endedAt === null
              ? `asked ${formatMoment(zone, run.createdAt as Instant)}`
              : `ended ${formatMoment(zone, run.endedAt as Instant)}`
          }
        />
      </div>
      {run.state === 'running' && (
        <ProgressBar label="Partitions" done={all - planned} total={all} />
      )}
    </Panel>
  );
}
