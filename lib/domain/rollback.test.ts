import { describe, expect, it } from 'vitest';
import { isRollbackRunning, rollbackEstimateSeconds } from './rollback';

describe('rollbackEstimateSeconds', () => {
  it('is unknown while nothing was measured', () => {
    expect(rollbackEstimateSeconds(100, null)).toBeNull();
    expect(rollbackEstimateSeconds(100, 0)).toBeNull();
    expect(rollbackEstimateSeconds(100, null, { replayed: 0, elapsedSeconds: 5 })).toBeNull();
  });

  it('takes no time where there is nothing to replay', () => {
    expect(rollbackEstimateSeconds(0, null)).toBe(0);
    expect(rollbackEstimateSeconds(0, null, { replayed: 0, elapsedSeconds: 3 })).toBe(3);
  });

  it('goes by an earlier rollback until this one has a rate of its own', () => {
    expect(rollbackEstimateSeconds(100, 10)).toBe(10);
    expect(rollbackEstimateSeconds(100, 10, { replayed: 0, elapsedSeconds: 2 })).toBe(12);
    expect(rollbackEstimateSeconds(100, 10, { replayed: 50, elapsedSeconds: 2 })).toBe(4);
  });

  it('never falls below what has passed', () => {
    expect(rollbackEstimateSeconds(100, 10, { replayed: 120, elapsedSeconds: 30 })).toBe(30);
  });
});

describe('isRollbackRunning', () => {
  it('runs from the request to the switch', () => {
    expect((['requested', 'replaying', 'sealed'] as const).every(isRollbackRunning)).toBe(true);
    expect((['done', 'called_off', 'failed'] as const).some(isRollbackRunning)).toBe(false);
  });
});
