import { describe, expect, it } from 'vitest';
import { isCancelled, isConflict, isDataError, isRetryable, pgError } from '@/lib/db/pg-error';

const error = (code: string, more: object = {}) =>
  new Error('Failed query', {
    cause: Object.assign(new Error('said the server'), { code, severity: 'ERROR', ...more }),
  });

describe('pgError', () => {
  it('finds the cause of what Drizzle throws', () => {
    const more = { constraint_name: 'one_lease', table_name: 'lease', detail: 'Key …' };
    expect(pgError(error('23505', more))).toEqual({
      code: '23505',
      message: 'said the server',
      constraint: 'one_lease',
      detail: 'Key …',
      table: 'lease',
    });
  });

  it('is null for all else', () => {
    expect(pgError(null)).toBeNull();
    expect(pgError(new Error('no'))).toBeNull();
    expect(pgError(Object.assign(new Error('no'), { code: 'EPERM' }))).toBeNull();
  });
});

describe('what an error says', () => {
  it.each(['22012', '23505', '23514', 'IL001'])('%s is the data’s fault', (code) => {
    expect(isDataError(error(code))).toBe(true);
    expect(isRetryable(error(code))).toBe(false);
  });

  it.each(['40001', '40P01', '55P03', '53300'])('%s may go away', (code) => {
    expect(isDataError(error(code))).toBe(false);
    expect(isRetryable(error(code))).toBe(true);
  });

  it.each(['42P01', '57014', '57P01', '08006', 'P0001'])('%s is neither', (code) => {
    expect(isDataError(error(code))).toBe(false);
    expect(isRetryable(error(code))).toBe(false);
  });

  it('knows conflicts and cancellations', () => {
    const conflict = error('23P01', { constraint_name: 'no_overlap' });
    expect(isConflict(conflict)).toBe(true);
    expect(isConflict(conflict, 'no_overlap')).toBe(true);
    expect(isConflict(conflict, 'other')).toBe(false);
    expect(isConflict(error('23514'))).toBe(false);
    expect(isCancelled(error('57014'))).toBe(true);
  });
});
