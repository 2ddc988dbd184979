import { describe, expect, it } from 'vitest';
import { calendarStateOf, gapOf, type Held } from './gaps';

const held: Held = { whole: true, rows: '3', sealed: false, run: null, promised: true, due: false };
const claimedSkip = { state: 'skipped', reason: 'claimed_by:nightly' } as const;

describe('gapOf', () => {
  it('is a whole partition without rows, and no other', () => {
    expect(gapOf({ ...held, rows: '0' })).toBe('no_rows');
    expect(gapOf(held)).toBeNull();
    expect(gapOf({ ...held, rows: '0', whole: false })).toBeNull();
    expect(gapOf({ ...held, rows: null })).toBeNull();
    expect(gapOf({ ...held, rows: '0', promised: false })).toBeNull();
  });

  it('is never a sealed one, nor one that a run is about to take', () => {
    expect(gapOf({ ...held, rows: '0', sealed: true, due: true })).toBeNull();
    expect(gapOf({ ...held, rows: '0', run: { state: 'planned', reason: null } })).toBeNull();
  });

  it('is one that the schedule should have taken, with what became of it', () => {
    const due = { ...held, due: true };
    expect(gapOf(due)).toBe('run_missing');
    expect(gapOf({ ...due, run: { state: 'failed', reason: 'boom' }, rows: '0' })).toBe(
      'run_failed',
    );
    expect(gapOf({ ...due, run: claimedSkip })).toBe('run_skipped');
    expect(gapOf({ ...due, run: { state: 'skipped', reason: 'sealed' } })).toBeNull();
    expect(gapOf({ ...due, run: { state: 'done', reason: null } })).toBeNull();
    // not scheduled: somebody asked for it, and it is theirs to ask again
    expect(gapOf({ ...held, run: claimedSkip })).toBeNull();
  });
});

describe('calendarStateOf', () => {
  const shown = (one: Partial<Held>, more = {}) =>
    calendarStateOf({ ...held, ...one }, { moved: false, claimed: false, warned: true, ...more });

  it('tells one state of each', () => {
    expect(shown({})).toBe('has_rows');
    expect(shown({ rows: null })).toBe('has_rows');
    expect(shown({ rows: '0' })).toBe('gap');
    expect(shown({ rows: '0' }, { warned: false })).toBe('no_rows');
    expect(shown({}, { claimed: true })).toBe('claimed');
    expect(shown({ due: true })).toBe('run_missing');
    expect(shown({ run: claimedSkip })).toBe('run_skipped');
  });

  it('tells of several the one that matters most', () => {
    expect(shown({ sealed: true, rows: '0', run: claimedSkip }, { claimed: true })).toBe(
      'published',
    );
    expect(shown({ sealed: true }, { moved: true })).toBe('corrected');
    expect(shown({ rows: '0' }, { claimed: true })).toBe('gap');
    expect(shown({ run: { state: 'failed', reason: 'boom' } }, { claimed: true })).toBe(
      'run_failed',
    );
    expect(shown({ due: true }, { claimed: true })).toBe('claimed');
  });
});
