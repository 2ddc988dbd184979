import { describe, expect, it } from 'vitest';
import {
  authorsOf,
  effectiveApprovals,
  judgeSignatures,
  type Signature,
  type SignQuestion,
  signBlockers,
  standing,
} from './approval-rules';
import type { Instant } from './instant';
import type { Role } from './permissions';

const F = 'sha256:f';
const OLD = 'sha256:e';
const sign = (person: string, change: Partial<Signature> = {}): Signature => ({
  person,
  kind: 'cutover',
  decision: 'approve',
  digest: F,
  ...change,
});
const roles = new Map<string, readonly Role[]>([
  ['bob', ['approver']],
  ['cyd', ['approver', 'oncall']],
  ['ana', ['owner', 'approver']],
  ['eve', ['auditor']],
]);

const QUESTION: SignQuestion = {
  kind: 'cutover',
  person: 'cyd',
  roles: ['approver'],
  authors: ['ana'],
  signatures: [],
  currentDigest: F,
  shownDigest: F,
  state: 'RECONCILED',
  held: false,
  deadline: '2026-08-01T00:00:00Z' as Instant,
  now: '2026-07-31T23:59:59.999999Z' as Instant,
};
const codes = (change: Partial<SignQuestion>) =>
  signBlockers({ ...QUESTION, ...change }).map((b) => b.code);

describe('numbers and authors', () => {
  it('the larger of release and policy', () => {
    expect(effectiveApprovals({ cutover: 2, rollback: 2 }, { cutover: 3, rollback: 1 })).toEqual({
      cutover: 3,
      rollback: 2,
    });
  });

  it('everyone who wrote, accepted or is carried along, once', () => {
    expect(
      authorsOf({ editors: ['bob', 'ana'], acceptors: ['dee'], inherited: ['ana', 'cyd'] }),
    ).toEqual(['ana', 'bob', 'cyd', 'dee']);
  });
});

describe('signatures that stand', () => {
  it('are of distinct people, entitled now, on the evidence now', () => {
    const judged = judgeSignatures(
      [
        sign('bob'),
        sign('bob'),
        sign('cyd', { digest: OLD }),
        sign('ana'),
        sign('eve'),
        sign('gone'),
        sign('cyd', { decision: 'reject' }),
        sign('bob', { kind: 'rollback' }),
      ],
      F,
      ['ana'],
      roles,
    );
    expect(judged.map((j) => j.voidBecause)).toEqual([
      null,
      'repeated',
      'moved',
      'author',
      'role',
      'role',
      'rejected',
      null,
    ]);
  });

  it('are counted by kind', () => {
    const signatures = [sign('bob'), sign('cyd'), sign('bob', { kind: 'rollback' })];
    expect(standing(signatures, F, ['ana'], roles)).toEqual({ cutover: 2, rollback: 1 });
    expect(standing(signatures, OLD, ['ana'], roles)).toEqual({ cutover: 0, rollback: 0 });
    expect(standing(signatures, null, ['ana'], roles)).toEqual({ cutover: 0, rollback: 0 });
    expect(standing(signatures, F, ['ana', 'bob'], roles)).toEqual({ cutover: 1, rollback: 0 });
    expect(standing(signatures, F, [], new Map([['cyd', ['approver'] as const]]))).toEqual({
      cutover: 1,
      rollback: 0,
    });
  });
});

describe('who may sign now', () => {
  it('an approver who wrote nothing, on what was shown, before the deadline', () => {
    expect(codes({})).toEqual([]);
    expect(codes({ state: 'APPROVED' })).toEqual([]);
    expect(codes({ deadline: null })).toEqual([]);
  });

  it.each<[string, Partial<SignQuestion>, string[]]>([
    ['an author', { person: 'ana' }, ['SELF_APPROVAL']],
    ['who lost the role', { roles: ['oncall'] }, ['FORBIDDEN']],
    ['who has signed', { signatures: [sign('cyd')] }, ['ALREADY_SIGNED']],
    ['who was shown something else', { shownDigest: OLD }, ['EVIDENCE_MOVED']],
    ['before there is evidence', { state: 'CAUGHT_UP', currentDigest: null }, ['EVIDENCE_MISSING']],
    ['after the cutover', { state: 'ACTIVE' }, ['EVIDENCE_MISSING']],
    [
      'when something does not agree',
      { state: 'RECONCILIATION_REQUIRED' },
      ['RECONCILIATION_REQUIRED'],
    ],
    ['while it is held', { held: true }, ['HELD']],
    ['at the deadline', { now: '2026-08-01T00:00:00Z' as Instant }, ['DEADLINE_PASSED']],
  ])('not %s', (_, change, expected) => {
    expect(codes(change)).toEqual(expected);
  });

  it('again on new evidence, and for the rollback beside the cutover', () => {
    expect(codes({ signatures: [sign('cyd', { digest: OLD })] })).toEqual([]);
    expect(codes({ kind: 'rollback', signatures: [sign('cyd')] })).toEqual([]);
    expect(
      codes({ kind: 'rollback', state: 'ACTIVE', now: '2030-01-01T00:00:00Z' as Instant }),
    ).toEqual([]);
  });

  it('names everything at once', () => {
    expect(codes({ person: 'ana', roles: ['owner'], shownDigest: OLD, held: true })).toEqual([
      'FORBIDDEN',
      'SELF_APPROVAL',
      'EVIDENCE_MOVED',
      'HELD',
    ]);
  });
});
