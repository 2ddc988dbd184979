import { sql } from 'drizzle-orm';
import { type Database, maybeOne, rows, type Tx } from '@/lib/db/client';
import { NotFound } from '@/lib/domain/refusal';
import { type Page, type PageRequest, pageOf, readCursor } from '@/lib/queries/page';

export interface PersonItem {
  name: string;
  displayName: string;
  email: string | null;
  roles: string[];
  createdAt: string;
}

/** A token without its secret, which nobody can show again. */
export interface TokenView {
  id: string;
  roles: string[];
  createdAt: string;
  createdBy: string | null;
  lastUsedAt: string | null;
  revokedAt: string | null;
}

const columns = sql`p.name, p.display_name as "displayName", p.email, p.created_at as "createdAt",
  array(select r.role from control.person_role r where r.person = p.name order by r.role) as roles`;

/** All people by name. */
export async function personList(
  db: Database | Tx,
  { limit, cursor }: PageRequest,
): Promise<Page<PersonItem>> {
  const after = readCursor(cursor, [/^[^\p{C}]{1,254}$/u]);
  const found = await rows<PersonItem>(
    db,
    sql`select ${columns} from control.person p
      where p.name > ${after?.[0] ?? ''} order by p.name limit ${limit + 1}`,
  );
  return pageOf(found, limit, (person) => [person.name]);
}

/**
 * One person, with roles and tokens.
 *
 * @throws NotFound
 */
export async function personView(
  db: Database | Tx,
  name: string,
): Promise<PersonItem & { tokens: TokenView[] }> {
  const person = await maybeOne<PersonItem>(
    db,
    sql`select ${columns} from control.person p where p.name = ${name}`,
  );
  if (!person) throw new NotFound('person', name);
  const tokens = await rows<TokenView>(
    db,
    sql`select id, roles, created_at as "createdAt", created_by as "createdBy",
        last_used_at as "lastUsedAt", revoked_at as "revokedAt"
      from control.token where person = ${name} order by created_at, id`,
  );
  return { ...person, tokens };
}
