import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { affected, one, rows } from '@/lib/db/client';
import { pgError } from '@/lib/db/pg-error';
import { asCompare, asTransform } from '@/lib/db/statements/evaluate';
import { transaction } from '@/lib/db/transaction';
import { Invalid } from '@/lib/domain/refusal';
import { checkTransformFor } from '@/lib/services/dataset';
import { refusalOf, traceOf } from '@/lib/testing/refusal';
import { fix, openShop, type Shop } from '@/lib/testing/shop';
import { taxSql } from '@/lib/testing/world';

let shop: Shop;
beforeAll(async () => {
  shop = await openShop();
  await affected(shop.t.db, sql`create schema vault`);
  await affected(shop.t.db, sql`create table vault.secret as select 'hidden' as word`);
  await affected(shop.t.db, sql`create table public.open as select 'hidden' as word`);
  await shop.w.rehearsed(fix());
});
afterAll(() => shop.t.close());

const roles = { transform: asTransform, compare: asCompare } as const;
const names = ['transform', 'compare'] as const;

/** What PostgreSQL says to a statement under a role; the transaction goes on afterwards. */
function attempt(role: keyof typeof roles, statement: string, timeoutMs?: number) {
  return transaction(
    shop.t.db,
    async (tx) => {
      const code = await roles[role](tx, (inner) => inner.execute(sql.raw(statement))).then(
        () => 'passed',
        (error: unknown) => pgError(error)?.code,
      );
      const after = await one<{ role: string }>(tx, sql`select current_user as role, 1 as alive`);
      expect(after.role).not.toContain('interlock_');
      return code;
    },
    timeoutMs === undefined ? {} : { statementTimeoutMs: timeoutMs },
  );
}

const denied: [what: string, statement: string][] = [
  ['the registry', 'select * from control.registry'],
  ['the log', 'select * from control.source_event'],
  ['people and tokens', 'select * from control.person, control.token'],
  ['another schema', 'select * from vault.secret'],
  ['the public schema', 'select * from public.open'],
  ['what readers see', 'select * from read.order_tax'],
  ['the queue', 'select * from graphile_worker._private_jobs'],
  ['a table as XML', `select table_to_xml('vault.secret'::regclass, true, false, '')`],
  ['a schema as XML', `select schema_to_xml('control', true, false, '')`],
  ['a query as XML', `select query_to_xml('select * from vault.secret', true, false, '')`],
  ['a file', `select pg_read_file('postgresql.conf')`],
  ['a file into the database', `select lo_import('/etc/passwd')`],
  ['writing facts', 'update src_orders.snapshot_row set unit_price = 0'],
  ['adding facts', 'insert into src_orders.snapshot_row select * from src_orders.snapshot_row'],
  ['deleting facts', 'delete from src_orders.snapshot_row'],
  ['changing rows', 'update ds_order_tax.rows set tax = 0'],
  ['deleting rows', 'delete from ds_order_tax.rows'],
  ['emptying rows', 'truncate ds_order_tax.rows'],
  ['writing the registry', `update control.registry set state = 'OPEN'`],
  ['a temporary table', 'create temp table mine (x int)'],
  ['a table', 'create table vault.mine (x int)'],
  ['a schema', 'create schema mine'],
  ['a function', 'create function pg_temp.f() returns int language sql as $$ select 1 $$'],
  ['a role', 'create role mine'],
  ['a program', `copy (select 1) to program 'true'`],
  [
    'ending others',
    'select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid()',
  ],
];

describe.each(names)('the role %s', (role) => {
  it.each(denied)('is denied %s', async (_, statement) => {
    const before = await traceOf(shop.t.db);
    expect(await attempt(role, statement)).toBe('42501');
    expect(await traceOf(shop.t.db)).toEqual(before);
  });

  it('sees the frozen facts, with nothing on its search path', async () => {
    expect(await attempt(role, 'select line from src_orders.snapshot_row')).toBe('passed');
    expect(await attempt(role, 'select line from snapshot_row')).toBe('42P01');
  });

  it('does not sleep past the timeout, nor lifts it from within', async () => {
    expect(await attempt(role, 'select pg_sleep(60)', 100)).toBe('57014');
    const lifting = `select set_config('statement_timeout', '0', true), pg_sleep(60)`;
    expect(await attempt(role, lifting, 100)).toBe('57014');
    const looping = 'select count(*) from generate_series(1, 1000000000000)';
    expect(await attempt(role, looping, 100)).toBe('57014');
  });
});

