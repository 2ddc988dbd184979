import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { affected, type Database, one, rows, type Tx } from '@/lib/db/client';
import { pgError } from '@/lib/db/pg-error';
import { lockRegistry } from '@/lib/db/statements/registry';
import { transaction } from '@/lib/db/transaction';
import { applyLive } from '@/lib/services/apply/apply-live';
import { lockedMove } from '@/lib/services/release/move';
import { traceOf } from '@/lib/testing/refusal';
import { day, fix, openShop, type Shop } from '@/lib/testing/shop';
import { event } from '@/lib/testing/world';

let shop: Shop;
beforeAll(async () => {
  shop = await openShop();
});
afterAll(() => shop.t.close());

const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'it passed',
    (error: unknown) => pgError(error)?.code,
  );

describe('the dataset’s lock', () => {
  it.each(['repeatable read', 'serializable'] as const)(
    'is no fence under %s, and says so',
    async (isolation) => {
      const lock = shop.t.db.transaction((tx) => lockRegistry(tx, 'order_tax'), {
        isolationLevel: isolation,
      });
      expect(await codeOf(lock)).toBe('IL001');
    },
  );

  it('lets no writer, seal or move through where the session’s default is another level', async () => {
    const release = await shop.w.draft(fix());
    await shop.w.append([event({ line: 'n', at: day(5) })]);
    const other = shop.t.connect('tool', 1);
    await affected(
      other,
      sql`set session characteristics as transaction isolation level repeatable read`,
    );
    const before = await traceOf(shop.t.db);
    expect(await codeOf(applyLive(other, 'order_tax', null))).toBe('IL001');
    expect(await codeOf(lockedMove(other, release, async () => {}))).toBe('IL001');
    expect(await traceOf(shop.t.db)).toEqual(before);
  });
});

describe('readers’ functions', () => {
  it('take pointer, map and rows from one snapshot, as their owner, on a fixed search path', async () => {
    const found = await rows(
      shop.t.db,
      sql`select p.proname as name, p.provolatile as volatile, p.prosecdef as definer, p.proconfig as config
        from pg_proc p join pg_namespace n on n.oid = p.pronamespace where n.nspname = 'read' order by 1`,
    );
    const path = ['search_path=pg_catalog, pg_temp'];
    expect(found).toEqual([
      { name: 'contaminated', volatile: 's', definer: true, config: path },
      { name: 'generation', volatile: 's', definer: true, config: path },
      { name: 'pin', volatile: 'v', definer: true, config: path },
      { name: 'unpin', volatile: 'v', definer: false, config: path },
    ]);
  });

  it('are asked once per statement, behind a barrier', async () => {
    const view = await one<{ barrier: boolean; text: string }>(
      shop.t.db,
      sql`select 'security_barrier=true' = any(c.reloptions) as barrier, pg_get_viewdef(c.oid) as text
        from pg_class c where c.oid = 'read.order_tax'::regclass`,
    );
    expect(view.barrier).toBe(true);
    expect(view.text.replaceAll(/\s+/g, ' ')).toContain(
      "r.generation = ( SELECT read.generation('order_tax'::text) AS generation)",
    );
  });
});

describe('the database itself', () => {
  const inUndone = async (db: Database, run: (tx: Tx) => Promise<unknown>) => {
    const undo = new Error('undo');
    return codeOf(
      transaction(db, async (tx) => {
        await run(tx);
        await tx.execute(sql`set constraints all immediate`);
        throw undo;
      }),
    );
  };
  const active = sql`(select active_generation from control.registry)`;

  it('keeps every map whole: no gap, no overlap, no empty span', async () => {
    expect(
      await inUndone(shop.t.db, (tx) =>
        affected(
          tx,
          sql`update control.generation_range set span = tstzrange(null, '2011-01-05') where generation = ${active}`,
        ),
      ),
    ).toBe('IL002');
    expect(
      await inUndone(shop.t.db, (tx) =>
        affected(
          tx,
          sql`insert into control.generation_range (generation, span, segment, transform)
          select generation, tstzrange('2011-01-04', '2011-01-05'), segment, transform
          from control.generation_range where generation = ${active}`,
        ),
      ),
    ).toBe('23P01');
    expect(
      await inUndone(shop.t.db, (tx) =>
        affected(tx, sql`update control.generation_range set span = 'empty'`),
      ),
    ).toBe('23514');
  });

  it('keeps planned partitions apart, and at most one generation in use', async () => {
    expect(
      await inUndone(shop.t.db, (tx) =>
        affected(
          tx,
          sql`insert into control.release_partition (release, start_at, end_at)
          select id, p.start_at::timestamptz, p.end_at::timestamptz from control.release,
            (values ('2011-01-04', '2011-01-06'), ('2011-01-05', '2011-01-07')) p (start_at, end_at)`,
        ),
      ),
    ).toBe('23P01');
    expect(
      await inUndone(shop.t.db, (tx) =>
        affected(
          tx,
          sql`insert into control.generation (dataset, name, state, transform)
          select dataset, 'second', 'serving', transform from control.generation limit 1`,
        ),
      ),
    ).toBe('23505');
  });

  it.each(['audit_event', 'receipt', 'signature', 'acceptance'])(
    'lets rows of %s be added, never changed, removed or truncated',
    async (table) => {
      const name = sql.raw(`control.${table}`);
      const { column } = await one<{ column: string }>(
        shop.t.db,
        sql`select column_name as column from information_schema.columns
          where table_schema = 'control' and table_name = ${table} and data_type = 'text' limit 1`,
      );
      for (const change of [
        sql`update ${name} set ${sql.identifier(column)} = 'other'`,
        sql`delete from ${name}`,
        sql`truncate ${name}`,
      ]) {
        expect(await inUndone(shop.t.db, (tx) => affected(tx, change))).toBe('IL003');
      }
    },
  );
});
