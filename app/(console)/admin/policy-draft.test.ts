import { expect, it } from 'vitest';
import { policySchema } from '@/lib/domain/dataset';
import { draftOf, policyOf } from './policy-draft';

const policy = policySchema.parse({
  approvals: { cutover: 2, rollback: 1 },
  requireDrill: true,
  runs: { cron: '0 3 * * *', partitions: 2, secondPersonOver: 31 },
});

it('types a policy and reads it back as it was', () => {
  expect(policyOf(draftOf(policy))).toEqual({ policy, faults: null });
  const bare = policySchema.parse({});
  expect(policyOf(draftOf(bare))).toEqual({ policy: bare, faults: null });
});

it('reads an empty schedule as none, and an empty limit as no second person', () => {
  const read = policyOf({ ...draftOf(policy), cron: ' ', secondPersonOver: '' });
  expect(read.policy?.runs).toEqual({ cron: null, partitions: 2, secondPersonOver: null });
});

it('says of every field what is wrong with it', () => {
  const typed = { ...draftOf(policy), cutover: 'two', window: 'a day', drillAge: '90 min' };
  expect(policyOf(typed)).toEqual({
    policy: null,
    faults: {
      cutover: 'A whole number.',
      window: 'A length of time, such as 36 h or 1 d 12 h.',
      drillAge: 'Whole hours.',
    },
  });
});
