import { createHash } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { type Database, one, type Tx } from '@/lib/db/client';
import { pgError } from '@/lib/db/pg-error';
import { ident } from '@/lib/digest/row-encoding-sql';

/** `transform` sees frozen facts and adds rows; `compare` reads facts and rows. Neither sees more. */
export type SandboxRole = 'transform' | 'compare';

const known = new Map<string, string>();

/**
 * The role that a user's SQL runs under. Roles belong to the whole cluster, so its name carries the
 * database's (or a digest of it, where the name would pass 63 bytes).
 */
export async function sandboxRole(tx: Database | Tx, role: SandboxRole): Promise<string> {
  const { database } = await one<{ database: string }>(
    tx,
    sql`select current_database() as database`,
  );
  const key = `${role} ${database}`;
  let name = known.get(key);
  if (name === undefined) {
    name = `interlock_${role}_${database}`;
    if (Buffer.byteLength(name) > 63) {
      name = `interlock_${role}_${createHash('sha256').update(database).digest('hex').slice(0, 16)}`;
    }
    known.set(key, name);
  }
  return name;
}

/**
 * Makes the cluster's roles that the database needs: `interlock_reader` for people's own roles,
 * and the two that users' SQL runs under. Runs after the migrations, at each start.
 *
 * @throws Error naming the statements to run where we may not create roles
 */
export async function ensureRoles(db: Database): Promise<void> {
  const sandbox = [await sandboxRole(db, 'transform'), await sandboxRole(db, 'compare')];
  for (const name of ['interlock_reader', ...sandbox]) {
    try {
      // another process may be making it just now
      await db.execute(
        sql.raw(`do $$ begin
        if not exists (select from pg_roles where rolname = ${literal(name)}) then
          create role ${ident(name)} nologin noinherit;
        end if;
      exception when duplicate_object or unique_violation then null;
      end $$`),
      );
    } catch (error) {
      if (pgError(error)?.code !== '42501') throw error;
      throw new Error(
        `This database user may not create roles. Have an administrator run: create role ${ident(name)} nologin noinherit; grant ${ident(name)} to current_user;`,
      );
    }
  }
  for (const name of sandbox) {
    await db.execute(
      sql.raw(`do $$ begin
      if not pg_has_role(current_user, ${literal(name)}, 'SET') then
        execute format('grant %I to %I', ${literal(name)}, current_user);
      end if;
    end $$`),
    );
  }
  const { database } = await one<{ database: string }>(
    db,
    sql`select current_database() as database`,
  );
  for (const statement of [
    `revoke temporary on database ${ident(database)} from public`,
    'revoke all on schema public from public',
    'grant usage on schema read to interlock_reader',
    'grant execute on all functions in schema read to interlock_reader',
  ]) {
    await db.execute(sql.raw(statement));
  }
}

const literal = (text: string) => `'${text.replaceAll("'", "''")}'`;
