import { connect, type Database } from '@/lib/db/client';
import { databaseUrl } from '@/lib/env';

const shared = globalThis as typeof globalThis & { interlockWebDatabase?: Database };

/**
 * The web process's one pool. It lives on `globalThis`: the bundler evaluates this module once for
 * each bundle and again at each reload, and each would open a pool of its own.
 */
export function webDatabase(): Database {
  shared.interlockWebDatabase ??= connect(databaseUrl(), { role: 'web' });
  return shared.interlockWebDatabase;
}

/** Uses another pool from now on; for tests, which have a database each. */
export function useWebDatabase(db: Database): void {
  shared.interlockWebDatabase = db;
}
