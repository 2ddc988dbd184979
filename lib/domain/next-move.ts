import { isOver, type Move, type ReleaseState, transitionOf, turnOf } from './lifecycle';
import { may, type Role } from './permissions';

/** What decides whose turn it is with a release, as one read of the database gives it. */
export interface Turn {
  state: ReleaseState;
  /** Whether it has been cut over (asked of RECONCILIATION_REQUIRED). */
  cutOver: boolean;
  planned: number;
  receipts: number;
  failed: number;
  paused: boolean;
  /** Of the newest rehearsal; `stale` where a receipt is newer. */
  rehearsal: 'none' | 'running' | 'stale' | 'failed' | 'incomplete' | 'passed';
  signed: { cutover: number; rollback: number };
  needed: { cutover: number; rollback: number };
  rollingBack: boolean;
  serving: boolean;
}

/** What one person brings to it. */
export interface Person {
  roles: readonly Role[];
  isAuthor: boolean;
  signedCutover: boolean;
  signedRollback: boolean;
  executorMayApprove: boolean;
}

/**
 * The next move of a release, whoever makes it; null where the runner is at work or nothing is left
 * to do. Moves that stop or take back (hold, abandon, reopen…) are never next.
 */
export function nextMove(turn: Turn): Move | null {
  switch (turn.state) {
    case 'DRAFT':
      return 'pin';
    case 'SNAPSHOT_PINNED':
      return 'build';
    case 'BUILDING':
      return nextOfBuilding(turn);
    case 'RECONCILED':
      return 'approve';
    case 'APPROVED':
      return 'activate';
    case 'ACTIVE':
      return unsignedRollback(turn) ? 'sign-rollback' : null;
    case 'RECONCILIATION_REQUIRED':
      return turn.rollingBack ? null : 'retry';
    default:
      return null;
  }
}

/** The seal is what a build leads to; only a rehearsal that is missing comes before it. */
function nextOfBuilding({ receipts, planned, rehearsal }: Turn): Move {
  const built = receipts === planned;
  const due = rehearsal === 'none' || rehearsal === 'stale' || rehearsal === 'incomplete';
  return built && due ? 'rehearse' : 'seal';
}

function unsignedRollback({ serving, rollingBack, signed, needed }: Turn): boolean {
  return serving && !rollingBack && signed.rollback < needed.rollback;
}

/** Whether a person can make a move at all, whatever stands in its way now. */
export function mayMake(move: Move, person: Person): boolean {
  if (!may(person.roles, `release.${move}`)) return false;
  switch (move) {
    case 'approve':
      return !person.isAuthor && !person.signedCutover;
    case 'sign-rollback':
      return !person.isAuthor && !person.signedRollback;
    case 'activate':
      return !person.signedCutover || person.executorMayApprove;
    default:
      return true;
  }
}

/** What a release waits for, with the figure that says how far it is. */
export interface Wait {
  /** `revise`: it was rejected, and its authors have not made the next revision yet. */
  move: Move | 'revise';
  /** Higher is more pressing. */
  urgency: number;
}

/**
 * What a release waits for this person to do, if anything: the next move where it is theirs to
 * make, or a step before it that nobody else takes (failed partitions, a stop-loss, a failed
 * rehearsal). A release that the runner is at waits for nobody. One that was rejected is answered by
 * its next revision: whoever asks leaves out those that have one.
 */
export function waitFor(turn: Turn, person: Person): Wait | null {
  if (turn.state === 'REJECTED') {
    const mine = person.isAuthor && may(person.roles, 'release.create');
    return mine ? { move: 'revise', urgency: 75 } : null;
  }
  if (isOver(turn.state) || turn.rollingBack) return null;
  const wait = (move: Move, urgency: number): Wait | null =>
    transitionOf(move, turn.state, turn.cutOver) !== null && mayMake(move, person)
      ? { move, urgency }
      : null;
  switch (turn.state) {
    case 'BUILDING':
      return waitForBuilding(turn, person, wait);
    case 'RECONCILIATION_REQUIRED':
      return wait('retry', 90);
    case 'APPROVED':
      return wait('activate', 100) ?? waitForRollback(turn, wait);
    case 'RECONCILED':
      return wait('approve', 95) ?? waitForRollback(turn, wait);
    case 'ACTIVE':
      return waitForRollback(turn, wait);
    case 'SNAPSHOT_PINNED':
      return wait('build', 40);
    case 'DRAFT':
      return person.isAuthor ? wait('pin', 20) : null;
    default:
      return null;
  }
}

type Waits = (move: Move, urgency: number) => Wait | null;

function waitForRollback(turn: Turn, wait: Waits): Wait | null {
  return turn.signed.rollback < turn.needed.rollback ? wait('sign-rollback', 80) : null;
}

function waitForBuilding(turn: Turn, person: Person, wait: Waits): Wait | null {
  // somebody's pause is that person's business; the runner's own is the owner's
  if (turn.failed > 0) return wait('retry', 70);
  if (turn.paused) return wait('resume', 60);
  if (turn.receipts < turn.planned || turn.rehearsal === 'running') return null;
  if (turn.rehearsal === 'passed') return wait('seal', 55);
  if (turn.rehearsal === 'failed') return person.isAuthor ? wait('seal', 65) : null;
  return wait('rehearse', 50);
}

/** Whom the rest of the world sees a release wait for: a role, the runner, or nobody. */
export function waitsForRole(turn: Turn): 'owner' | 'approver' | 'oncall' | 'runner' | null {
  if (turn.state === 'BUILDING') {
    if (turn.failed > 0 || turn.paused) return 'owner';
    if (turn.receipts < turn.planned || turn.rehearsal === 'running') return 'runner';
    return turn.rehearsal === 'passed' ? 'oncall' : 'owner';
  }
  if (turn.state === 'ACTIVE' && turn.rollingBack) return 'runner';
  return turnOf(turn.state);
}
