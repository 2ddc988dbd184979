import { sql } from 'drizzle-orm';
import { affected, array, maybeOne, one, rows, type Tx } from '@/lib/db/client';
import { transaction } from '@/lib/db/transaction';
import { parseName, readPerson } from '@/lib/domain/names';
import type { Role } from '@/lib/domain/permissions';
import { Refused, toFix } from '@/lib/domain/refusal';
import { writeAudit } from '@/lib/services/audit/write';
import type { Ctx } from '@/lib/services/context';
import { verb } from '@/lib/services/verb';

export interface SetRolesInput {
  person: string;
  /** Exactly these from now on. */
  roles: readonly Role[];
  /** The roles that the decision was made by; null: that there is nobody of the name. */
  seen?: readonly string[] | null | undefined;
  displayName?: string | undefined;
  /** By which an identity provider's account becomes this person; null takes it away. */
  email?: string | null | undefined;
}

export interface PersonAnswer {
  name: string;
  displayName: string;
  email: string | null;
  roles: Role[];
  created: boolean;
}

/**
 * Gives a person exactly these roles, making the person where there is none of that name.
 *
 * The person's row is locked before roles are taken: signing and the cutover lock the same row, so
 * a role is lost either before they look or after they are done.
 *
 * @throws Refused where it would leave nobody with the role admin, or where the roles are not those
 *   that were `seen`
 */
export const setRoles = verb<SetRolesInput, PersonAnswer>(
  { name: 'people.write', subject: (input) => input.person, chain: async () => 'people' },
  async (ctx, input) => {
    const person = parseName(readPerson, input.person, '/person');
    return transaction(ctx.db, (tx) => writeRoles(tx, ctx, { ...input, person }));
  },
);

async function writeRoles(tx: Tx, ctx: Ctx, input: SetRolesInput): Promise<PersonAnswer> {
  const { person } = input;
  const created = await makePerson(tx, person, input.displayName);
  const before = await lockPerson(tx, person);
  requireSeen(input, created, before.roles);
  if (before.roles.includes('admin') && !input.roles.includes('admin')) {
    await requireAnotherAdmin(tx, person);
  }
  const displayName = input.displayName ?? before.displayName;
  const email = input.email === undefined ? before.email : input.email;
  await affected(
    tx,
    sql`update control.person set display_name = ${displayName}, email = ${email}
      where name = ${person}`,
  );
  await affected(
    tx,
    sql`delete from control.person_role
      where person = ${person} and role <> all(${array([...input.roles], 'text')})`,
  );
  await addRoles(tx, person, input.roles, ctx.actor.person);
  const roles = [...new Set(input.roles)].sort();
  await writeAudit(tx, ctx, {
    chain: 'people',
    verb: 'people.write',
    subject: person,
    before: created ? null : { roles: before.roles, email: before.email },
    after: { roles, email },
  });
  return { name: person, displayName, email, roles, created };
}

function requireSeen({ person, seen }: SetRolesInput, created: boolean, roles: readonly string[]) {
  if (seen === undefined) return;
  if (seen === null && !created) {
    throw new Refused(toFix('ALREADY_EXISTS', `There is somebody named ${person} already.`));
  }
  if (seen === null || [...seen].sort().join() === roles.join()) return;
  throw new Refused(
    toFix('CHANGED_SINCE_SEEN', `Somebody changed the roles of ${person} since you looked.`, {
      expected: [...seen].sort(),
      current: [...roles],
    }),
  );
}

/** Locks the role of every admin: of two who take it from each other, the second is refused. */
async function requireAnotherAdmin(tx: Tx, person: string): Promise<void> {
  const admins = await rows<{ person: string }>(
    tx,
    sql`select person from control.person_role where role = 'admin' order by person for update`,
  );
  if (admins.some((admin) => admin.person !== person)) return;
  throw new Refused(
    toFix(
      'LAST_ADMIN',
      `Nobody but ${person} holds the role admin; give it to somebody else first.`,
    ),
  );
}

/** True where the person is new. */
export async function makePerson(tx: Tx, person: string, displayName?: string): Promise<boolean> {
  const made = await affected(
    tx,
    sql`insert into control.person (name, display_name)
      values (${person}, ${displayName ?? person}) on conflict do nothing`,
  );
  return made === 1;
}

/** Locks a person's row and reads the person and the roles in a statement after the lock. */
export async function lockPerson(
  tx: Tx,
  person: string,
): Promise<{ displayName: string; email: string | null; roles: string[] }> {
  await maybeOne(tx, sql`select 1 from control.person where name = ${person} for update`);
  const found = await one<{ displayName: string; email: string | null }>(
    tx,
    sql`select display_name as "displayName", email from control.person where name = ${person}`,
  );
  const roles = await rows<{ role: string }>(
    tx,
    sql`select role from control.person_role where person = ${person} order by role`,
  );
  return { ...found, roles: roles.map(({ role }) => role) };
}

export async function addRoles(
  tx: Tx,
  person: string,
  roles: readonly Role[],
  by: string,
): Promise<void> {
  await affected(
    tx,
    sql`insert into control.person_role (person, role, granted_by)
      select ${person}, r, ${by} from unnest(${array([...roles], 'text')}) r
      on conflict do nothing`,
  );
}
