import { Note } from '@/components/ui/note';
import { DRILL_STEPS } from '@/lib/domain/drill';
import { formatClock, formatDuration } from '@/lib/domain/figures';
import { ROLLBACK_LIMIT_SECONDS } from '@/lib/domain/rollback';
import type { DrillView } from '@/lib/queries/drills';
import type { ReleaseHeader } from '@/lib/queries/release-header';
import { whenZoned } from '../../times';

/** The drill that runs, or, before the cutover, how the last one went. */
export function DrillNote({ header: { brief, drill, now } }: { header: ReleaseHeader }) {
  if (drill === null || brief.turn.cutOver) return null;
  if (drill.outcome === null) {
    return (
      <Note icon="back" title={`A drill runs, asked for by ${drill.by}`}>
        <p>
          {stepWords(drill)}, {formatDuration(drill.seconds)} so far. It runs on a fork of{' '}
          {drill.dataset}; production is untouched.
        </p>
      </Note>
    );
  }
  const ended = whenZoned(drill.zone, drill.endedAt ?? drill.startedAt, now).text;
  if (drill.outcome === 'failed') {
    return (
      <Note tone="bad" icon="back" title={`The last drill failed, ${ended}`}>
        <p>{(drill.why ?? 'it did not end').replace(/\.$/, '')}. Nothing of production changed.</p>
      </Note>
    );
  }
  return (
    <Note icon="back" title={`The last drill passed, ${ended}`}>
      <p>
        It cut over in {formatClock(drill.cutoverSeconds ?? 0)} and rolled back in{' '}
        {formatClock(drill.rollbackSeconds ?? 0)} of {formatClock(ROLLBACK_LIMIT_SECONDS)}.
      </p>
    </Note>
  );
}

/** `Step 5 of 9, reconcile`. */
export function stepWords({ steps }: Pick<DrillView, 'steps'>): string {
  const step = steps.at(-1)?.step;
  if (step === undefined) return 'It waits for a runner';
  return `Step ${DRILL_STEPS.indexOf(step) + 1} of ${DRILL_STEPS.length}, ${step}`;
}
