import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { affected, type Database, one, rows } from '@/lib/db/client';
import { Forbidden, Invalid, NotFound } from '@/lib/domain/refusal';
import { verifyAudit } from '@/lib/services/audit/verify';
import type { Ctx } from '@/lib/services/context';
import { authenticateToken, rolesOf } from '@/lib/services/people/authenticate';
import { personOfIdentity } from '@/lib/services/people/identity';
import { ensurePersonas, personas } from '@/lib/services/people/personas';
import { setRoles } from '@/lib/services/people/set-roles';
import { tokenHash } from '@/lib/services/people/token-text';
import { createToken, provisionToken, revokeToken } from '@/lib/services/people/tokens';
import { type TestDatabase, testDatabase } from '@/lib/testing/database';
import { race } from '@/lib/testing/race';
import { refusalOf, refusedIn } from '@/lib/testing/refusal';

let t: TestDatabase;
beforeAll(async () => {
  t = await testDatabase();
});
afterAll(() => t.close());

let request = 0;
const as = (person: string, roles: Ctx['actor']['roles'], db: Database = t.db): Ctx => ({
  db,
  actor: { person, roles, via: 'api', session: null },
  requestId: `test-${++request}`,
});
const admin = (db?: Database) => as('fay', ['admin'], db);

describe('tokens', () => {
  it('are kept as a digest, and speak for their person with the roles of now', async () => {
    await setRoles(admin(), { person: 'ana', roles: ['owner', 'oncall'] });
    const made = await createToken(admin(), { person: 'ana', roles: ['owner', 'approver'] });
    expect(made.token).toMatch(/^ilk_[A-Za-z0-9_-]{43}$/);
    const stored = await one<{ hash: string }>(
      t.db,
      sql`select hash from control.token where id = ${made.id}`,
    );
    expect(stored.hash).toBe(tokenHash(made.token));

    // of the token's roles only those that the person has
    const actor = await authenticateToken(t.db, made.token);
    expect(actor).toMatchObject({ person: 'ana', roles: ['owner'], session: `token:${made.id}` });
    await setRoles(admin(), { person: 'ana', roles: ['approver'] });
    expect((await authenticateToken(t.db, made.token))?.roles).toEqual(['approver']);
    await setRoles(admin(), { person: 'ana', roles: [] });
    expect((await authenticateToken(t.db, made.token))?.roles).toEqual([]);
  });

  it('are nobody once revoked, unknown or malformed', async () => {
    const made = await createToken(admin(), { person: 'ana' });
    await revokeToken(admin(), { id: made.id });
    await revokeToken(admin(), { id: made.id });
    expect(await authenticateToken(t.db, made.token)).toBeNull();
    expect(await authenticateToken(t.db, `ilk_${'A'.repeat(43)}`)).toBeNull();
    expect(await authenticateToken(t.db, "' or true --")).toBeNull();
    await expect(revokeToken(admin(), { id: 'x' })).rejects.toBeInstanceOf(NotFound);
    await expect(createToken(admin(), { person: 'noone' })).rejects.toBeInstanceOf(NotFound);
  });

  it('come about on the server with the person and its roles', async () => {
    const made = await provisionToken(t.db, {
      person: 'gus',
      roles: ['admin'],
      requestId: 'cli-1',
    });
    expect(await authenticateToken(t.db, made.token)).toMatchObject({
      person: 'gus',
      roles: ['admin'],
    });
    await provisionToken(t.db, { person: 'gus', roles: ['writer'], requestId: 'cli-2' });
    expect(await rolesOf(t.db, 'gus')).toEqual(['admin', 'writer']);
  });
});

describe('roles', () => {
  it('are only an admin’s to give, and a refusal is a row', async () => {
    await expect(
      setRoles(as('ana', ['owner']), { person: 'ana', roles: ['admin'] }),
    ).rejects.toBeInstanceOf(Forbidden);
    await expect(setRoles(admin(), { person: 'system', roles: [] })).rejects.toBeInstanceOf(
      Invalid,
    );
    const [row] = await rows(
      t.db,
      sql`select actor, verb, subject, outcome, after ->> 'code' as code from control.audit_event
        where outcome = 'refused' order by id limit 1`,
    );
    expect(row).toEqual({
      actor: 'ana',
      verb: 'people.write',
      subject: 'ana',
      outcome: 'refused',
      code: 'FORBIDDEN',
    });
    expect(await rolesOf(t.db, 'ana')).toEqual([]);
    expect(await rolesOf(t.db, 'noone')).toBeNull();
  });

  it('are lost only when whoever holds the person’s row is done', async () => {
    await setRoles(admin(), { person: 'cyd', roles: ['approver'] });
    const { first, second } = await race(
      t.url,
      (db) =>
        db.transaction(async (tx) => {
          await tx.execute(sql`select 1 from control.person where name = 'cyd' for update`);
          return one<{ approver: boolean }>(
            tx,
            sql`select exists (select from control.person_role
              where person = 'cyd' and role = 'approver') as approver`,
          );
        }),
      (db) => setRoles(admin(db), { person: 'cyd', roles: [] }),
    );
    expect(first).toMatchObject({ value: { approver: true } });
    expect(second.status).toBe('fulfilled');
    expect(await rolesOf(t.db, 'cyd')).toEqual([]);
  });
});

