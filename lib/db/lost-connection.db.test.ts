import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { affected, type Database, one, rows, type Tx } from '@/lib/db/client';
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

/**
 * A transaction whose function goes on after its connection was lost: `lost` is what the caller is
 * told, at once; `body` is the function's own end.
 */
function outliving(run: (tx: Tx) => Promise<void>): { lost: Promise<void>; body: Promise<void> } {
  let settle: (end: Promise<void>) => void = () => {};
  const body = new Promise<void>((resolve) => {
    settle = resolve;
  });
  const lost = transaction(pool, (tx) => {
    const end = run(tx);
    settle(end);
    return end;
  });
  return { lost, body };
}

/** The driver gives a dead session's last error to the next statement of its connection, once. */
const writeNext = () => write(pool, 'next').catch(() => write(pool, 'next'));

describe('a transaction whose connection is lost', () => {
  it('writes nothing afterwards, whoever has the connection by then', async () => {
    const { lost, body } = outliving(async (tx) => {
      await write(tx, 'before');
      await kill(await pidOf(tx));
      // the pool connects again for somebody else, whose transaction is open
      await writeNext();
      await transaction(pool, async (next) => {
        await write(next, 'other');
        await expect(write(tx, 'into the other’s')).rejects.toThrow();
      });
      await expect(write(tx, 'on its own')).rejects.toThrow();
      await expect(tx.transaction((inner) => write(inner, 'nested'))).rejects.toThrow();
    });
    await expect(lost).rejects.toThrow();
    await body;
    expect(await written()).toEqual(['next', 'other']);
  });

  it('rejects what is asked of it, and the pool goes on', async () => {
    const { lost, body } = outliving(async (tx) => {
      await kill(await pidOf(tx));
      await expect(write(tx, 'one')).rejects.toThrow();
      await expect(write(tx, 'two')).rejects.toThrow();
    });
    await expect(lost).rejects.toThrow();
    await body;
    await writeNext();
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
    await writeNext();
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
    await writeNext();
    expect(await written()).toEqual(['next']);
  });

  it('is lost where the server ends it for idling', async () => {
    await affected(
      pool,
      sql`select set_config('idle_in_transaction_session_timeout', '100ms', false)`,
    );
    const pid = await pidOf(pool);
    const gone = () => rows(t.db, sql`select 1 from pg_stat_activity where pid = ${pid}`);
    const { lost, body } = outliving(async (tx) => {
      await write(tx, 'before');
      await expect.poll(gone).toEqual([]);
      await writeNext();
      await expect(write(tx, 'after')).rejects.toThrow();
    });
    await expect(lost).rejects.toThrow();
    await body;
    expect(await written()).toEqual(['next']);
  });
});
