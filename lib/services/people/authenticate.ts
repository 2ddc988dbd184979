import { sql } from 'drizzle-orm';
import { affected, type Database, maybeOne, rows, type Tx } from '@/lib/db/client';
import { isRole, type Role } from '@/lib/domain/permissions';
import type { Actor } from '@/lib/services/context';
import { looksLikeToken, tokenHash } from '@/lib/services/people/token-text';

/** The roles that a person has now; null where there is no such person. */
export async function rolesOf(db: Database | Tx, person: string): Promise<Role[] | null> {
  const found = await rows<{ role: string | null }>(
    db,
    sql`select r.role from control.person p
      left join control.person_role r on r.person = p.name
      where p.name = ${person} order by r.role`,
  );
  if (found.length === 0) return null;
  return found.flatMap(({ role }) => (role !== null && isRole(role) ? [role] : []));
}

/**
 * Who a token speaks for: its person, with the roles that both the token carries and the person
 * has now. Read from the database at each call, so a revoked token or a lost role counts at once.
 *
 * @returns null for an unknown, malformed or revoked token
 */
export async function authenticateToken(
  db: Database,
  token: string,
  via: Actor['via'] = 'api',
): Promise<Actor | null> {
  if (!looksLikeToken(token)) return null;
  const found = await maybeOne<{ id: string; person: string; roles: string[]; idle: boolean }>(
    db,
    sql`select t.id, t.person,
        array(select r.role from control.person_role r
          where r.person = t.person and r.role = any(t.roles) order by r.role) as roles,
        t.last_used_at is null or t.last_used_at < clock_timestamp() - interval '1 minute' as idle
      from control.token t
      where t.hash = ${tokenHash(token)} and t.revoked_at is null`,
  );
  if (!found) return null;
  if (found.idle) {
    // once a minute at most: reading must not turn into a write for each call
    await affected(
      db,
      sql`update control.token set last_used_at = clock_timestamp() where id = ${found.id}`,
    );
  }
  return {
    person: found.person,
    roles: found.roles.filter(isRole),
    via,
    session: `token:${found.id}`,
  };
}
