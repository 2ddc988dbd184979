import { assertNever } from './assert-never';

/** The straight way of a release, in order. */
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

export const RELEASE_STATES = [
  ...LINE,
  'REJECTED',
  'ABANDONED',
  'ROLLED_BACK',
  'RECONCILIATION_REQUIRED',
] as const;

export type ReleaseState = (typeof RELEASE_STATES)[number];

/** Moves of people, as the API spells them. Who may make them is in `permissions.ts`. */
export const MOVES = [
  'pin',
  'build',
  'rehearse',
  'drill',
  'seal',
  'reopen',
  'accept',
  'approve',
  'reject',
  'sign-rollback',
  'activate',
  'rollback',
  'call-off',
  'abandon',
  'pause',
  'resume',
  'hold',
  'unhold',
  'retry',
  'limits',
] as const;

export type Move = (typeof MOVES)[number];

/** Moves that the runner makes by itself. `expire` is the reopening of ingress sealed too long. */
export const STEPS = [
  'catch-up',
  'reconcile',
  'expire',
  'require-reconciliation',
  'roll-back',
  'retire',
] as const;

export type Step = (typeof STEPS)[number];

/**
 * One arrow. `to` null leaves the state as it is. `cutOver` limits an arrow out of
 * RECONCILIATION_REQUIRED, which is entered before the cutover as well as after it, to one side.
 */
export type Transition = {
  move: Move | Step;
  from: readonly ReleaseState[];
  to: ReleaseState | null;
  cutOver?: boolean;
};

const SEALED = ['INGRESS_SEALED', 'CAUGHT_UP', 'RECONCILED', 'APPROVED'] as const;
const BEFORE_CUTOVER = ['SNAPSHOT_PINNED', 'BUILDING', ...SEALED] as const;
const LOST = ['RECONCILIATION_REQUIRED'] as const;

/**
 * The one table of transitions. `approve` leads to APPROVED with the last signature that is
 * needed and leaves the state before it; `rollback` is the request, `roll-back` its end.
 */
export const TRANSITIONS: readonly Transition[] = [
  { move: 'pin', from: ['DRAFT'], to: 'SNAPSHOT_PINNED' },
  { move: 'build', from: ['SNAPSHOT_PINNED'], to: 'BUILDING' },
  { move: 'rehearse', from: ['BUILDING'], to: null },
  { move: 'drill', from: ['BUILDING'], to: null },
  { move: 'seal', from: ['BUILDING'], to: 'INGRESS_SEALED' },
  { move: 'catch-up', from: ['INGRESS_SEALED'], to: 'CAUGHT_UP' },
  { move: 'reconcile', from: ['CAUGHT_UP'], to: 'RECONCILED' },
  { move: 'approve', from: ['RECONCILED', 'APPROVED'], to: 'APPROVED' },
  { move: 'activate', from: ['APPROVED'], to: 'ACTIVE' },
  { move: 'retire', from: ['ACTIVE'], to: 'RETIRED' },

  { move: 'reopen', from: SEALED, to: 'BUILDING' },
  { move: 'expire', from: SEALED, to: 'BUILDING' },
  { move: 'accept', from: ['BUILDING', 'INGRESS_SEALED', 'CAUGHT_UP', ...LOST], to: null },
  { move: 'sign-rollback', from: ['RECONCILED', 'APPROVED', 'ACTIVE'], to: null },

  { move: 'reject', from: BEFORE_CUTOVER, to: 'REJECTED' },
  { move: 'abandon', from: ['DRAFT', ...BEFORE_CUTOVER], to: 'ABANDONED' },
  { move: 'abandon', from: LOST, to: 'ABANDONED', cutOver: false },

  { move: 'rollback', from: ['ACTIVE'], to: null },
  { move: 'rollback', from: LOST, to: null, cutOver: true },
  { move: 'call-off', from: ['ACTIVE'], to: null },
  { move: 'call-off', from: LOST, to: null, cutOver: true },
  { move: 'roll-back', from: ['ACTIVE'], to: 'ROLLED_BACK' },
  { move: 'roll-back', from: LOST, to: 'ROLLED_BACK', cutOver: true },

  {
    move: 'require-reconciliation',
    from: ['BUILDING', ...SEALED, 'ACTIVE'],
    to: 'RECONCILIATION_REQUIRED',
  },
  { move: 'retry', from: ['BUILDING'], to: null },
  { move: 'retry', from: LOST, to: 'BUILDING', cutOver: false },
  { move: 'retry', from: LOST, to: 'ACTIVE', cutOver: true },

  { move: 'pause', from: [...BEFORE_CUTOVER, ...LOST], to: null },
  { move: 'resume', from: [...BEFORE_CUTOVER, ...LOST], to: null },
  { move: 'hold', from: [...BEFORE_CUTOVER, ...LOST], to: null },
  { move: 'unhold', from: [...BEFORE_CUTOVER, ...LOST], to: null },
  { move: 'limits', from: ['SNAPSHOT_PINNED', 'BUILDING', ...SEALED, ...LOST], to: null },
];

