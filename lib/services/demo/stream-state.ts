import { sql } from 'drizzle-orm';
import { type Database, maybeOne, type Tx } from '@/lib/db/client';
import { demoSettings } from './setting';

export interface StreamState {
  on: boolean;
  /** When it was last switched, and by whom; `system` when the demo was made. */
  since: string;
  by: string;
}

/** The demo's switch for live events; null where there is no demo, or it is still being made. */
export async function streamState(db: Database | Tx): Promise<StreamState | null> {
  return maybeOne<StreamState>(
    db,
    sql`select (value ->> 'on')::boolean as on, changed_at as since, changed_by as by
      from control.setting where name = ${demoSettings.stream}
        and exists (select from control.setting where name = ${demoSettings.seeded})`,
  );
}
