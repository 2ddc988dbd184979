import { describe, expect, it } from 'vitest';
import { runAnswersSchema } from './run-answers-schema';
import {
  answerBlockers,
  foundFacts,
  hasEnded,
  needsSecondPerson,
  RUN_STATES,
  type RunQuestions,
} from './runs';

const questions: RunQuestions = {
  dataset: 'd',
  range: { from: '2011-01-04T00:00:00Z', to: '2011-01-06T00:00:00Z' },
  partitions: { count: 2, starts: ['2011-01-04T00:00:00Z', '2011-01-05T00:00:00Z'] },
  overwritable: { replaced: 1, lastRun: null },
  published: {
    count: 1,
    partitions: [
      {
        start: '2011-01-04T00:00:00Z',
        sentTo: 'office',
        document: null,
        at: '2011-02-01T00:00:00Z',
      },
    ],
    recipients: ['office'],
  },
  claimed: [{ from: 'a', to: 'b', partitions: 2, owner: 'x', by: 'y' }],
  contaminated: [],
  earlierMissing: { count: 3, named: [] },
  subscribersToTell: ['office'],
  subscribers: [],
  secondPersonNeeded: false,
  secondPersonOver: null,
};
const yes = { overwritable: true, earlierComplete: true, publishedSeen: true, tell: null };

describe('answers before a rerun', () => {
  it('stand where nothing in them contradicts what is so; a person’s word on what is earlier counts', () => {
    expect(answerBlockers(yes, questions)).toEqual([]);
    expect(answerBlockers({ ...yes, earlierComplete: false }, questions)).toEqual([]);
    const open = { ...questions, published: { count: 0, partitions: [], recipients: [] } };
    expect(answerBlockers({ ...yes, publishedSeen: false }, open)).toEqual([]);
    expect(foundFacts(questions)).toEqual({
      replaced: 1,
      published: 1,
      earlierMissing: 3,
      contaminated: 0,
      claimed: 2,
    });
  });

  it('are refused with everything that speaks against them', () => {
    const blockers = answerBlockers(
      { ...yes, overwritable: false, publishedSeen: false },
      questions,
    );
    expect(blockers.map((b) => [b.code, b.kind, b.pointer])).toEqual([
      ['NOT_OVERWRITABLE', 'fix', '/answers/overwritable'],
      ['PUBLISHED_NOT_SEEN', 'fix', '/answers/publishedSeen'],
    ]);
    expect(blockers[1]?.message).toContain('1 partition of the range was published, to office');
  });

  it('are read whole; who is told may be nobody', () => {
    const { tell: _, ...three } = yes;
    expect(runAnswersSchema.parse(three)).toEqual(yes);
    expect(runAnswersSchema.safeParse({ overwritable: true }).success).toBe(false);
    expect(runAnswersSchema.safeParse({ ...yes, more: 1 }).success).toBe(false);
  });
});

it('a second person is needed over the policy’s size', () => {
  const policy = (over: number | null) => ({ cron: null, partitions: 1, secondPersonOver: over });
  expect(needsSecondPerson(undefined, 1_000)).toBe(false);
  expect(needsSecondPerson(policy(null), 1_000)).toBe(false);
  expect([2, 3].map((n) => needsSecondPerson(policy(2), n))).toEqual([false, true]);
  expect(needsSecondPerson(policy(0), 1)).toBe(true);
});

it('ends are three of the states', () => {
  expect(RUN_STATES.filter(hasEnded)).toEqual(['done', 'failed', 'cancelled']);
});
