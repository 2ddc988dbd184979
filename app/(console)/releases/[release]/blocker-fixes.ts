import type { BlockerFix, BlockerView } from '@/components/release/blockers';
import type { Move } from '@/lib/domain/lifecycle';
import type { Blocker } from '@/lib/domain/refusal';
import { makeMove, type Shown } from './make-move';

/** Moves that a person's roles allow, for the small actions beside blockers. */
export type Allowed = readonly Move[];

/** Adds to each blocker the small action that fixes it, or the place where it is fixed. */
export function withFixes(
  blockers: readonly Blocker[],
  shown: Shown,
  allowed: Allowed,
): BlockerView[] {
  const base = `/releases/${shown.release}`;
  const act = (label: string, move: Move): BlockerFix | undefined =>
    allowed.includes(move) ? { label, action: () => makeMove(shown, move) } : undefined;
  const fixOf = ({ code, kind, link, pointer }: Blocker): BlockerFix | undefined => {
    if (kind === 'wait') return undefined;
    switch (code) {
      case 'HELD':
        return act('Lift', 'unhold');
      case 'PAUSED':
        return act('Resume', 'resume');
      case 'PARTITIONS_MISSING':
        return act('Retry', 'retry');
      case 'REHEARSAL_MISSING':
      case 'CHECK_INCOMPLETE':
        return act('Rehearse', 'rehearse');
      case 'UNEXPLAINED_DIFF':
      case 'DRIFT_NOT_ACCEPTED':
      case 'CONTRACT_FAILED':
      case 'CONSERVED_DIFFERENCE':
      case 'COVERAGE_GAP':
      case 'EXPECTATION_FAILED':
      case 'CHECK_FAILED':
      case 'QUARANTINED':
        return { label: 'Open', href: `${base}/reconciliation` };
      case 'APPROVALS_MISSING':
        return { label: 'Open', href: `${base}/approval` };
      case 'GENERATION_MOVED':
      case 'DEADLINE_PASSED':
        return allowed.includes('pin')
          ? {
              label: 'Next revision',
              href: `/releases/new?from=${encodeURIComponent(shown.release)}`,
            }
          : undefined;
      default:
        return pointer && allowed.includes('pin')
          ? { label: 'Edit', href: `${base}/edit` }
          : link
            ? { label: 'Open', href: link }
            : undefined;
    }
  };
  return blockers.map((blocker) => {
    const fix = fixOf(blocker);
    return fix ? { ...blocker, fix } : { ...blocker };
  });
}
