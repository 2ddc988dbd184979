import { randomUUID } from 'node:crypto';
import type { Database } from '@/lib/db/client';
import type { Ctx } from '@/lib/services/context';
import { rolesOf } from '@/lib/services/people';
import type { Persona } from '@/lib/services/people/personas';

/** A persona as an actor, with the roles that it has now. */
export async function as(db: Database, person: Persona): Promise<Ctx> {
  return {
    db,
    actor: { person, roles: (await rolesOf(db, person)) ?? [], via: 'console', session: null },
    requestId: `demo-${randomUUID()}`,
  };
}

/** The shop's till: the program that appends the demo's events. */
export function till(db: Database): Ctx {
  return {
    db,
    actor: { person: 'till', roles: ['writer'], via: 'runner', session: null },
    requestId: `demo-${randomUUID()}`,
  };
}
