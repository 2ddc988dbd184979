import type { Database } from '@/lib/db/client';
import type { Role } from '@/lib/domain/permissions';

/** Who acts, through which door, with the roles that the database gives them now. */
export interface Actor {
  person: string;
  roles: readonly Role[];
  via: 'console' | 'api' | 'cli' | 'runner';
  session: string | null;
}

/** What every verb is called with. */
export interface Ctx {
  db: Database;
  actor: Actor;
  requestId: string;
}
