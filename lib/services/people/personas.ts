import { sql } from 'drizzle-orm';
import { affected, array, type Database } from '@/lib/db/client';
import { transaction } from '@/lib/db/transaction';
import type { Role } from '@/lib/domain/permissions';

/** Who signs in with one click where the installation is a demonstration. */
export const personas = [
  { name: 'owner', displayName: 'Ana, owner', roles: ['owner'] },
  { name: 'approver', displayName: 'Cyd, approver', roles: ['approver'] },
  { name: 'approver2', displayName: 'Ben, approver', roles: ['approver'] },
  { name: 'oncall', displayName: 'Dee, on-call', roles: ['oncall'] },
  { name: 'auditor', displayName: 'Eve, auditor', roles: ['auditor'] },
  { name: 'admin', displayName: 'Fay, admin', roles: ['admin'] },
] as const satisfies readonly { name: string; displayName: string; roles: readonly Role[] }[];

export type Persona = (typeof personas)[number]['name'];

export function isPersona(name: string): name is Persona {
  return personas.some((persona) => persona.name === name);
}

/** Makes a persona with its roles where it is missing; one that is there is left as it is. */
export async function ensurePersona(db: Database, name: Persona): Promise<void> {
  const persona = personas.find((each) => each.name === name);
  if (!persona) return;
  await transaction(db, async (tx) => {
    const made = await affected(
      tx,
      sql`insert into control.person (name, display_name, demo)
        values (${persona.name}, ${persona.displayName}, true) on conflict do nothing`,
    );
    if (made === 0) return;
    await affected(
      tx,
      sql`insert into control.person_role (person, role, granted_by)
        select ${persona.name}, r, 'system' from unnest(${array([...persona.roles], 'text')}) r`,
    );
  });
}

/** All personas; for the demonstration's set-up. */
export async function ensurePersonas(db: Database): Promise<void> {
  for (const { name } of personas) await ensurePersona(db, name);
}
