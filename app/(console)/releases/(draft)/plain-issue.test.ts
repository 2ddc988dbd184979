import { describe, expect, it } from 'vitest';
import { Invalid } from '@/lib/domain/refusal';
import { parseRelease } from '@/lib/domain/release';
import { plainIssue } from './plain-issue';

const spec = {
  release: 'a',
  dataset: 'order_tax',
  range: { from: '2011-01-04T00:00:00Z', to: 'open' },
  source: { name: 'orders' },
  transform: { new: { sql: 'select 1' } },
  targetGeneration: 'a-g1',
};

function faultsOf(more: object): string[] {
  try {
    parseRelease({ ...spec, ...more });
  } catch (error) {
    if (error instanceof Invalid) return error.issues.map((issue) => plainIssue(issue).message);
  }
  return [];
}

describe('plainIssue', () => {
  it.each([
    [{ expectedDiff: [{ rule: 'a', where: 'b', columns: [] }] }, ['Choose at least one.']],
    [{ expectedDiff: [{ rule: 'a', where: '', columns: ['c'] }] }, ['This is empty.']],
    [{ budget: { concurrency: 65 } }, ['At most 64.']],
    [{ stopLoss: { failedPartitions: 0 } }, ['At least 1.']],
  ])('%j', (more, messages) => {
    expect(faultsOf(more)).toEqual(messages);
  });

  it('leaves other words alone', () => {
    const issue = { pointer: '', code: 'INVALID_INPUT', message: 'min is above max.' } as const;
    expect(plainIssue(issue)).toBe(issue);
  });
});
