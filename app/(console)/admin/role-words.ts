import type { Role } from '@/lib/domain/permissions';

/** Who holds a role, in the order in which roles are offered. */
export const ROLE_WORDS: Record<Role, string> = {
  owner: 'drafts releases and watches them build',
  approver: 'reads the evidence and signs',
  oncall: 'cuts over and rolls back',
  auditor: 'reads everything, changes nothing',
  admin: 'people, roles, sources, datasets, budgets, subscribers',
  writer: 'a program that posts events',
  reader: 'a program that reads rows',
};

export const OFFERED = Object.keys(ROLE_WORDS) as Role[];
