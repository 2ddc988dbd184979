import { describe, expect, it } from 'vitest';
import { MOVES } from './lifecycle';
import { isRole, may, ROLES, type Role, roleSchema, rolesFor, sayVerb, VERBS } from './permissions';

const doing = (role: Role) => VERBS.filter((verb) => may([role], verb));
const CHANGING = VERBS.filter((verb) => !/\.(read|rows|lease|verify|check)$/.test(verb));

describe('the table of permissions', () => {
  it('has a row for every move', () => {
    for (const move of MOVES) expect(VERBS).toContain(`release.${move}`);
    for (const verb of VERBS) {
      expect(rolesFor(verb).length).toBeGreaterThan(0);
      expect(sayVerb(verb)).toMatch(/^[a-z].*[^.]$/);
    }
  });

  it('lets the auditor change nothing', () => {
    expect(doing('auditor').filter((verb) => CHANGING.includes(verb))).toEqual([]);
    expect(may(['auditor'], 'audit.read')).toBe(true);
  });

  it('lets only approvers sign, and approvers execute nothing', () => {
    for (const verb of ['release.approve', 'release.sign-rollback', 'release.reject'] as const) {
      expect(rolesFor(verb)).toEqual(['approver']);
    }
    expect(may(['approver'], 'release.activate')).toBe(false);
    expect(may(['approver'], 'release.rollback')).toBe(false);
    expect(may(['admin'], 'release.approve')).toBe(false);
    expect(may(['oncall'], 'release.approve')).toBe(false);
  });

  it('lets programs post or read, and no more', () => {
    expect(doing('writer')).toEqual(['source.read', 'source.append']);
    expect(doing('reader')).toEqual(['dataset.read', 'dataset.rows', 'dataset.lease']);
  });

  it('adds up over roles, and nobody may nothing', () => {
    expect(may(['auditor', 'approver'], 'release.approve')).toBe(true);
    expect(VERBS.filter((verb) => may([], verb))).toEqual([]);
  });

  it('reads roles', () => {
    expect(roleSchema.parse('on-call')).toBe('oncall');
    for (const role of ROLES) expect(roleSchema.parse(role)).toBe(role);
    expect(roleSchema.safeParse('root').success).toBe(false);
    expect(isRole('toString')).toBe(false);
  });
});
