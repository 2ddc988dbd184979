import { StateBadge } from '@/components/release/state-badge';
import { Empty } from '@/components/ui/empty';
import { figureText } from '@/components/ui/figure-text';
import { Filters } from '@/components/ui/filters';
import { Note } from '@/components/ui/note';
import { Panel } from '@/components/ui/panel';
import { durationText } from '@/components/ui/progress';
import { ProgressBar } from '@/components/ui/progress-bar';
import type { RunView } from '@/lib/queries/reconciliation-runs';
import type { ReconciliationPage, RunFindings } from '@/lib/queries/reconciliation-view';
import type { Can } from '../../../_parts/access';
import { address } from '../../../_parts/search';
import { TimeOfDay, timeText, When } from '../../../_parts/when';
import { Rehearse } from './actions';

type RunCan = Can<'release.rehearse' | 'release.accept'>;

/** Before the first comparison: what it needs, and how to have it made. */
export function NotCompared({ page, can }: { page: ReconciliationPage; can: RunCan }) {
  const running = page.runs.find((run) => run.verdict === 'running');
  const missing = page.planned - page.receipts;
  return (
    <div className="stack">
      {running && <Running run={running} planned={page.planned} zone={page.zone} />}
      <Panel label="Reconciliation">
        <Empty
          title="Nothing has been compared yet."
          action={
            can['release.rehearse'] && page.state === 'BUILDING' && !running ? (
              <Rehearse page={page} />
            ) : undefined
          }
        >
          {page.planned === 0
            ? 'Pinning freezes the plan, the build makes the candidate; then it is compared with the generation in use, row by row.'
            : missing > 0
              ? `${figureText(missing)} of ${figureText(page.planned)} partitions have no receipt yet. The rehearsal comes after the last one.`
              : 'Every partition has its receipt. A rehearsal compares both generations before the seal, as strictly as the final run after it.'}
        </Empty>
      </Panel>
    </div>
  );
}

/** Which comparison is shown, whether its verdict still holds, and one under way. */
export function Runs({
  page,
  found,
  can,
}: {
  page: ReconciliationPage;
  found: RunFindings;
  can: RunCan;
}) {
  const { run, totals } = found;
  const newest = page.runs[0];
  return (
    <>
      {newest?.verdict === 'running' && (
        <Running run={newest} planned={totals.partitions} zone={page.zone} />
      )}
      {run.stale && (
        <Note
          tone="wait"
          title="Verification is stale."
          action={
            can['release.rehearse'] && page.state === 'BUILDING' ? (
              <Rehearse page={page} small />
            ) : undefined
          }
        >
          <p>
            {run.stale === 'receipt'
              ? 'A receipt is newer than this rehearsal, so the candidate is not what was compared. The seal needs a rehearsal that is newer than the last receipt.'
              : 'Ingress was reopened since: the barrier that this was made at is no barrier any more, and signatures on its evidence are void.'}
          </p>
        </Note>
      )}
      <div className="run-line row">
        <p className="s m grow-1">
          <RunSentence page={page} found={found} />
        </p>
        {page.runs.length > 1 && (
          <Filters
            label="Comparisons"
            current={run.id}
            items={page.runs
              .filter((each) => each.verdict !== 'running')
              .slice(0, 4)
              .map((each) => ({
                value: each.id,
                label: `${each.kind} ${timeText(page.zone, each.startedAt)}`,
                href: address(`/releases/${page.release}/reconciliation`, { run: each.id }),
              }))}
          />
        )}
      </div>
    </>
  );
}

function RunSentence({ page, found }: { page: ReconciliationPage; found: RunFindings }) {
  const { run, totals } = found;
  const sum = (run.newProgress ?? []).reduce((all, offset) => all + BigInt(offset), 0n);
  const shards = run.newProgress?.length ?? 0;
  const age = run.stale ? <StateBadge flag="stale" pill /> : null;
  return (
    <>
      {age}{' '}
      {run.kind === 'final' ? 'Final, at the barrier of' : 'Rehearsal, beside live writing in'}{' '}
      epoch {run.epoch}, Σ {figureText(sum)} over {shards} shards. Read{' '}
      <When zone={page.zone} at={run.startedAt} />
      {run.endedAt && (
        <>
          {' '}
          to <TimeOfDay zone={page.zone} at={run.endedAt} />
        </>
      )}
      , {durationText(run.ageSeconds)} ago, in {figureText(totals.partitions)} partitions
      {totals.carried > 0 && `, ${figureText(totals.carried)} of them unchanged and carried over`}.
      By {run.by}.{run.verdict === 'incomplete' && ` INCOMPLETE: ${run.why ?? 'it was cut short'}.`}
    </>
  );
}

function Running({ run, planned, zone }: { run: RunView; planned: number; zone: string }) {
  return (
    <Note
      icon="building"
      title={`The ${run.kind === 'final' ? 'final run' : 'rehearsal'} is under way.`}
    >
      <p>
        {figureText(run.partitions)} of {figureText(planned)} partitions compared since{' '}
        <TimeOfDay zone={zone} at={run.startedAt} />.
      </p>
      <ProgressBar done={run.partitions} total={planned} label="Partitions compared" />
    </Note>
  );
}
