import type { Role } from '@/lib/domain/permissions';
import { personas } from '@/lib/services/people';
import { demoPersonasOffered, oidcSettings } from '@/lib/web/auth-settings';

const does: Record<Role, string> = {
  owner: 'drafts releases, watches them build, answers review',
  approver: 'reads the evidence and signs, or rejects',
  oncall: 'executes the cutover, rolls back',
  auditor: 'reads everything, changes nothing',
  admin: 'people, roles, sources, datasets, budgets, subscribers',
  writer: 'posts events',
  reader: 'reads rows',
};

/** Which ways to sign in this installation has. */
export function signInChoices() {
  return {
    oidc: oidcSettings() !== null,
    personas: demoPersonasOffered()
      ? personas.map(({ name, displayName, roles }) => ({
          name,
          displayName,
          does: roles.map((role) => does[role]).join('; '),
        }))
      : [],
  };
}
