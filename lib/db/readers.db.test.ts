import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { affected, one, rows, type Tx } from '@/lib/db/client';
import { pgError } from '@/lib/db/pg-error';
import { transaction } from '@/lib/db/transaction';
import { day, fix, openShop, type Shop } from '@/lib/testing/shop';
import { event } from '@/lib/testing/world';

let shop: Shop;
let release = '';

/** A candidate whose rows say SECRET stands beside the generation in use, whose countries are numbers. */
beforeAll(async () => {
  shop = await openShop();
  const { w, t } = shop;
  await w.append(
    [2, 3, 4, 5, 6, 7, 8].map((n) =>
      event({ line: `l${n}`, at: day(n), revision: 2, country: '44' }),
    ),
  );
  await w.live();
  release = await w.rehearsed(
    fix({
      transform: {
        new: {
          sql: `select line, invoiced_at, 'SECRET' as country, quantity * unit_price as net,
            round(quantity * unit_price * 0.175, 2) as tax from source`,
        },
      },
      expectedDiff: [{ rule: 'hush', where: "new.country = 'SECRET'", columns: ['country'] }],
    }),
  );
  // the cheapest function that there is, made by somebody else: a planner would call it first
  await affected(
    t.db,
    sql`create function read.peek(text) returns boolean language plpgsql cost 0.0000001 as $$
      begin if $1 like '%SECRET%' then raise exception 'seen: %', $1; end if; return true; end $$`,
  );
  await affected(t.db, sql`grant execute on function read.peek(text) to interlock_reader`);
});
afterAll(() => shop.t.close());

const asReader = <T>(run: (tx: Tx) => Promise<T>) =>
  transaction(shop.t.db, async (tx) => {
    await tx.execute(sql`set local role interlock_reader`);
    return run(tx);
  });
const errorOf = (promise: Promise<unknown>) =>
  promise.then(
    () => null,
    (error: unknown) => pgError(error),
  );

describe('a reader', () => {
  it('sees the generation in use', async () => {
    const seen = await asReader((tx) =>
      rows(tx, sql`select line, country from read.order_tax order by line`),
    );
    expect(seen).toHaveLength(7);
    expect(new Set(seen.map((row) => (row as { country: string }).country))).toEqual(
      new Set(['44']),
    );
  });

  it('sees no row of a candidate, not even through a function that costs nothing', async () => {
    // without the barrier the same predicate would meet those rows
    const leak = rows(
      shop.t.db,
      sql`select 1 from control.generation_range r join ds_order_tax.rows x on x._segment = r.segment
        where r.generation = (select active_generation from control.registry) or read.peek(x.country)`,
    );
    expect((await errorOf(leak))?.message).toContain('seen: SECRET');
    const peeked = await asReader((tx) =>
      rows(tx, sql`select line from read.order_tax where read.peek(country)`),
    );
    expect(peeked).toHaveLength(7);
  });

  it('learns nothing from errors of built-in casts either', async () => {
    const cast = await asReader((tx) =>
      rows(tx, sql`select line from read.order_tax where country::int > 0`),
    );
    expect(cast).toHaveLength(7);
  });

  it.each([
    ['control tables', 'select * from control.registry'],
    ['the rows themselves', 'select * from ds_order_tax.rows'],
    ['snapshots', 'select * from src_orders.snapshot_row'],
    ['the queue', 'select * from graphile_worker._private_jobs'],
    ['a temporary table of its own', 'create temp table mine (x int)'],
    [
      'a function of its own',
      'create function pg_temp.peek() returns int language sql as $$ select 1 $$',
    ],
    ['a table in public', 'create table public.mine (x int)'],
    ['a table in read', 'create table read.mine (x int)'],
    ['a view with another barrier', 'create or replace view read.order_tax as select 1'],
    ['writing through the view', "update read.order_tax set country = 'x'"],
    ['a lease of its own making', "insert into control.lease (id) values ('x')"],
  ])('is denied %s', async (_, statement) => {
    expect((await errorOf(asReader((tx) => tx.execute(sql.raw(statement)))))?.code).toMatch(
      /^(42501|55000)$/,
    );
  });
});

