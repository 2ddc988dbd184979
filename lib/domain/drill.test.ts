import { describe, expect, it } from 'vitest';
import { type DrillFacts, drillMissing, drillWords } from './drill';

const facts = (more: Partial<DrillFacts> = {}): DrillFacts => ({
  required: true,
  maxAgeHours: 24,
  holds: false,
  running: false,
  busy: false,
  last: null,
  ...more,
});

const last = (more: Partial<NonNullable<DrillFacts['last']>> = {}): DrillFacts['last'] => ({
  outcome: 'passed',
  why: null,
  rollbackSeconds: 126,
  ageSeconds: 60,
  ...more,
});

describe('drillMissing', () => {
  it('says nothing where the condition of the cutover holds', () => {
    expect(drillMissing(facts({ holds: true }))).toEqual([]);
    expect(drillMissing(facts({ holds: true, required: false }))).toEqual([]);
  });

  it.each<[string, Partial<DrillFacts>, string]>([
    ['none', {}, 'there was none yet'],
    ['a failed one', { last: last({ outcome: 'failed', why: 'drift (3)' }) }, 'failed: drift (3)'],
    ['a slow one', { last: last({ rollbackSeconds: 901 }) }, 'in 15:01, the limit is 15:00'],
    ['an old one', { last: last({ ageSeconds: 90_000 }) }, 'ended 25 hours ago; one counts for 24'],
  ])('says what is wrong with %s', (_, given, message) => {
    const [blocker, ...others] = drillMissing(facts(given));
    expect(blocker).toMatchObject({ code: 'DRILL_MISSING', kind: 'fix' });
    expect(blocker?.message).toContain(message);
    expect(others).toEqual([]);
  });

  it('waits for one that runs', () => {
    expect(drillMissing(facts({ running: true }))).toMatchObject([
      { code: 'DRILL_MISSING', kind: 'wait', current: 'running' },
    ]);
  });
});

it('a drill is told in a word', () => {
  expect(drillWords({ last: null })).toBe('no drill yet');
  expect(drillWords({ last: last() })).toBe('2:06');
  expect(drillWords({ last: last({ outcome: 'failed', rollbackSeconds: 3 }) })).toBe('failed');
});
