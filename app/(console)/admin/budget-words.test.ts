import { describe, expect, it } from 'vitest';
import type { AdminBudget, BudgetFigure } from '@/lib/queries/admin-budgets';
import { budgetWords, waitWords } from './budget-words';

const frozen = {
  concurrency: '4',
  sourceRowsPerSecond: null,
  warehouseSeconds: null,
  maxLiveLagSeconds: '120',
  maxBufferedEvents: '500000',
  maxSealedSeconds: '900',
};
const building: AdminBudget = {
  id: '1',
  release: 'vat-fix@1',
  dataset: 'order_tax',
  zone: 'Europe/London',
  state: 'BUILDING',
  serving: false,
  trouble: null,
  windowUntil: null,
  snapshotReady: true,
  paused: null,
  held: null,
  draining: false,
  planned: 10,
  receipts: 2,
  building: 2,
  failed: 0,
  waiting: 6,
  concurrency: 4,
  limits: frozen,
  ceilings: frozen,
  used: {
    concurrency: '2',
    sourceRowsPerSecond: null,
    warehouseSeconds: '80',
    maxLiveLagSeconds: '0',
    maxBufferedEvents: null,
    maxSealedSeconds: null,
  },
  lagAtSeal: false,
};
const said = (name: BudgetFigure, more: Partial<AdminBudget> = {}) =>
  budgetWords(name, { ...building, ...more });

describe('budgetWords', () => {
  it('says what is used of what may be', () => {
    expect(said('concurrency')).toEqual({ figure: '2 of 4', notes: [], over: false });
    expect(said('maxLiveLagSeconds').figure).toBe('0 s of 2 min');
    expect(said('warehouseSeconds')).toMatchObject({ figure: '1 min 20 s', notes: ['no limit'] });
  });

  it('says what keeps a figure from being used', () => {
    expect(said('maxBufferedEvents')).toMatchObject({
      figure: 'up to 500,000',
      notes: ['not sealed'],
    });
    expect(said('maxSealedSeconds')).toMatchObject({ figure: 'up to 15 min' });
    expect(said('sourceRowsPerSecond')).toMatchObject({
      figure: 'no limit',
      notes: ['none read now'],
    });
  });

  it('names the frozen ceiling only where the limit is another, and what is over the limit', () => {
    const limits = { ...frozen, concurrency: '1' };
    expect(said('concurrency', { limits })).toEqual({
      figure: '2 of 1',
      notes: ['at most 4'],
      over: true,
    });
    const level = { ...building.used, maxLiveLagSeconds: '120' };
    expect(said('maxLiveLagSeconds', { used: level }).over).toBe(false);
    const used = { ...building.used, maxLiveLagSeconds: '121' };
    expect(said('maxLiveLagSeconds', { used, lagAtSeal: true })).toEqual({
      figure: '2 min 1 s of 2 min',
      notes: ['at the seal'],
      over: true,
    });
  });

  it('says of a limit that nothing enforces it, and not of one that is not there', () => {
    const limits = { ...frozen, warehouseSeconds: '3600', sourceRowsPerSecond: '9007199254740991' };
    const given = { limits, ceilings: limits };
    expect(said('warehouseSeconds', given)).toMatchObject({
      figure: '1 min 20 s of 1 h',
      notes: ['not enforced'],
    });
    expect(said('sourceRowsPerSecond', given)).toMatchObject({
      figure: 'up to 9,007,199,254,740,991',
      notes: ['none read now', 'not enforced'],
    });
    expect(said('warehouseSeconds').notes).not.toContain('not enforced');
    expect(said('maxSealedSeconds', given).notes).not.toContain('not enforced');
  });
});

describe('waitWords', () => {
  it('has the words of the build page', () => {
    expect(waitWords(building)).toEqual([]);
    expect(waitWords({ ...building, paused: { by: 'dee', why: 'peak hours' } })).toEqual([
      'paused by dee: peak hours',
    ]);
  });

  it('says why a release needs reconciliation', () => {
    const state = 'RECONCILIATION_REQUIRED' as const;
    expect(waitWords({ ...building, state, trouble: 'a root differs' })).toEqual([
      'a root differs',
    ]);
    expect(waitWords({ ...building, state })).toEqual(['what does not agree has to be decided']);
  });
});
