import { expect, it } from 'vitest';
import { coverageOf } from './coverage';

const built = { state: 'built', rows: 12, sealed: false } as const;

it('shows what the partition’s row says until its release has proved more', () => {
  expect(coverageOf('BUILDING', built)).toBe('built');
  expect(coverageOf('BUILDING', { ...built, rows: 0 })).toBe('built_empty');
  expect(coverageOf('CAUGHT_UP', built)).toBe('caught_up');
  for (const release of ['RECONCILED', 'APPROVED', 'ACTIVE', 'ROLLED_BACK'] as const) {
    expect(coverageOf(release, built)).toBe('reconciled');
  }
});

it('shows a published partition as carried over once it is built, and a failure of it as one', () => {
  const sealed = { ...built, sealed: true };
  for (const release of ['BUILDING', 'CAUGHT_UP', 'ACTIVE'] as const) {
    expect(coverageOf(release, sealed)).toBe('sealed');
  }
  for (const state of ['planned', 'building', 'failed'] as const) {
    expect(coverageOf('BUILDING', { ...sealed, state })).toBe(state);
  }
});
