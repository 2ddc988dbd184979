import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { affected, type Database, one, rows } from '@/lib/db/client';
import { transaction } from '@/lib/db/transaction';
import { type TestDatabase, testDatabase } from '@/lib/testing/database';
import { race } from '@/lib/testing/race';

let t: TestDatabase;
beforeAll(async () => {
  t = await testDatabase();
  await affected(t.db, sql`create table registry (id int primary key, epoch int not null)`);
});
beforeEach(async () => {
  await affected(t.db, sql`truncate registry`);
  await affected(t.db, sql`insert into registry values (1, 1)`);
});
afterAll(() => t.close());

const seal = (db: Database) =>
  transaction(db, (tx) =>
    affected(tx, sql`update registry set epoch = 2 where id = 1 and epoch = 1`),
  );

describe('race', () => {
  it('lets the first commit only when the second was seen waiting for it', async () => {
    const outcome = await race(t.url, seal, seal);
    expect(outcome).toEqual({
      first: { status: 'fulfilled', value: 1 },
      second: { status: 'fulfilled', value: 0 },
    });
    expect(await one(t.db, sql`select epoch from registry`)).toEqual({ epoch: 2 });
  });

  it('fails where the second does not wait', async () => {
    await expect(race(t.url, seal, async () => 'free')).rejects.toThrow(
      'second ended without waiting for first: it returned "free"',
    );
  });

  it('can expect the second to pass', async () => {
    const skip = (db: Database) => rows(db, sql`select id from registry for update skip locked`);
    const { second } = await race(t.url, seal, skip, { expect: 'passed' });
    expect(second).toEqual({ status: 'fulfilled', value: [] });
  });

  it('fails where the second waits that should pass', async () => {
    await expect(race(t.url, seal, seal, { expect: 'passed' })).rejects.toThrow(
      'second waits for first',
    );
  });

  it('fails where the first never comes to its commit', async () => {
    const refused = (db: Database) =>
      transaction(db, async () => {
        throw new Error('REFUSED');
      });
    await expect(race(t.url, refused, seal)).rejects.toThrow(
      'first ended before its commit: it threw Error: REFUSED',
    );
  });

  it('holds a later transaction where asked', async () => {
    const twice = async (db: Database) => {
      const before = await transaction(db, (tx) => one(tx, sql`select epoch from registry`));
      await seal(db);
      return before;
    };
    const { first, second } = await race(t.url, twice, seal, { holdAt: 2 });
    expect(first).toEqual({ status: 'fulfilled', value: { epoch: 1 } });
    expect(second).toEqual({ status: 'fulfilled', value: 0 });
  });

  it('reports what the second threw', async () => {
    const impatient = (db: Database) =>
      transaction(db, (tx) => affected(tx, sql`insert into registry values (1, 9)`), {
        retries: 0,
      });
    const renumber = (db: Database) =>
      transaction(db, async (tx) => {
        await affected(tx, sql`delete from registry`);
        await affected(tx, sql`insert into registry values (1, 3)`);
      });
    const { second } = await race(t.url, renumber, impatient);
    expect(second.status).toBe('rejected');
  });
});
