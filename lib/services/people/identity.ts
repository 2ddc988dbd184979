import { sql } from 'drizzle-orm';
import { affected, type Database, rows } from '@/lib/db/client';
import { readPerson } from '@/lib/domain/names';
import { Forbidden } from '@/lib/domain/refusal';

/** What an identity provider says of somebody who signed in. */
export interface Identity {
  /** The provider's own id; never given to anybody else. */
  subject: string;
  /** In small letters, and only if the provider vouches for it. */
  email: string | null;
  displayName: string;
}

/**
 * The person behind an identity: whoever has its verified address, or, where nobody has, a new
 * person of that name without any role. Names that a user can choose at the provider are no proof
 * of anything and are only shown.
 *
 * @throws Forbidden where the provider vouches for no address, or several people have it
 */
export async function personOfIdentity(db: Database, identity: Identity): Promise<string> {
  const read = identity.email === null ? null : readPerson(identity.email);
  if (!read?.ok) throw new Forbidden('The provider vouches for no email address of yours.');
  const name = read.value;
  const known = await rows<{ name: string; byAddress: boolean }>(
    db,
    sql`select name, coalesce(lower(email) = ${name}, false) as "byAddress" from control.person
      where lower(email) = ${name} or (name = ${name} and email is null)
      order by 2 desc, 1`,
  );
  if (known.filter((person) => person.byAddress).length > 1) {
    throw new Forbidden('Several people have your email address.');
  }
  const [found] = known;
  if (found) return found.name;
  await affected(
    db,
    sql`insert into control.person (name, display_name, email)
      values (${name}, ${identity.displayName.slice(0, 200)}, ${name}) on conflict do nothing`,
  );
  return name;
}
