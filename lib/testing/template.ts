import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import { sql } from 'drizzle-orm';
import type { TestProject } from 'vitest/node';
import { affected, connect } from '@/lib/db/client';
import { startEmbedded } from '@/lib/db/embedded';
import { migrate } from '@/lib/db/migrate';
import { env } from '@/lib/env';
import { dropDatabase } from '@/lib/testing/drop-database';
import { throwAwayFolder } from '@/lib/testing/throw-away';
import { withDatabase } from '@/lib/testing/url';

declare module 'vitest' {
  export interface ProvidedContext {
    /** URL of the server's `postgres` database, and the migrated database that tests clone. */
    postgres: { adminUrl: string; template: string };
  }
}

/**
 * Vitest's global set-up of the tests that need PostgreSQL: one server for all of them, thrown away
 * afterwards (or the one of `TEST_DATABASE_URL`), and one migrated database as template.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const given = env().TEST_DATABASE_URL;
  const server = given === undefined ? await startThrowAway() : null;
  const adminUrl = given ?? withDatabase(server?.url ?? '', 'postgres');
  const template = `interlock_template_${randomBytes(4).toString('hex')}`;
  const admin = connect(adminUrl, { role: 'tool', max: 1 });
  const leave = async () => {
    await dropDatabase(admin, template);
    await admin.close();
    await server?.end();
  };
  try {
    await affected(admin, sql`create database ${sql.identifier(template)}`);
    await migrate(withDatabase(adminUrl, template));
    project.provide('postgres', { adminUrl, template });
  } catch (error) {
    await leave();
    throw error;
  }
  return leave;
}

async function startThrowAway(): Promise<{ url: string; end: () => Promise<void> }> {
  const folder = await throwAwayFolder();
  const server = await startEmbedded({ folder, durable: false });
  const end = async () => {
    await server.stop();
    fs.rmSync(folder, { recursive: true, force: true });
  };
  return { url: server.url, end };
}
