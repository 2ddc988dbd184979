import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { rows } from '@/lib/db/client';
import { type TestDatabase, testDatabase } from '@/lib/testing/database';

let t: TestDatabase;
beforeAll(async () => {
  t = await testDatabase();
});
afterAll(() => t.close());

// A reference locks the row that it refers to, as the owner of its table, and a lock needs UPDATE.
// A superuser may do everything, so that only an owner who is none would find out.
it('what is referred to may be locked by its owner, also where nothing is ever updated', async () => {
  const lacking = await rows<{ table: string }>(
    t.db,
    sql`select distinct r.relname as table
      from pg_constraint c
      join pg_class r on r.oid = c.confrelid
      join pg_namespace n on n.oid = r.relnamespace and n.nspname = 'control'
      where c.contype = 'f' and not exists (
        select from aclexplode(coalesce(r.relacl, acldefault('r', r.relowner))) a
        where a.grantee = r.relowner and a.privilege_type = 'UPDATE')
      order by 1`,
  );
  expect(lacking).toEqual([]);
});
