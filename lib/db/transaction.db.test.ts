import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { affected, one, rows } from '@/lib/db/client';
import { pgError } from '@/lib/db/pg-error';
import { transaction } from '@/lib/db/transaction';
import { type TestDatabase, testDatabase } from '@/lib/testing/database';

let t: TestDatabase;
beforeAll(async () => {
  t = await testDatabase();
  await affected(t.db, sql`create table tally (id int primary key, n int not null)`);
  await affected(t.db, sql`insert into tally values (1, 0), (2, 0)`);
});
afterAll(() => t.close());

const raise = (code: string) =>
  sql.raw(`do $$ begin raise exception 'forced' using errcode = '${code}'; end $$`);

/** Runs a transaction that fails with `code` until its try number `until`. */
async function failing(code: string, until: number, options = {}) {
  let tries = 0;
  const result = transaction(
    t.db,
    async (tx) => {
      tries += 1;
      await affected(tx, sql`update tally set n = n + 1 where id = 1`);
      if (tries < until) await affected(tx, raise(code));
      return tries;
    },
    options,
  );
  return result.then(
    (value) => ({ value, tries }),
    (error) => ({ code: pgError(error)?.code, tries }),
  );
}

describe('transaction', () => {
  it.each(['40001', '40P01', '55P03', '53200'])('runs again after %s', async (code) => {
    const before = await one<{ n: number }>(t.db, sql`select n from tally where id = 1`);
    expect(await failing(code, 3)).toEqual({ value: 3, tries: 3 });
    const after = await one<{ n: number }>(t.db, sql`select n from tally where id = 1`);
    expect(after.n).toBe(before.n + 1);
  });

  it('gives up after the given number of retries, with the last error', async () => {
    expect(await failing('40001', 99, { retries: 2 })).toEqual({ code: '40001', tries: 3 });
  });

  it.each(['22012', '23505', 'IL001', '57014', '42P01'])('does not retry %s', async (code) => {
    expect(await failing(code, 2)).toEqual({ code, tries: 1 });
  });

  it('retries a cancelled statement where asked', async () => {
    expect(await failing('57014', 2, { retryCancelled: true })).toEqual({ value: 2, tries: 2 });
  });

  it('does not retry errors of its function, and rolls back', async () => {
    let tries = 0;
    const run = transaction(t.db, async (tx) => {
      tries += 1;
      await affected(tx, sql`insert into tally values (3, 0)`);
      throw new Error('refused');
    });
    await expect(run).rejects.toThrow('refused');
    expect(tries).toBe(1);
    expect(await rows(t.db, sql`select 1 from tally where id = 3`)).toEqual([]);
  });

  it('is read committed and read write unless told otherwise', async () => {
    const look = sql`select current_setting('transaction_isolation') as i,
      current_setting('transaction_read_only') as r`;
    expect(await transaction(t.db, (tx) => one(tx, look))).toEqual({
      i: 'read committed',
      r: 'off',
    });
    const snapshot = { isolation: 'repeatable read', readOnly: true } as const;
    expect(await transaction(t.db, (tx) => one(tx, look), snapshot)).toEqual({
      i: 'repeatable read',
      r: 'on',
    });
  });

  it('sets its timeouts for itself alone', async () => {
    const look = sql`select current_setting('lock_timeout') as l,
      current_setting('statement_timeout') as s`;
    const db = t.connect('runner', 1);
    const limits = { lockTimeoutMs: 250, statementTimeoutMs: 2_000 };
    expect(await transaction(db, (tx) => one(tx, look), limits)).toEqual({ l: '250ms', s: '2s' });
    expect(await transaction(db, (tx) => one(tx, look))).toEqual({ l: '5s', s: '30s' });
  });

  it('gets out of a deadlock', async () => {
    const met = { one: false, two: false };
    let release = () => {};
    const bothHold = new Promise<void>((resolve) => {
      release = resolve;
    });
    const crossing = (mine: 'one' | 'two', firstId: number, secondId: number) =>
      transaction(t.db, async (tx) => {
        await affected(tx, sql`update tally set n = n + 1 where id = ${firstId}`);
        met[mine] = true;
        if (met.one && met.two) release();
        await bothHold;
        await affected(tx, sql`update tally set n = n + 1 where id = ${secondId}`);
      });
    const before = await rows<{ n: number }>(t.db, sql`select n from tally order by id`);
    await Promise.all([crossing('one', 1, 2), crossing('two', 2, 1)]);
    const after = await rows<{ n: number }>(t.db, sql`select n from tally order by id`);
    expect(after.map(({ n }) => n)).toEqual(before.map(({ n }) => n + 2));
  });
});
