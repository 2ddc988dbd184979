import type { StateLook } from '@/components/release/states';
import { figureText } from '@/components/ui/figure-text';
import { type Gap, isForClaim, type RunOutcome } from '@/lib/domain/gaps';
import type { PartitionUnit } from '@/lib/domain/partition-plan';
import type { RunState } from '@/lib/domain/runs';

/** `1 row`, `2,345 rows`, of a count's exact text. */
export const rowsText = (count: string): string =>
  `${figureText(count)} ${count === '1' ? 'row' : 'rows'}`;

/** `day`, `3 days`. */
export const unitsText = (count: number, unit: PartitionUnit): string =>
  count === 1 ? unit : `${figureText(count)} ${unit}s`;

/** Where a run is. */
export const RUN_LOOKS: Record<RunState, StateLook> = {
  second_person: { label: 'Waits for a second person', hue: 'wait', icon: 'wait' },
  planned: { label: 'Planned', hue: 'idle', icon: 'planned' },
  running: { label: 'Running', hue: 'run', icon: 'building' },
  done: { label: 'Done', hue: 'ok', icon: 'ok' },
  failed: { label: 'Failed', hue: 'bad', icon: 'bad' },
  cancelled: { label: 'Cancelled', hue: 'idle', icon: 'void' },
};

/** A run that is over and left something out for a claim or a seal: done, and yet not green. */
export const NOT_GREEN: StateLook = { label: 'Done, not green', hue: 'wait', icon: 'warn' };

/** What became of one partition. */
export const OUTCOME_LOOKS: Record<RunOutcome, StateLook> = {
  planned: { label: 'Planned', hue: 'idle', icon: 'planned' },
  done: { label: 'Done', hue: 'ok', icon: 'ok' },
  skipped: { label: 'Skipped', hue: 'wait', icon: 'void' },
  failed: { label: 'Failed', hue: 'bad', icon: 'bad' },
};

const GAP_WORDS: Record<Gap, string> = {
  no_rows: 'no rows',
  run_missing: 'the scheduled run never came',
  run_failed: 'the scheduled run failed',
  run_skipped: 'the scheduled run left it out for a claim',
};

/** Why a stretch is a gap, in words. */
export const gapWords = (kinds: readonly Gap[]): string =>
  kinds.map((kind) => GAP_WORDS[kind]).join('; ');

/** Why a run left a partition out, in words. */
export function reasonWords(reason: string): string {
  if (isForClaim(reason)) return `claimed by ${reason.slice('claimed_by:'.length)}`;
  if (reason === 'sealed') return 'sealed: its figures were published';
  return reason === 'no_data' ? 'no data in the log' : reason;
}
