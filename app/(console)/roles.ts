import type { Role } from '@/lib/domain/permissions';

/** A role as it is spelt to people. */
export const roleSpelt = (role: Role): string => (role === 'oncall' ? 'on-call' : role);

export const rolesSpelt = (roles: readonly Role[]): string[] => roles.map(roleSpelt);

/** "owner or on-call" */
export function anyRole(roles: readonly Role[]): string {
  const spelt = rolesSpelt(roles);
  const last = spelt.at(-1) ?? 'nobody';
  return spelt.length < 2 ? last : `${spelt.slice(0, -1).join(', ')} or ${last}`;
}
