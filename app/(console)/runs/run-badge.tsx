import { StateBadge } from '@/components/release/state-badge';
import type { RunState } from '@/lib/domain/runs';
import { NOT_GREEN, RUN_LOOKS } from './words';

/** A run's state: one that is over and left something out for a claim or a seal is not green. */
export function RunBadge({
  run: { state, green },
  pill = false,
}: {
  run: { state: RunState; green: boolean | null };
  pill?: boolean;
}) {
  const look = state === 'done' && green === false ? NOT_GREEN : RUN_LOOKS[state];
  return <StateBadge look={look} pill={pill} turning={state === 'running'} />;
}
