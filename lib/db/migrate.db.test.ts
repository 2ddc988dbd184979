import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { affected, connect, one } from '@/lib/db/client';
import { migrate } from '@/lib/db/migrate';
import { type TestDatabase, testDatabase } from '@/lib/testing/database';
import { dropDatabase } from '@/lib/testing/drop-database';
import { withDatabase } from '@/lib/testing/url';

let t: TestDatabase;
beforeAll(async () => {
  t = await testDatabase();
});
afterAll(() => t.close());

describe('migrate', () => {
  it('brings an empty database up once, however many start it together', async () => {
    const empty = `${t.name}_empty`;
    await affected(t.db, sql`create database ${sql.identifier(empty)}`);
    const url = withDatabase(t.url, empty);
    await Promise.all([migrate(url), migrate(url), migrate(url)]);
    const db = connect(url, { role: 'tool', max: 1 });
    const found = await one(
      db,
      sql`
        select to_regclass('control.person') is not null as tables,
          exists (select from pg_roles where rolname like 'interlock_%' || current_database()) as roles`,
    );
    expect(found).toEqual({ tables: true, roles: true });
    await db.close();
    await dropDatabase(t.db, empty);
  });

  it('finds nothing to do in a clone of the template, where the job queue works', async () => {
    const count = sql`select count(*) as n from drizzle.__drizzle_migrations`;
    const before = await one(t.db, count);
    await migrate(t.url);
    expect(await one(t.db, count)).toEqual(before);
    const job = await one<{ id: string }>(
      t.db,
      sql`select (graphile_worker.add_job('sample', '{}'::json)).id`,
    );
    expect(job.id).toMatch(/^\d+$/);
  });
});
