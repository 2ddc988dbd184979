import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { affected, type Database, one, rows } from '@/lib/db/client';
import { transaction } from '@/lib/db/transaction';
import { type TestDatabase, testDatabase } from '@/lib/testing/database';

let t: TestDatabase;
let pool: Database;
beforeAll(async () => {
  t = await testDatabase();
  await affected(t.db, sql`create table written (what text not null)`);
});
beforeEach(async () => {
  await affected(t.db, sql`truncate written`);
  // one connection only, so that whatever comes next has to use the one that was lost
  pool = t.connect('tool', 1);
});
afterAll(() => t.close());

const write = (db: Parameters<typeof affected>[0], what: string) =>
  affected(db, sql`insert into written values (${what})`);
const written = async () =>
  (await rows<{ what: string }>(t.db, sql`select what from written order by 1`)).map((r) => r.what);
const pidOf = async (db: Parameters<typeof one>[0]) =>
  (await one<{ pid: number }>(db, sql`select pg_backend_pid() as pid`)).pid;

/** Ends a backend and waits until the server has forgotten it. */
async function kill(pid: number) {
  await affected(t.db, sql`select pg_terminate_backend(${pid})`);
  await expect
    .poll(() => rows(t.db, sql`select 1 from pg_stat_activity where pid = ${pid}`))
    .toEqual([]);
}

describe('a transaction whose connection is lost', () => {
  it('writes nothing afterwards, whoever has the connection by then', async () => {
    let late: Promise<unknown> = Promise.resolve();
    const lost = transaction(pool, async (tx) => {
      await write(tx, 'before');
      await kill(await pidOf(tx));
      late = (async () => {
        // the pool connects again for somebody else, whose transaction is open
        await transaction(pool, async (next) => {
          await write(next, 'other');
          await expect(write(tx, 'into the other’s')).rejects.toThrow();
        });
        await expect(write(tx, 'on its own')).rejects.toThrow();
        await expect(tx.transaction((inner) => write(inner, 'nested'))).rejects.toThrow();
      })();
      await late;
      return 'committed';
    });
    await expect(lost).rejects.toThrow();
    await late;
    expect(await written()).toEqual(['other']);
  });

  it('rejects what is asked of it, and the pool goes on', async () => {
    const seen: string[] = [];
    const lost = transaction(pool, async (tx) => {
      await kill(await pidOf(tx));
      for (const what of ['one', 'two']) {
        await write(tx, what).catch(() => seen.push(what));
      }
      return 'committed';
    });
    await expect(lost).rejects.toThrow();
    await expect.poll(() => seen).toEqual(['one', 'two']);
    await write(pool, 'next');
    expect(await written()).toEqual(['next']);
  });

  it('ends with an error that can be caught where a statement was running', async () => {
    let pid = 0;
    const lost = transaction(pool, async (tx) => {
      pid = await pidOf(tx);
      await tx.execute(sql`select pg_sleep(60)`);
    });
    const caught = expect(lost).rejects.toThrow();
    await expect
      .poll(() =>
        rows(
          t.db,
          sql`select 1 from pg_stat_activity where pid = ${pid} and wait_event = 'PgSleep'`,
        ),
      )
      .toHaveLength(1);
    await kill(pid);
    await caught;
    // the driver gives the dead session's error to the next statement of that connection, once
    await write(pool, 'next').catch(() => write(pool, 'next'));
    expect(await written()).toEqual(['next']);
  });

  it('is not committed where it is lost before the commit, within a savepoint as well', async () => {
    for (const nested of [false, true]) {
      const lost = transaction(pool, async (tx) => {
        await write(tx, 'row');
        if (nested) await tx.transaction((inner) => write(inner, 'inner'));
        await kill(await pidOf(tx));
      });
      await expect(lost).rejects.toThrow();
    }
    await write(pool, 'next');
    expect(await written()).toEqual(['next']);
  });

  it('is lost where the server ends it for idling', async () => {
    await affected(
      pool,
      sql`select set_config('idle_in_transaction_session_timeout', '100ms', false)`,
    );
    const pid = await pidOf(pool);
    const gone = () => rows(t.db, sql`select 1 from pg_stat_activity where pid = ${pid}`);
    let late: Promise<unknown> = Promise.resolve();
    const lost = transaction(pool, async (tx) => {
      await write(tx, 'before');
      late = (async () => {
        await expect.poll(gone).toEqual([]);
        await write(pool, 'other');
        await expect(write(tx, 'after')).rejects.toThrow();
      })();
      await late;
    });
    await expect(lost).rejects.toThrow();
    await late;
    expect(await written()).toEqual(['other']);
  });
});
