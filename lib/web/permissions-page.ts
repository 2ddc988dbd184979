import { ROLES, type Role, rolesFor, sayVerb, VERBS } from '@/lib/domain/permissions';

const held: Record<Role, string> = {
  owner: 'drafts and submits releases, watches them build, answers review',
  approver: 'reads the evidence, signs or rejects cutover and rollback',
  oncall: 'executes an approved cutover, pauses, abandons, rolls back',
  auditor: 'reads everything, changes nothing',
  admin: 'people, roles, sources, datasets, budgets, subscribers',
  writer: 'a program that posts events',
  reader: 'a program that reads rows',
};

/** `docs/permissions.md`, made from the table that the doors ask. */
export function permissionsPage(): string {
  const cell = (roles: readonly Role[], role: Role) => (roles.includes(role) ? '●' : '');
  const rows = VERBS.map((verb) => {
    const roles = rolesFor(verb);
    return `| \`${verb}\` | ${sayVerb(verb)} | ${ROLES.map((role) => cell(roles, role)).join(' | ')} |`;
  });
  return [
    '# Who may do what',
    '',
    'Made from `lib/domain/permissions.ts`; a test holds the two together. Roles belong to people and',
    'are read from the database at each decision. A token counts as far as its person still has its',
    'roles. One person may hold several; that nobody signs a release of their own, and that two',
    'signatures need two people, are rules of approval and not of a role.',
    '',
    '| Role | Who |',
    '| --- | --- |',
    ...ROLES.map((role) => `| \`${role}\` | ${held[role]} |`),
    '',
    `| Verb | Does | ${ROLES.join(' | ')} |`,
    `| --- | --- | ${ROLES.map(() => ':-:').join(' | ')} |`,
    ...rows,
    '',
    '`/api/v1/openapi.json`, `/healthz`, `/readyz` and `/metrics` need nobody. A wrong role is refused',
    'before anything of the request is read, and is a row in the audit chain; calls by nobody are only',
    'counted, per minute and door.',
    '',
  ].join('\n');
}
