import { type SQL, sql } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { affected, maybeOne, one, rows } from '@/lib/db/client';
import { pgError } from '@/lib/db/pg-error';
import { transaction } from '@/lib/db/transaction';
import { anchorHeads } from '@/lib/services/audit/anchor';
import { type AuditVerdict, verifyAudit } from '@/lib/services/audit/verify';
import { type AuditRow, auditHash, type Chain, writeAudit } from '@/lib/services/audit/write';
import { type TestDatabase, testDatabase } from '@/lib/testing/database';

let t: TestDatabase;
const shop: Chain = 'dataset:shop';

async function write(chain: Chain, count: number): Promise<void> {
  const actor = { person: 'ana', roles: [], via: 'api', session: null } as const;
  for (let i = 0; i < count; i++) {
    await transaction(t.db, (tx) =>
      writeAudit(
        tx,
        { actor, requestId: `r${i}` },
        { chain, verb: 'release.hold', subject: `x@${i}`, after: { i, reason: 'ä "\\' } },
      ),
    );
  }
}

beforeAll(async () => {
  t = await testDatabase();
  await write(shop, 3);
  await write('people', 8);
  await anchorHeads(t.db);
  await write(shop, 4);
  await anchorHeads(t.db);
  await write(shop, 2);
  await affected(t.db, sql`create table kept_event as select * from control.audit_event`);
  await affected(t.db, sql`create table kept_head as select * from control.audit_head`);
});
afterAll(() => t.close());

/** As a superuser would, with every trigger off. */
async function tamper(...statements: SQL[]): Promise<void> {
  await transaction(t.db, async (tx) => {
    await affected(tx, sql`set local session_replication_role = replica`);
    for (const statement of statements) await affected(tx, statement);
  });
}

afterEach(() =>
  tamper(
    sql`truncate control.audit_event, control.audit_head`,
    sql`insert into control.audit_event overriding system value select * from kept_event`,
    sql`insert into control.audit_head select * from kept_head`,
  ),
);

async function bad(): Promise<[chain: string, seq: string, why: string] | null> {
  const { ok, firstBad }: AuditVerdict = await verifyAudit(t.db);
  expect(ok).toBe(firstBad === undefined);
  return firstBad ? [firstBad.chain, firstBad.seq, firstBad.why] : null;
}

const event = (seq: number, chain: Chain = shop) => sql`chain = ${chain} and seq = ${seq}`;

async function stored(seq: number): Promise<AuditRow & { hash: string }> {
  return one(
    t.db,
    sql`select chain, seq, prev, hash, at, actor, verb, subject, outcome, before, after, reason,
        evidence, request_id as "requestId" from control.audit_event where ${event(seq)}`,
  );
}

/** The head as it would be had the chain always ended there. */
const headAt = (seq: number) =>
  sql`update control.audit_head set seq = ${seq}, hash = (select hash from control.audit_event
    where ${event(seq)}) where chain = ${shop}`;

/** Everything from a row on, as if it had been written so: each hash and the head follow. */
async function forge(from: number, change: Partial<AuditRow>): Promise<SQL[]> {
  const statements: SQL[] = [];
  let prev: string | null = null;
  for (let seq = from; seq <= 9; seq++) {
    const { hash: _, ...row } = await stored(seq);
    const next = { ...row, ...(seq === from ? change : {}), ...(prev === null ? {} : { prev }) };
    prev = auditHash(next);
    statements.push(
      sql`update control.audit_event set actor = ${next.actor}, prev = ${next.prev}, hash = ${prev}
        where ${event(seq)}`,
    );
  }
  return [...statements, headAt(9)];
}

