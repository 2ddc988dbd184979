import { expect, it } from 'vitest';
import type { RunQuestions } from '@/lib/domain/runs';
import { intervalsOf } from './intervals';

const questions = (more: Partial<RunQuestions>): RunQuestions => ({
  dataset: 'order_tax',
  range: { from: '2011-03-26T00:00:00Z', to: '2011-03-28T23:00:00Z' },
  partitions: { count: 0, starts: [] },
  overwritable: { replaced: 0, lastRun: null },
  published: { count: 0, partitions: [], recipients: [] },
  claimed: [],
  contaminated: [],
  earlierMissing: { count: 0, named: [] },
  subscribersToTell: [],
  subscribers: [],
  secondPersonNeeded: false,
  secondPersonOver: null,
  ...more,
});

it('tells what one publication sealed as one range, with the end of its last day', () => {
  const sent = { sentTo: 'HMRC', document: null, at: '2011-04-01T09:00:00Z' };
  const partitions = [
    { start: '2011-03-26T00:00:00Z', ...sent },
    { start: '2011-03-27T00:00:00Z', ...sent },
    // after a day of 23 hours, and by another publication
    { start: '2011-03-27T23:00:00Z', ...sent, at: '2011-04-02T09:00:00Z' },
  ];
  const { published } = intervalsOf(
    'Europe/London',
    'day',
    questions({ published: { count: 3, partitions, recipients: ['HMRC'] } }),
  );
  expect(published.map(({ from, to, partitions: n }) => [from, to, n])).toEqual([
    ['2011-03-26T00:00:00Z', '2011-03-27T23:00:00Z', 2],
    ['2011-03-27T23:00:00Z', '2011-03-28T23:00:00Z', 1],
  ]);
});

it('tells both ends of what is missing before', () => {
  const named = [{ start: '2011-03-27T00:00:00Z', why: 'no_rows' as const }];
  expect(
    intervalsOf('Europe/London', 'day', questions({ earlierMissing: { count: 1, named } })).missing,
  ).toEqual([{ from: '2011-03-27T00:00:00Z', to: '2011-03-27T23:00:00Z', why: 'no_rows' }]);
});