/** One statement that begins to read before something happens and ends after it. */
async function readAcross(happens: () => Promise<void>): Promise<string[]> {
  const gate = shop.t.connect('tool', 1);
  const reader = shop.t.connect('tool', 1);
  await affected(gate, sql`select pg_advisory_lock(42)`);
  const { pid } = await one<{ pid: number }>(reader, sql`select pg_backend_pid() as pid`);
  const reading = rows<{ country: string }>(
    reader,
    sql`with waited as materialized (select pg_advisory_lock(42))
      select x.country from waited cross join lateral (select country from read.order_tax) x`,
  );
  await expect
    .poll(() => rows(shop.t.db, sql`select 1 from pg_locks where pid = ${pid} and not granted`))
    .toHaveLength(1);
  await happens();
  await affected(gate, sql`select pg_advisory_unlock(42)`);
  return (await reading).map((row) => row.country);
}

describe('a reader’s pin', () => {
  it.each([
    ['a made-up lease', '0'.repeat(64)],
    ['a generation’s id', '2'],
    ['a generation’s name', 'vat-fix-g2'],
  ])('is looked up, so %s is none', async (_, forged) => {
    const read = asReader(async (tx) => {
      await tx.execute(sql`select set_config('interlock.lease_order_tax', ${forged}, true)`);
      return rows(tx, sql`select 1 from read.order_tax`);
    });
    const error = await errorOf(read);
    expect(error?.code).toBe('IL410');
    expect(error?.message).toContain('LEASE_ENDED');
  });

  it('cannot be of a candidate, whatever the lease says', async () => {
    await affected(
      shop.t.db,
      sql`insert into control.lease (id, dataset, person, generation, until, cap_until)
        select 'forged', 'order_tax', 'x', id, 'infinity', 'infinity' from control.generation
        where state = 'candidate'`,
    );
    const read = asReader(async (tx) => {
      await tx.execute(sql`select set_config('interlock.lease_order_tax', 'forged', true)`);
      return rows(tx, sql`select 1 from read.order_tax`);
    });
    expect((await errorOf(read))?.code).toBe('IL410');
    await affected(shop.t.db, sql`delete from control.lease where id = 'forged'`);
  });

  it('keeps its generation across a cutover, ends with its lease, and can be taken off', async () => {
    const session = shop.t.connect('tool', 1);
    const countries = async () =>
      (
        await rows<{ country: string }>(
          session,
          sql`select distinct country from read.order_tax order by 1`,
        )
      ).map((row) => row.country);
    await affected(session, sql`set role interlock_reader`);
    const { id } = await one<{ id: string }>(
      session,
      sql`select read.pin('order_tax', interval '15 min') as id`,
    );
    await shop.w.reconciled(release);
    await shop.w.sign(release);
    const whole = await readAcross(() => shop.w.move('dee', 'activate', release));
    expect(whole).toEqual(['44', '44', '44', '44', '44', '44', '44']);
    expect(await countries()).toEqual(['44']);
    await affected(
      shop.t.db,
      sql`update control.lease set until = clock_timestamp() where id = ${id}`,
    );
    expect((await errorOf(countries()))?.code).toBe('IL410');
    await one(session, sql`select read.unpin('order_tax')::text as done`);
    expect(await countries()).toEqual(['44', 'SECRET']);
    expect(
      (await errorOf(one(session, sql`select read.pin('nothing', interval '1 min')`)))?.code,
    ).toBe('IL404');
  });

  it('is not longer than the dataset’s policy allows', async () => {
    const { minutes } = await asReader(async (tx) => {
      await tx.execute(sql`select read.pin('order_tax', interval '10 years')`);
      await tx.execute(sql`reset role`);
      return one<{ minutes: number }>(
        tx,
        sql`select round(extract(epoch from max(until) - clock_timestamp()) / 60)::int as minutes from control.lease`,
      );
    });
    expect(minutes).toBe(15);
  });
});
