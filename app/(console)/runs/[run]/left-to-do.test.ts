import { expect, it } from 'vitest';
import type { RunView } from '@/lib/queries/runs';
import { leftToDo } from './left-to-do';

const day = (n: number) => `2011-02-0${n}T00:00:00Z`;

const run = (more: Partial<RunView>) =>
  ({ skipped: [], failed: [], planned: [], done: [], ...more }) as unknown as RunView;

it('names what a retry takes up, in order of time, each with why', () => {
  const left = leftToDo(
    run({
      done: [day(1)],
      failed: [[day(4), 'boom']],
      skipped: [
        [day(2), 'claimed_by:nightly'],
        [day(3), 'no_data'],
      ],
      planned: [day(5)],
    }),
    'UTC',
    'day',
  );
  expect(left.count).toBe(4);
  expect(left.withoutData).toBe(1);
  expect(left.named.map(({ text }) => text)).toEqual([
    '[2011-02-02 00:00 UTC, 2011-02-03 00:00 UTC) UTC: claimed by nightly',
    '[2011-02-04 00:00 UTC, 2011-02-05 00:00 UTC) UTC: failed: boom',
    '[2011-02-05 00:00 UTC, 2011-02-06 00:00 UTC) UTC: never come to',
  ]);
});

it('is nothing where all is done', () => {
  expect(leftToDo(run({ done: [day(1)] }), 'UTC', 'day').count).toBe(0);
});
