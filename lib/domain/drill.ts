import { formatClock, plural } from './figures';
import { type Blocker, toFix, toWait } from './refusal';
import { ROLLBACK_LIMIT_SECONDS } from './rollback';

/** How old a drill may be that counts, where the dataset's policy does not say. */
export const DRILL_MAX_AGE_HOURS = 168;

/** What a drill does, in order. */
export const DRILL_STEPS = [
  'copy',
  'catch up',
  'seal',
  'barrier',
  'reconcile',
  'cutover',
  'write',
  'rollback',
  'compare',
] as const;

export type DrillStep = (typeof DRILL_STEPS)[number];

/** The drills of a release, and what its dataset's policy asks of them, as of one moment. */
export interface DrillFacts {
  required: boolean;
  maxAgeHours: number;
  /** Whether the cutover's own condition holds: the last one that ended counts, or none is required. */
  holds: boolean;
  running: boolean;
  /** Whether one of the dataset's runs, of whatever release: there is one at a time. */
  busy: boolean;
  /** The last one that ended. */
  last: null | {
    outcome: 'passed' | 'failed';
    why: string | null;
    rollbackSeconds: number | null;
    ageSeconds: number;
  };
}

/** Why the drills of a release do not let it be cut over; none where the policy asks for none. */
export function drillMissing(drill: DrillFacts): Blocker[] {
  if (drill.holds) return [];
  const expected = `passed, under ${formatClock(ROLLBACK_LIMIT_SECONDS)}, of the last ${plural(drill.maxAgeHours, 'hour')}`;
  if (drill.running) {
    return [
      toWait('DRILL_MISSING', 'A drill of it is under way.', { expected, current: 'running' }),
    ];
  }
  return [toFix('DRILL_MISSING', drillFault(drill), { expected, current: drillWords(drill) })];
}

function drillFault({ last, maxAgeHours }: DrillFacts): string {
  if (last === null) return 'The dataset’s policy requires a drill, and there was none yet.';
  if (last.outcome === 'failed')
    return `The last drill failed: ${(last.why ?? 'it did not end').replace(/\.$/, '')}.`;
  if ((last.rollbackSeconds ?? Number.POSITIVE_INFINITY) > ROLLBACK_LIMIT_SECONDS) {
    return `The last drill rolled back in ${formatClock(last.rollbackSeconds ?? 0)}, the limit is ${formatClock(ROLLBACK_LIMIT_SECONDS)}.`;
  }
  return `The last drill ended ${plural(Math.floor(last.ageSeconds / 3600), 'hour')} ago; one counts for ${plural(maxAgeHours, 'hour')}.`;
}

/** `2:06`, `failed`, or `no drill yet`: how the last drill of a release went. */
export function drillWords({ last }: Pick<DrillFacts, 'last'>): string {
  if (last === null) return 'no drill yet';
  if (last.outcome === 'failed' || last.rollbackSeconds === null) return 'failed';
  return formatClock(last.rollbackSeconds);
}