/**
 * The arrow that a move takes from a state, or null if it is not open there.
 *
 * @param cutOver whether the release has been cut over (asked only of RECONCILIATION_REQUIRED)
 */
export function transitionOf(
  move: Move | Step,
  state: ReleaseState,
  cutOver = false,
): Transition | null {
  return (
    TRANSITIONS.find(
      (t) =>
        t.move === move &&
        t.from.includes(state) &&
        (t.cutOver === undefined || t.cutOver === cutOver),
    ) ?? null
  );
}

/** The moves of people that are open to a state; without `cutOver`, on either side of it. */
export function movesFrom(state: ReleaseState, cutOver?: boolean): Move[] {
  return MOVES.filter((move) =>
    cutOver === undefined
      ? transitionOf(move, state, false) !== null || transitionOf(move, state, true) !== null
      : transitionOf(move, state, cutOver) !== null,
  );
}

export function isReleaseState(value: unknown): value is ReleaseState {
  return (RELEASE_STATES as readonly unknown[]).includes(value);
}

export function isMove(value: unknown): value is Move {
  return (MOVES as readonly unknown[]).includes(value);
}

/** Whether no field may change any more. */
export function isFrozen(state: ReleaseState): boolean {
  return state !== 'DRAFT';
}

/** Whether nothing but retiring its generation happens to it any more. */
export function isOver(state: ReleaseState): boolean {
  return (
    state === 'RETIRED' || state === 'REJECTED' || state === 'ABANDONED' || state === 'ROLLED_BACK'
  );
}

/**
 * Whether it is under way: its range keeps other releases of the dataset out, and the dataset's
 * policy may not be lowered.
 */
export function isUnderWay(state: ReleaseState, cutOver = false): boolean {
  if (state === 'RECONCILIATION_REQUIRED') return !cutOver;
  return (BEFORE_CUTOVER as readonly ReleaseState[]).includes(state);
}

/** Whether the release holds the seal of its dataset's ingress. */
export function holdsSeal(state: ReleaseState): boolean {
  return (SEALED as readonly ReleaseState[]).includes(state);
}

/** Place on the line, from 0; null for the states beside it. */
export function placeOnLine(state: ReleaseState): number | null {
  const place = (LINE as readonly ReleaseState[]).indexOf(state);
  return place < 0 ? null : place;
}

/** Whose turn it is: what the overview sorts "waits for me" by. */
export function turnOf(state: ReleaseState): 'owner' | 'approver' | 'oncall' | 'runner' | null {
  switch (state) {
    case 'DRAFT':
    case 'SNAPSHOT_PINNED':
    case 'RECONCILIATION_REQUIRED':
      return 'owner';
    case 'BUILDING':
    case 'INGRESS_SEALED':
    case 'CAUGHT_UP':
      return 'runner';
    case 'RECONCILED':
      return 'approver';
    case 'APPROVED':
      return 'oncall';
    case 'ACTIVE':
    case 'RETIRED':
    case 'REJECTED':
    case 'ABANDONED':
    case 'ROLLED_BACK':
      return null;
    default:
      return assertNever(state);
  }
}

/**
 * States of a generation, which are not its release's: `candidate` is being made, `serving` is
 * the active one, `kept` can be gone back to and read by a pin, `hidden` takes no new leases,
 * `retired` is gone.
 */
export const GENERATION_STATES = ['candidate', 'serving', 'kept', 'hidden', 'retired'] as const;

export type GenerationState = (typeof GENERATION_STATES)[number];

const GENERATION_NEXT: Record<GenerationState, readonly GenerationState[]> = {
  candidate: ['serving', 'hidden'],
  serving: ['kept'],
  kept: ['serving', 'hidden'],
  hidden: ['retired'],
  retired: [],
};

export function generationMayBecome(from: GenerationState, to: GenerationState): boolean {
  return GENERATION_NEXT[from].includes(to);
}

/** Whether readers may begin to read it; a candidate never, so half of a release is never read. */
export function isReadable(state: GenerationState): boolean {
  return state === 'serving' || state === 'kept';
}
