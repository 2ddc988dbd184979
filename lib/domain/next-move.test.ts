import { describe, expect, it } from 'vitest';
import type { ReleaseState } from '@/lib/domain/lifecycle';
import { mayMake, nextMove, type Person, type Turn, waitFor, waitsForRole } from './next-move';

const turn = (state: ReleaseState, more: Partial<Turn> = {}): Turn => ({
  state,
  cutOver: false,
  planned: 10,
  receipts: 10,
  failed: 0,
  paused: false,
  rehearsal: 'none',
  signed: { cutover: 0, rollback: 0 },
  needed: { cutover: 2, rollback: 1 },
  rollingBack: false,
  serving: false,
  ...more,
});

const person = (role: Person['roles'][number], more: Partial<Person> = {}): Person => ({
  roles: [role],
  isAuthor: false,
  signedCutover: false,
  signedRollback: false,
  executorMayApprove: false,
  ...more,
});

describe('nextMove', () => {
  it.each([
    [turn('DRAFT'), 'pin'],
    [turn('SNAPSHOT_PINNED'), 'build'],
    [turn('BUILDING', { receipts: 3 }), 'seal'],
    [turn('BUILDING'), 'rehearse'],
    [turn('BUILDING', { rehearsal: 'stale' }), 'rehearse'],
    [turn('BUILDING', { rehearsal: 'incomplete' }), 'rehearse'],
    [turn('BUILDING', { rehearsal: 'running' }), 'seal'],
    [turn('BUILDING', { rehearsal: 'failed' }), 'seal'],
    [turn('INGRESS_SEALED'), null],
    [turn('CAUGHT_UP'), null],
    [turn('RECONCILED'), 'approve'],
    [turn('APPROVED'), 'activate'],
    [turn('ACTIVE', { serving: true }), 'sign-rollback'],
    [turn('ACTIVE', { serving: true, signed: { cutover: 2, rollback: 1 } }), null],
    [turn('ACTIVE'), null],
    [turn('RECONCILIATION_REQUIRED'), 'retry'],
    [turn('RECONCILIATION_REQUIRED', { rollingBack: true, cutOver: true }), null],
    [turn('ABANDONED'), null],
  ])('%#', (given, move) => {
    expect(nextMove(given)).toBe(move);
  });
});

describe('waitFor', () => {
  const moveOf = (given: Turn, who: Person) => waitFor(given, who)?.move ?? null;

  it('asks the author for a draft, and no other owner', () => {
    expect(moveOf(turn('DRAFT'), person('owner', { isAuthor: true }))).toBe('pin');
    expect(moveOf(turn('DRAFT'), person('owner'))).toBeNull();
  });

  it('asks nobody while the runner is at work', () => {
    for (const role of ['owner', 'oncall', 'approver'] as const) {
      expect(moveOf(turn('BUILDING', { receipts: 3 }), person(role))).toBeNull();
      expect(moveOf(turn('INGRESS_SEALED'), person(role))).toBeNull();
      expect(moveOf(turn('ACTIVE', { rollingBack: true }), person(role))).toBeNull();
    }
  });

  it('asks for failed partitions before anything else of a build', () => {
    const failed = turn('BUILDING', { receipts: 9, failed: 1, paused: true });
    expect(moveOf(failed, person('owner'))).toBe('retry');
    expect(moveOf(failed, person('approver'))).toBeNull();
  });

  it('asks for a rehearsal, then for the seal', () => {
    expect(moveOf(turn('BUILDING'), person('oncall'))).toBe('rehearse');
    expect(moveOf(turn('BUILDING', { rehearsal: 'passed' }), person('oncall'))).toBe('seal');
  });

  it('shows a failed rehearsal to the authors only', () => {
    const failed = turn('BUILDING', { rehearsal: 'failed' });
    expect(moveOf(failed, person('owner', { isAuthor: true }))).toBe('seal');
    expect(moveOf(failed, person('oncall'))).toBeNull();
  });

  it('asks each approver once, and never an author', () => {
    const ready = turn('RECONCILED');
    expect(moveOf(ready, person('approver'))).toBe('approve');
    expect(moveOf(ready, person('approver', { isAuthor: true }))).toBeNull();
    expect(moveOf(ready, person('approver', { signedCutover: true }))).toBe('sign-rollback');
    expect(
      moveOf(ready, person('approver', { signedCutover: true, signedRollback: true })),
    ).toBeNull();
  });

  it('asks whom the policy lets execute', () => {
    const ready = turn('APPROVED', { signed: { cutover: 2, rollback: 1 } });
    expect(moveOf(ready, person('oncall'))).toBe('activate');
    expect(moveOf(ready, person('oncall', { signedCutover: true }))).toBeNull();
    const lax = person('oncall', { signedCutover: true, executorMayApprove: true });
    expect(moveOf(ready, lax)).toBe('activate');
  });

  it('asks the authors of what was rejected for the next revision, and nobody else', () => {
    const rejected = turn('REJECTED');
    expect(moveOf(rejected, person('owner', { isAuthor: true }))).toBe('revise');
    expect(moveOf(rejected, person('owner'))).toBeNull();
    expect(moveOf(rejected, person('approver', { isAuthor: true }))).toBeNull();
    expect(moveOf(turn('ABANDONED'), person('owner', { isAuthor: true }))).toBeNull();
  });

  it('puts what is sealed first', () => {
    const urgency = (given: Turn, who: Person) => waitFor(given, who)?.urgency ?? 0;
    const cutover = urgency(turn('APPROVED'), person('oncall'));
    const seal = urgency(turn('BUILDING', { rehearsal: 'passed' }), person('oncall'));
    const build = urgency(turn('SNAPSHOT_PINNED'), person('owner'));
    expect(cutover).toBeGreaterThan(seal);
    expect(seal).toBeGreaterThan(build);
  });
});

describe('waitsForRole', () => {
  it('names the runner while it builds, and people where it stands still', () => {
    expect(waitsForRole(turn('BUILDING', { receipts: 3 }))).toBe('runner');
    expect(waitsForRole(turn('BUILDING', { receipts: 3, failed: 1 }))).toBe('owner');
    expect(waitsForRole(turn('BUILDING', { rehearsal: 'passed' }))).toBe('oncall');
    expect(waitsForRole(turn('ACTIVE', { rollingBack: true }))).toBe('runner');
    expect(waitsForRole(turn('REJECTED'))).toBeNull();
  });
});

describe('mayMake', () => {
  it('goes by role first', () => {
    expect(mayMake('seal', person('auditor'))).toBe(false);
    expect(mayMake('seal', person('oncall'))).toBe(true);
  });
});
