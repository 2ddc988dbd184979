import { expect, it } from 'vitest';
import type { LeftPartition } from '@/lib/queries/run-page';
import { leftToDo } from './left-to-do';

const day = (n: number) => `2011-02-0${n}T00:00:00Z`;
const left = (n: number, state: LeftPartition['state'], reason: string | null): LeftPartition => ({
  start: day(n),
  end: day(n + 1),
  state,
  reason,
});
const none = { planned: 0, done: 0, changed: 0, skipped: 0, failed: 0 };

it('names what a retry takes up, each with why, and counts what had no data', () => {
  const found = leftToDo(
    {
      counts: { ...none, done: 1, failed: 1, skipped: 2, planned: 1 },
      withoutData: 1,
      left: [
        left(2, 'skipped', 'claimed_by:nightly'),
        left(4, 'failed', 'boom'),
        left(5, 'planned', null),
      ],
    },
    'UTC',
  );
  expect(found.count).toBe(4);
  expect(found.withoutData).toBe(1);
  expect(found.named.map(({ text }) => text)).toEqual([
    '[2011-02-02 00:00 UTC, 2011-02-03 00:00 UTC) UTC: claimed by nightly',
    '[2011-02-04 00:00 UTC, 2011-02-05 00:00 UTC) UTC: failed: boom',
    '[2011-02-05 00:00 UTC, 2011-02-06 00:00 UTC) UTC: never come to',
  ]);
});

it('is nothing where all is done', () => {
  expect(leftToDo({ counts: { ...none, done: 3 }, withoutData: 0, left: [] }, 'UTC').count).toBe(0);
});