describe('the two roles', () => {
  it('differ in the rows: one may add and not read, the other read and not add', async () => {
    const add = `insert into ds_order_tax.rows (_segment, _partition, _key, _source_key, _revision)
      values (999, '2011-01-01', 'x', 'x', 1)`;
    expect(await attempt('compare', add)).toBe('42501');
    expect(await attempt('transform', `${add} returning tax`)).toBe('42501');
    expect(await attempt('transform', 'select * from ds_order_tax.rows')).toBe('42501');
    expect(await attempt('compare', 'select * from ds_order_tax.rows')).toBe('passed');
  });

  it('are of this database alone, without login and without inheriting', async () => {
    const found = await rows(
      shop.t.db,
      sql`select rolname, rolcanlogin as login, rolinherit as inherits, rolsuper as super, rolcreaterole as makes
        from pg_roles where rolname like 'interlock\_%' and rolname like ${`%${shop.t.name}`} order by 1`,
    );
    expect(found).toEqual(
      ['compare', 'transform'].map((role) => ({
        rolname: `interlock_${role}_${shop.t.name}`,
        login: false,
        inherits: false,
        super: false,
        makes: false,
      })),
    );
  });
});

describe('a transform or a rule that would break out', () => {
  const refused = (text: string) =>
    refusalOf(checkTransformFor(shop.t.db, { dataset: 'order_tax', sql: text }));
  const tax = taxSql('0.2').replace(' from source', '');

  it.each([
    ['a parenthesis', `${tax} from source) t; drop table control.registry; --`],
    [
      'a comment',
      `${tax} from source /* ) */ -- )\n) t where true or exists (select from control.registry`,
    ],
    ['a second statement', `${tax} from source; delete from control.registry`],
    ['another relation', `${tax} from source, control.person`],
    ['a catalogue', `${tax} from source where exists (select from pg_catalog.pg_authid)`],
    [
      'writing in a WITH',
      `with gone as (delete from ds_order_tax.rows returning 1) ${tax} from source`,
    ],
    ['locking', `${tax} from source for update`],
    ['a table of its own', `${tax} into public.mine from source`],
  ])('by %s is refused', async (_, text) => {
    expect(await refused(text)).toMatchObject({ status: 422 });
  });

  it.each([
    "set_config('role', 'none', true)",
    'pg_sleep(10)::text',
    "current_setting('role')",
    "pg_read_file('x')",
    "table_to_xml('control.person'::regclass, true, false, '')::text",
    'lo_creat(1)::text',
    "pg_notify('a', 'b')::text",
    'pg_advisory_lock(1)::text',
    'random()::text',
    'now()::text',
  ])('by calling %s is refused', async (call) => {
    const text = `select line, invoiced_at, ${call} as country, quantity * unit_price as net, 0.00 as tax from source`;
    expect(await refused(text)).toMatchObject({ status: 422 });
  });

  it('in a rule, a contract or a conserved sum is refused with the draft', async () => {
    const draft = shop.w.draft(
      fix({
        release: 'sly',
        targetGeneration: 'sly-g',
        expectedDiff: [
          { rule: 'r', where: 'true) or exists (select from control.person', columns: ['tax'] },
        ],
        contract: [{ check: 'sql', name: 'c', where_bad: 'pg_sleep(1) is null' }],
        conserved: [
          { name: 's', old: 'sum((select 1 from control.person limit 1))', new: 'sum(net), 1' },
        ],
      }),
    );
    const error = await draft.catch((e: unknown) => e);
    expect(error).toBeInstanceOf(Invalid);
    const pointers = new Set((error as Invalid).issues.map((issue) => issue.pointer));
    expect([...pointers].sort()).toEqual([
      '/conserved/0/new',
      '/conserved/0/old',
      '/contract/0/where_bad',
      '/expectedDiff/0/where',
    ]);
  });
});
