import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { sql } from 'drizzle-orm';
import { migrate as applyMigrations } from 'drizzle-orm/postgres-js/migrator';
import { Logger, runMigrations } from 'graphile-worker';
import { affected, connect } from '@/lib/db/client';
import { ensureRoles } from '@/lib/db/roles';

const migrationsFolder = fileURLToPath(new URL('../../drizzle', import.meta.url));

/** Any number that nobody else in this database uses: 'inlk' as ASCII. */
const migrationLock = 0x696e6c6b;

/**
 * Brings a database to this version: our migrations in their order, each one once, all in one
 * transaction, then the job queue's own, then the roles that it needs in its cluster. Processes
 * that start together take turns, and whoever comes second finds nothing left to do.
 *
 * @throws the database's error, with nothing of ours applied, where a migration fails
 */
export async function migrate(url: string): Promise<void> {
  // One connection: an advisory lock belongs to the session that took it.
  const db = connect(url, { role: 'tool', max: 1, applicationName: 'interlock-migrate' });
  try {
    await affected(db, sql`select set_config('lock_timeout', '300s', false)`);
    await affected(db, sql`select pg_advisory_lock(${migrationLock})`);
    if (existsSync(path.join(migrationsFolder, 'meta', '_journal.json'))) {
      await applyMigrations(db, { migrationsFolder });
    }
    await runMigrations({ connectionString: url, logger: new Logger(() => () => {}) });
    await ensureRoles(db);
  } finally {
    await db.close();
  }
}
