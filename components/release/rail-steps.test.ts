import { describe, expect, it } from 'vitest';
import { railLabel, railSteps } from './rail-steps';
import { LINE } from './states';

const phases = (steps: ReturnType<typeof railSteps>) => steps.map((s) => `${s.state}:${s.phase}`);

describe('railSteps', () => {
  it('has every state of the line once, in order, with one of them now', () => {
    for (const state of LINE) {
      const steps = railSteps(state, []);
      expect(steps.map((s) => s.state)).toEqual([...LINE]);
      expect(steps.filter((s) => s.phase === 'now').map((s) => s.state)).toEqual([state]);
    }
  });

  it('shows who and when of what was passed, never of what a fallback undid', () => {
    const steps = railSteps('BUILDING', [
      { state: 'DRAFT', by: 'ana', at: '09:05' },
      { state: 'SNAPSHOT_PINNED', by: 'ana', at: '09:14' },
      { state: 'BUILDING', by: 'ana', at: '09:16' },
      { state: 'INGRESS_SEALED', by: 'dee', at: '11:38' },
      { state: 'BUILDING', by: 'runner', at: '11:53' },
    ]);
    expect(steps[1]).toMatchObject({ by: 'ana', at: '09:14', phase: 'done' });
    expect(steps[2]).toMatchObject({ by: 'runner', at: '11:53', phase: 'now' });
    expect(steps[3]).toMatchObject({ by: undefined, at: undefined, phase: 'next' });
  });

  it('puts a state beside the line after the last one that was reached', () => {
    const steps = railSteps('REJECTED', [
      { state: 'RECONCILED', by: 'runner', at: '14:02' },
      { state: 'REJECTED', by: 'cyd', at: '14:10' },
    ]);
    expect(phases(steps).slice(5)).toEqual([
      'RECONCILED:done',
      'REJECTED:now',
      'APPROVED:off',
      'ACTIVE:off',
      'RETIRED:off',
    ]);
    expect(steps[6]).toMatchObject({ by: 'cyd', at: '14:10' });
  });

  it('leaves the way open after RECONCILIATION_REQUIRED', () => {
    const steps = railSteps('RECONCILIATION_REQUIRED', [{ state: 'BUILDING' }]);
    expect(phases(steps).slice(2, 5)).toEqual([
      'BUILDING:done',
      'RECONCILIATION_REQUIRED:now',
      'INGRESS_SEALED:next',
    ]);
  });

  it('knows that what is rolled back was active, whatever the history holds', () => {
    const steps = railSteps('ROLLED_BACK', []);
    expect(phases(steps).slice(7)).toEqual(['ACTIVE:done', 'ROLLED_BACK:now', 'RETIRED:off']);
  });
});

it('says the rail in words', () => {
  expect(railLabel('RECONCILED', railSteps('RECONCILED', []))).toBe('state 6 of 9, RECONCILED');
  expect(railLabel('REJECTED', railSteps('REJECTED', [], 'RECONCILED'))).toBe(
    'REJECTED after RECONCILED, state 6 of 9',
  );
});
