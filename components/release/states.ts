import type { IconName } from '@/components/ui/icon';

/** A hue means a state, nothing else; each has a text colour, a fill and a tint. */
export type Hue = 'run' | 'near' | 'ok' | 'bad' | 'wait' | 'seal' | 'idle';

/** How a state is shown: a word, a shape, a hue. */
export interface StateLook {
  label: string;
  hue: Hue;
  icon: IconName;
}

/** The line of a release, in order. */
export const LINE = [
  'DRAFT',
  'SNAPSHOT_PINNED',
  'BUILDING',
  'INGRESS_SEALED',
  'CAUGHT_UP',
  'RECONCILED',
  'APPROVED',
  'ACTIVE',
  'RETIRED',
] as const;
export type LineState = (typeof LINE)[number];
/** States beside the line. Only RECONCILIATION_REQUIRED can be left again. */
export type SideState = 'REJECTED' | 'ABANDONED' | 'ROLLED_BACK' | 'RECONCILIATION_REQUIRED';
export type ReleaseStateName = LineState | SideState;

export const RELEASE_LOOKS: Record<ReleaseStateName, StateLook> = {
  DRAFT: { label: 'Draft', hue: 'idle', icon: 'planned' },
  SNAPSHOT_PINNED: { label: 'Pinned', hue: 'idle', icon: 'planned' },
  BUILDING: { label: 'Building', hue: 'run', icon: 'building' },
  INGRESS_SEALED: { label: 'Sealed', hue: 'wait', icon: 'lock' },
  CAUGHT_UP: { label: 'Caught up', hue: 'near', icon: 'caught' },
  RECONCILED: { label: 'Reconciled', hue: 'ok', icon: 'ok' },
  APPROVED: { label: 'Approved', hue: 'ok', icon: 'ok' },
  ACTIVE: { label: 'Active', hue: 'ok', icon: 'active' },
  RETIRED: { label: 'Retired', hue: 'idle', icon: 'retired' },
  REJECTED: { label: 'Rejected', hue: 'bad', icon: 'bad' },
  ABANDONED: { label: 'Abandoned', hue: 'idle', icon: 'void' },
  ROLLED_BACK: { label: 'Rolled back', hue: 'wait', icon: 'back' },
  RECONCILIATION_REQUIRED: { label: 'Reconciliation required', hue: 'bad', icon: 'bad' },
};

export type PartitionStateName =
  | 'planned'
  | 'building'
  | 'built'
  | 'built_empty'
  | 'caught_up'
  | 'reconciled'
  | 'failed'
  | 'claimed'
  | 'sealed'
  | 'inherited'
  // of a dataset as it is served, see `lib/domain/gaps`
  | 'has_rows'
  | 'no_rows'
  | 'gap'
  | 'run_missing'
  | 'run_failed'
  | 'run_skipped'
  | 'run_planned'
  | 'published'
  | 'corrected';

export const PARTITION_LOOKS: Record<PartitionStateName, StateLook> = {
  planned: { label: 'Planned', hue: 'idle', icon: 'planned' },
  building: { label: 'Building', hue: 'run', icon: 'building' },
  built: { label: 'Built', hue: 'run', icon: 'built' },
  built_empty: { label: 'Built, no rows', hue: 'run', icon: 'built' },
  caught_up: { label: 'Caught up', hue: 'near', icon: 'caught' },
  reconciled: { label: 'Reconciled', hue: 'ok', icon: 'ok' },
  failed: { label: 'Failed', hue: 'bad', icon: 'bad' },
  claimed: { label: 'Claimed', hue: 'wait', icon: 'claimed' },
  sealed: { label: 'Sealed, carried over', hue: 'seal', icon: 'lock' },
  inherited: { label: 'Inherited', hue: 'idle', icon: 'inherit' },
  has_rows: { label: 'Has rows', hue: 'run', icon: 'built' },
  no_rows: { label: 'No rows', hue: 'idle', icon: 'planned' },
  gap: { label: 'Gap, no rows', hue: 'bad', icon: 'warn' },
  run_missing: { label: 'Gap, no run', hue: 'wait', icon: 'warn' },
  run_failed: { label: 'Run failed', hue: 'bad', icon: 'bad' },
  run_skipped: { label: 'Run skipped, claimed', hue: 'wait', icon: 'void' },
  run_planned: { label: 'Run under way', hue: 'run', icon: 'building' },
  published: { label: 'Sealed', hue: 'seal', icon: 'lock' },
  corrected: { label: 'Sealed, moved since', hue: 'seal', icon: 'neq' },
};

export type GenerationStateName = 'candidate' | 'serving' | 'kept' | 'hidden' | 'retired';

export const GENERATION_LOOKS: Record<GenerationStateName, StateLook> = {
  candidate: { label: 'Candidate', hue: 'run', icon: 'building' },
  serving: { label: 'Serving', hue: 'ok', icon: 'active' },
  kept: { label: 'Kept', hue: 'near', icon: 'caught' },
  hidden: { label: 'Hidden', hue: 'wait', icon: 'wait' },
  retired: { label: 'Retired', hue: 'idle', icon: 'retired' },
};

export type IngressStateName = 'OPEN' | 'SEALED';

export const INGRESS_LOOKS: Record<IngressStateName, StateLook> = {
  OPEN: { label: 'Open', hue: 'ok', icon: 'active' },
  SEALED: { label: 'Sealed', hue: 'wait', icon: 'lock' },
};

/** Flags stand beside a state; each also has who, when and why, said in words beside it. */
export type FlagName =
  | 'paused'
  | 'held'
  | 'waiting'
  | 'draining'
  | 'void'
  | 'stale'
  | 'contaminated';

export const FLAG_LOOKS: Record<FlagName, StateLook> = {
  paused: { label: 'Paused', hue: 'wait', icon: 'pause' },
  held: { label: 'Held', hue: 'wait', icon: 'pause' },
  waiting: { label: 'Waiting', hue: 'wait', icon: 'wait' },
  draining: { label: 'Draining', hue: 'wait', icon: 'wait' },
  void: { label: 'Void', hue: 'idle', icon: 'void' },
  stale: { label: 'Stale', hue: 'idle', icon: 'void' },
  contaminated: { label: 'Contaminated', hue: 'bad', icon: 'warn' },
};

export type VerdictName = 'passed' | 'failed' | 'incomplete' | 'pending' | 'running' | 'watching';

/** Verdicts of checks, gates and conditions. INCOMPLETE is not a pass. */
export const VERDICT_LOOKS: Record<VerdictName, StateLook> = {
  passed: { label: 'holds', hue: 'ok', icon: 'ok' },
  failed: { label: 'fails', hue: 'bad', icon: 'bad' },
  incomplete: { label: 'incomplete', hue: 'wait', icon: 'warn' },
  pending: { label: 'not yet', hue: 'idle', icon: 'planned' },
  running: { label: 'running', hue: 'run', icon: 'building' },
  watching: { label: 'watching', hue: 'run', icon: 'building' },
};
