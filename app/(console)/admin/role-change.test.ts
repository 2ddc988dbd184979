import { expect, it } from 'vitest';
import { ROLES, type Role, rolesFor, sayVerb, VERBS } from '@/lib/domain/permissions';
import { type Grants, roleChange } from './role-change';

const grants = Object.fromEntries(
  ROLES.map((role) => [role, VERBS.filter((v) => rolesFor(v).includes(role)).map(sayVerb)]),
) as unknown as Grants;

const ana = {
  roles: ['approver', 'owner'] as Role[],
  tokens: [['owner'], ['approver', 'owner'], ['reader']] as Role[][],
  signatures: [{ release: 'vat-fix@1', kind: 'cutover' as const }],
};

it('says what a taken role takes away, and keeps what another role still gives', () => {
  const change = roleChange(ana, ['owner'], grants, { owner: 2, approver: 2 });
  expect(change).toMatchObject({ given: [], taken: ['approver'], weaker: 1, orphaned: [] });
  expect(change.signatures).toEqual(ana.signatures);
  expect(change.loses).toEqual(
    expect.arrayContaining(['signs the cutover', 'rejects a release, with a comment']),
  );
  expect(change.loses).not.toContain('reads the audit chain');
  expect(change.gains).toEqual([]);
});

it('takes no signature with a role that does not sign, and says who would be missing', () => {
  const change = roleChange(ana, ['approver', 'oncall'], grants, { owner: 1, approver: 1 });
  expect(change).toMatchObject({
    given: ['oncall'],
    taken: ['owner'],
    signatures: [],
    weaker: 2,
    orphaned: ['owner'],
  });
  expect(change.gains).toContain('executes the cutover');
});

it('says first what few others may do', () => {
  const { loses } = roleChange({ ...ana, roles: ['approver'] }, [], grants, {});
  expect(loses.slice(0, 3)).toEqual([
    'signs the cutover',
    'signs the rollback',
    'rejects a release, with a comment',
  ]);
  expect(loses).toContain('reads the audit chain');
});

it('is nothing where the roles are the same in another order', () => {
  const change = roleChange(ana, ['owner', 'approver'], grants, {});
  expect([change.given, change.taken, change.loses, change.weaker]).toEqual([[], [], [], 0]);
});