describe('the last admin', () => {
  const two = async () => {
    await affected(t.db, sql`delete from control.person_role where role = 'admin'`);
    await setRoles(admin(), { person: 'hal', roles: ['admin'] });
    await setRoles(admin(), { person: 'ida', roles: ['admin', 'owner'] });
  };
  const lastAdmin = { status: 409, code: 'LAST_ADMIN', codes: ['LAST_ADMIN'] };

  it('stays, with every other role that was to be taken', async () => {
    await two();
    await setRoles(admin(), { person: 'hal', roles: [] });
    expect(await refusalOf(setRoles(admin(), { person: 'ida', roles: [] }))).toEqual(lastAdmin);
    expect(await rolesOf(t.db, 'ida')).toEqual(['admin', 'owner']);
    await setRoles(admin(), { person: 'ida', roles: ['admin'] });
    expect(await rolesOf(t.db, 'ida')).toEqual(['admin']);
  });

  it('stays where two take it from each other at once', async () => {
    await two();
    const { first, second } = await race(
      t.url,
      (db) =>
        db.transaction(async (tx) => {
          await affected(
            tx,
            sql`delete from control.person_role where person = 'hal' and role = 'admin'`,
          );
        }),
      (db) => setRoles(admin(db), { person: 'ida', roles: ['owner'] }),
    );
    expect(first.status).toBe('fulfilled');
    expect(await refusedIn(second)).toEqual(lastAdmin);
    expect(await rolesOf(t.db, 'ida')).toEqual(['admin', 'owner']);
  });
});

describe('roles that were seen', () => {
  it('are the ground of a change: others refuse it, and so does a name that is taken', async () => {
    await setRoles(admin(), { person: 'jon', roles: ['owner'], seen: null });
    const taken = setRoles(admin(), { person: 'jon', roles: ['oncall'], seen: null });
    expect(await refusalOf(taken)).toMatchObject({ status: 409, code: 'ALREADY_EXISTS' });
    const stale = setRoles(admin(), { person: 'jon', roles: ['oncall'], seen: ['approver'] });
    expect(await refusalOf(stale)).toMatchObject({ status: 409, code: 'CHANGED_SINCE_SEEN' });
    expect(await rolesOf(t.db, 'jon')).toEqual(['owner']);
    await setRoles(admin(), { person: 'jon', roles: ['oncall', 'owner'], seen: ['owner'] });
    await setRoles(admin(), { person: 'jon', roles: ['oncall'], seen: ['owner', 'oncall'] });
    expect(await rolesOf(t.db, 'jon')).toEqual(['oncall']);
  });
});

describe('identities', () => {
  const identity = (email: string | null) => ({ subject: 's1', email, displayName: 'Ana' });

  it('are the person who has the verified address, or a new one without roles', async () => {
    await setRoles(admin(), { person: 'ana', roles: ['owner'], email: 'ana@example.com' });
    expect(await personOfIdentity(t.db, identity('ana@example.com'))).toBe('ana');
    expect(await personOfIdentity(t.db, identity('new@example.com'))).toBe('new@example.com');
    expect(await personOfIdentity(t.db, identity('new@example.com'))).toBe('new@example.com');
    expect(await rolesOf(t.db, 'new@example.com')).toEqual([]);
  });

  it('without a verified address are nobody, and so are shared addresses', async () => {
    await expect(personOfIdentity(t.db, identity(null))).rejects.toBeInstanceOf(Forbidden);
    await setRoles(admin(), { person: 'dee', roles: [], email: 'ana@example.com' });
    await expect(personOfIdentity(t.db, identity('ana@example.com'))).rejects.toBeInstanceOf(
      Forbidden,
    );
  });
});

it('makes personas once and leaves them as they are', async () => {
  await ensurePersonas(t.db);
  expect(await rolesOf(t.db, 'oncall')).toEqual(['oncall']);
  await setRoles(admin(), { person: 'oncall', roles: [] });
  await ensurePersonas(t.db);
  expect(await rolesOf(t.db, 'oncall')).toEqual([]);
  expect(personas.map((p) => p.name)).toHaveLength(6);
});

describe('verifyAudit', () => {
  const tamper = async (statement: ReturnType<typeof sql>) => {
    await affected(t.db, sql`alter table control.audit_event disable trigger user`);
    await affected(t.db, statement);
    await affected(t.db, sql`alter table control.audit_event enable trigger user`);
  };

  it('holds over everything above, and names the first row that was touched', async () => {
    const before = await verifyAudit(t.db);
    expect(before.ok).toBe(true);
    expect(before.length).toBeGreaterThan(10);
    expect(before.head).toMatch(/^sha256:/);

    await tamper(
      sql`update control.audit_event set actor = 'mallory' where chain = 'people' and seq = 3`,
    );
    expect(await verifyAudit(t.db)).toMatchObject({
      ok: false,
      firstBad: { chain: 'people', seq: '3' },
    });
    await tamper(
      sql`update control.audit_event set actor = 'fay' where chain = 'people' and seq = 3`,
    );
    expect((await verifyAudit(t.db)).ok).toBe(true);
  });

  it('sees rows that are missing in the middle, at the end, and with their head', async () => {
    const last = await one<{ seq: string }>(
      t.db,
      sql`select max(seq) as seq from control.audit_event where chain = 'people'`,
    );
    await affected(t.db, sql`create table kept as select * from control.audit_event`);
    const restore = () =>
      tamper(sql`insert into control.audit_event overriding system value
        select k.* from kept k where not exists
          (select from control.audit_event e where e.id = k.id)`);
    for (const [gone, seq] of [
      [sql`delete from control.audit_event where seq = 2`, '3'],
      [sql`delete from control.audit_event where seq = ${last.seq}`, String(Number(last.seq) - 1)],
    ] as const) {
      await tamper(gone);
      expect(await verifyAudit(t.db)).toMatchObject({ ok: false, firstBad: { seq } });
      await restore();
      expect((await verifyAudit(t.db)).ok).toBe(true);
    }
    await affected(t.db, sql`delete from control.audit_head where chain = 'people'`);
    expect((await verifyAudit(t.db)).firstBad).toMatchObject({ why: 'the chain has no head' });
  });
});
