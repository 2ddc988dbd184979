import { sql } from 'drizzle-orm';
import { affected, type Database, rows } from '@/lib/db/client';

/** Drops a database, whoever is connected, and the cluster's roles that carry its name. */
export async function dropDatabase(admin: Database, name: string): Promise<void> {
  await affected(admin, sql`drop database if exists ${sql.identifier(name)} with (force)`);
  const roles = await rows<{ rolname: string }>(
    admin,
    sql`
      select rolname from pg_roles
      where starts_with(rolname, 'interlock_') and right(rolname, length(${name})) = ${name}`,
  );
  for (const { rolname } of roles) await affected(admin, sql`drop role ${sql.identifier(rolname)}`);
}
