import { sql } from 'drizzle-orm';
import { affected, array, type Database, maybeOne, one, type Tx } from '@/lib/db/client';
import { transaction } from '@/lib/db/transaction';
import { parseName, readPerson } from '@/lib/domain/names';
import { ROLES, type Role } from '@/lib/domain/permissions';
import { NotFound } from '@/lib/domain/refusal';
import { writeAudit } from '@/lib/services/audit/write';
import type { Ctx } from '@/lib/services/context';
import { addRoles, lockPerson, makePerson } from '@/lib/services/people/set-roles';
import { newToken, tokenHash } from '@/lib/services/people/token-text';
import { verb } from '@/lib/services/verb';

export interface CreateTokenInput {
  person: string;
  /** What it may be used for; all that its person may, now and later, unless given. */
  roles?: readonly Role[] | undefined;
}

export interface NewToken {
  id: string;
  person: string;
  roles: Role[];
  /** Shown this once; only its digest is kept. */
  token: string;
}

/**
 * Makes a token for a person. It never gives more than the person has: at each call its roles
 * count only as far as the person still has them.
 */
export const createToken = verb<CreateTokenInput, NewToken>(
  { name: 'token.create', subject: (input) => input.person, chain: async () => 'people' },
  async (ctx, input) => {
    const person = parseName(readPerson, input.person, '/person');
    return transaction(ctx.db, async (tx) => {
      if (!(await personThere(tx, person))) throw new NotFound('person', person);
      return insertToken(tx, ctx, person, input.roles ?? ROLES);
    });
  },
);

/** Revokes a token: the next call with it is 401. Revoking it again changes nothing. */
export const revokeToken = verb<{ id: string }, void>(
  { name: 'token.revoke', subject: (input) => input.id, chain: async () => 'people' },
  async (ctx, { id }) => {
    await transaction(ctx.db, async (tx) => {
      const found = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id)
        ? await maybeOne<{ person: string; revoked: string | null }>(
            tx,
            sql`select person, revoked_at as revoked from control.token where id = ${id} for update`,
          )
        : null;
      if (!found) throw new NotFound('token', id);
      if (found.revoked !== null) return;
      await affected(
        tx,
        sql`update control.token set revoked_at = clock_timestamp() where id = ${id}`,
      );
      await writeAudit(tx, ctx, {
        chain: 'people',
        verb: 'token.revoke',
        subject: id,
        before: { person: found.person },
      });
    });
  },
);

/**
 * A token made on the server itself, by whoever holds the database: how the first one comes about.
 * Makes the person where there is none, and gives it the roles that it lacks.
 */
export async function provisionToken(
  db: Database,
  input: { person: string; roles: readonly Role[]; requestId: string },
): Promise<NewToken> {
  const person = parseName(readPerson, input.person, '/person');
  const actor = { person: 'system', roles: [], via: 'cli', session: null } as const;
  const ctx: Ctx = { db, actor, requestId: input.requestId };
  return transaction(db, async (tx) => {
    await makePerson(tx, person);
    const before = await lockPerson(tx, person);
    await addRoles(tx, person, input.roles, actor.person);
    const roles = [...new Set([...before.roles, ...input.roles])].sort();
    if (roles.length > before.roles.length) {
      await writeAudit(tx, ctx, {
        chain: 'people',
        verb: 'people.write',
        subject: person,
        before: { roles: before.roles },
        after: { roles },
      });
    }
    return insertToken(tx, ctx, person, input.roles);
  });
}

async function personThere(tx: Tx, person: string): Promise<boolean> {
  return (await maybeOne(tx, sql`select 1 from control.person where name = ${person}`)) !== null;
}

async function insertToken(
  tx: Tx,
  ctx: Ctx,
  person: string,
  wanted: readonly Role[],
): Promise<NewToken> {
  const token = newToken();
  const roles = [...new Set(wanted)].sort();
  const { id } = await one<{ id: string }>(
    tx,
    sql`insert into control.token (person, hash, roles, created_by)
      values (${person}, ${tokenHash(token)}, ${array(roles, 'text')}, ${ctx.actor.person})
      returning id`,
  );
  await writeAudit(tx, ctx, {
    chain: 'people',
    verb: 'token.create',
    subject: person,
    after: { id, roles },
  });
  return { id, person, roles, token };
}