describe('audit verify', () => {
  it('holds over what was written', async () => {
    expect(await bad()).toBeNull();
    const { count } = await one<{ count: number }>(
      t.db,
      sql`select count(*)::int as count from control.audit_event`,
    );
    expect((await verifyAudit(t.db)).length).toBe(count);
  });

  it.each([
    'at',
    'actor',
    'verb',
    'subject',
    'outcome',
    'before',
    'after',
    'reason',
    'evidence',
    'request_id',
  ])('finds a row whose %s was changed', async (column) => {
    const other = ['before', 'after'].includes(column)
      ? sql`'{"i": 3, "more": true}'::jsonb`
      : column === 'at'
        ? sql`at + interval '1 microsecond'`
        : sql`'other'`;
    await tamper(
      sql`update control.audit_event set ${sql.identifier(column)} = ${other} where ${event(4)}`,
    );
    expect(await bad()).toEqual([shop, '4', 'its hash is not that of its fields']);
  });

  it('finds a row that was changed and hashed again without the rest', async () => {
    const { hash: _, ...row } = await stored(4);
    const hash = auditHash({ ...row, actor: 'mallory' });
    await tamper(
      sql`update control.audit_event set actor = 'mallory', hash = ${hash} where ${event(4)}`,
    );
    expect(await bad()).toEqual([shop, '5', 'it does not name the row before it']);
  });

  it('finds the last row changed and hashed again', async () => {
    const { hash: _, ...row } = await stored(9);
    const hash = auditHash({ ...row, actor: 'mallory' });
    await tamper(
      sql`update control.audit_event set actor = 'mallory', hash = ${hash} where ${event(9)}`,
    );
    expect(await bad()).toEqual([shop, '9', 'it is not the row that the head names']);
  });

  it('finds a chain that was written anew from a row on, against the heads', async () => {
    await tamper(...(await forge(2, { actor: 'mallory' })));
    expect(await bad()).toEqual([
      shop,
      '3',
      'it is not the row that the chain over the heads names',
    ]);
  });

  it('finds a removed row, also the first', async () => {
    await tamper(sql`delete from control.audit_event where ${event(4)}`);
    expect(await bad()).toEqual([shop, '5', 'row 4 is missing']);
    await tamper(sql`delete from control.audit_event where ${event(1)}`);
    expect(await bad()).toEqual([shop, '2', 'row 1 is missing']);
  });

  it('finds the last rows removed: by the head, and with the head by the heads', async () => {
    const cut = (seq: number) =>
      sql`delete from control.audit_event where chain = ${shop} and seq > ${seq}`;
    await tamper(cut(6));
    expect(await bad()).toEqual([shop, '6', 'the head names row 9, the chain ends with row 6']);
    await tamper(headAt(6));
    expect(await bad()).toEqual([
      shop,
      '6',
      'the chain over the heads names row 7, which is missing',
    ]);
  });

  it('finds an inserted row: after the end, before the first, and with those after it moved', async () => {
    const insert = (seq: number, from: number) =>
      sql`insert into control.audit_event
          (chain, seq, prev, hash, at, actor, verb, subject, outcome, request_id)
        select chain, ${seq}::bigint, hash, 'sha256:forged', at, actor, verb, 'y@1', outcome, 'r'
        from control.audit_event where ${event(from)}`;
    await tamper(insert(10, 9));
    expect(await bad()).toEqual([shop, '10', 'its hash is not that of its fields']);
    await tamper(sql`delete from control.audit_event where ${event(10)}`, insert(0, 1));
    expect(await bad()).toEqual([shop, '0', 'it is there once more than it may be']);
    await tamper(
      sql`delete from control.audit_event where ${event(0)}`,
      // in two steps: the index is checked row by row
      sql`update control.audit_event set seq = -seq - 1 where chain = ${shop} and seq >= 5`,
      sql`update control.audit_event set seq = -seq where chain = ${shop} and seq < 0`,
      insert(5, 4),
    );
    expect(await bad()).toEqual([shop, '5', 'its hash is not that of its fields']);
  });

  it('finds a row that is there twice, where the index was dropped for it', async () => {
    await tamper(
      sql`drop index control.audit_event_once`,
      sql`insert into control.audit_event
          (chain, seq, prev, hash, at, actor, verb, subject, outcome, request_id)
        select chain, seq, prev, hash, at, actor, verb, subject, outcome, request_id
        from control.audit_event where ${event(4)}`,
    );
    expect(await bad()).toEqual([shop, '4', 'it is there once more than it may be']);
    await tamper(
      sql`delete from control.audit_event where id > (select max(id) from kept_event)`,
      sql`create unique index audit_event_once on control.audit_event (chain, seq)`,
    );
    expect(await bad()).toBeNull();
  });

  it('finds two rows that changed places', async () => {
    await tamper(
      sql`update control.audit_event set seq = -seq where chain = ${shop} and seq in (4, 5)`,
      sql`update control.audit_event set seq = 9 + seq where chain = ${shop} and seq < 0`,
    );
    expect(await bad()).toEqual([shop, '4', 'it does not name the row before it']);
  });

  it('finds a whole chain removed: its rows, its head, or both', async () => {
    await tamper(sql`delete from control.audit_event where chain = ${shop}`);
    expect(await bad()).toEqual([shop, '1', 'the chain has no rows']);
    await tamper(sql`delete from control.audit_head where chain = ${shop}`);
    expect(await bad()).toEqual([shop, '1', 'the whole chain is missing']);
    await tamper(sql`delete from control.audit_event where chain = 'people'`);
    expect(await bad()).toEqual([shop, '1', 'the whole chain is missing']);
  });

  it('finds a chain removed that no anchor has seen yet', async () => {
    await write('dataset:new', 1);
    await tamper(
      sql`delete from control.audit_event where chain = 'dataset:new'`,
      sql`delete from control.audit_head where chain = 'dataset:new'`,
    );
    expect(await bad()).toEqual(['dataset:new', '1', 'the whole chain is missing']);
  });

  it('finds the chain over the heads removed, also once the runner has begun another', async () => {
    await tamper(
      sql`delete from control.audit_event where chain = 'heads'`,
      sql`delete from control.audit_head where chain = 'heads'`,
    );
    expect(await bad()).toEqual(['heads', '1', 'the whole chain is missing']);
    await anchorHeads(t.db);
    expect(await bad()).toEqual(['heads', '1', 'the chain before it is missing']);
  });

  it('finds a head removed, and says what is wrong with anchors that are none', async () => {
    await tamper(sql`delete from control.audit_head where chain = ${shop}`);
    expect(await bad()).toEqual([shop, '1', 'the chain has no head']);
    for (const after of ['"x"', '[null, {"chain": 1}, {"chain": "x", "seq": "y", "hash": "z"}]']) {
      await tamper(
        sql`update control.audit_event set after = ${after}::jsonb where ${event(1, 'heads')}`,
        sql`insert into control.audit_head select * from kept_head on conflict do nothing`,
      );
      expect(await bad()).toEqual(['heads', '1', 'its hash is not that of its fields']);
    }
  });
});

