import os from 'node:os';
import { sql } from 'drizzle-orm';
import { type Database, one } from '@/lib/db/client';

/** What the figures were measured on, and how busy it was when measuring began. */
export function machineLines(): string[] {
  const [cpu] = os.cpus();
  const load = os.loadavg().map((value) => value.toFixed(2));
  return [
    `machine   ${os.availableParallelism()} × ${cpu?.model.trim() ?? 'unknown'}, ${Math.round(os.totalmem() / 1024 ** 3)} GB, ${os.type()} ${os.release()}, Node ${process.versions.node}`,
    `load      ${load.join(' ')} (1, 5 and 15 minutes)`,
  ];
}

const told = [
  'fsync',
  'synchronous_commit',
  'full_page_writes',
  'shared_buffers',
  'work_mem',
  'jit',
];

/** The server's version and the settings that figures depend on most. */
export async function serverLine(db: Database): Promise<string> {
  const { version, settings } = await one<{ version: string; settings: string }>(
    db,
    sql`select current_setting('server_version') as version,
        string_agg(name || ' ' || current_setting(name), ', ' order by name) as settings
      from pg_settings where name in (${sql.join(
        told.map((name) => sql`${name}`),
        sql`, `,
      )})`,
  );
  return `server    PostgreSQL ${version}: ${settings}`;
}