describe('the audit’s rows', () => {
  it('are in no role’s hands but to read and to add, the owner’s included', async () => {
    const granted = await rows<{ right: string }>(
      t.db,
      sql`select distinct a.privilege_type as right from pg_class c, aclexplode(c.relacl) a
        where c.oid = 'control.audit_event'::regclass order by 1`,
    );
    const rights = granted.map(({ right }) => right);
    expect(rights).toEqual(expect.arrayContaining(['INSERT', 'SELECT']));
    for (const right of ['UPDATE', 'DELETE', 'TRUNCATE']) expect(rights).not.toContain(right);
  });

  it('are never changed, removed or truncated: by trigger for a superuser, by grants for an owner', async () => {
    const changes = [
      sql`update control.audit_event set actor = 'mallory'`,
      sql`delete from control.audit_event`,
      sql`truncate control.audit_event`,
    ];
    const codes = async (asOwner: boolean) => {
      const found: (string | undefined)[] = [];
      for (const change of changes) {
        const run = transaction(t.db, async (tx) => {
          if (asOwner) {
            const name = sql.identifier(`app_${t.name}`);
            await affected(tx, sql`create role ${name}`);
            await affected(tx, sql`grant create, usage on schema control to ${name}`);
            await affected(tx, sql`alter table control.audit_event owner to ${name}`);
            await affected(tx, sql`set local role ${name}`);
          }
          await affected(tx, change);
        });
        found.push(
          await run.then(
            () => 'it passed',
            (error) => pgError(error)?.code,
          ),
        );
      }
      return found;
    };
    expect(await codes(false)).toEqual(['IL003', 'IL003', 'IL003']);
    expect(await codes(true)).toEqual(['42501', '42501', '42501']);
    expect(
      await maybeOne(t.db, sql`select 1 from control.audit_event where actor = 'mallory'`),
    ).toBe(null);
  });
});
