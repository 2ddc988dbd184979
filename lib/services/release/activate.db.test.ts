import { type SQL, sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { affected, one, rows } from '@/lib/db/client';
import { cutoverConditions, lockSigners, switchGeneration } from '@/lib/db/statements/cutover';
import { Refused } from '@/lib/domain/refusal';
import { setRoles } from '@/lib/services/people';
import { lastAudit, refusalOf, traceOf } from '@/lib/testing/refusal';
import {
  by,
  enrol,
  fix,
  idOf,
  ingress,
  line,
  moveAs,
  openShop,
  type Shop,
} from '@/lib/testing/shop';
import { as } from '@/lib/testing/world';

let shop: Shop;
let release = '';
let id = '';
const executor = (person = 'dee') => moveAs(by(shop.t.db, person, ['oncall']), 'activate', release);

beforeAll(async () => {
  shop = await openShop();
  await enrol(shop.t.db, 'dual', ['approver', 'oncall']);
  release = await shop.w.rehearsed(fix({ deadline: '2100-01-01T00:00:00Z' }));
  id = await idOf(shop.t.db, release);
});
afterAll(() => shop.t.close());

/** Refused with the code, nothing changed, and the refusal is a row of the audit. */
async function expectRefused(code: string, codes: string[], person = 'dee') {
  const before = await traceOf(shop.t.db);
  expect(await refusalOf(executor(person))).toEqual({ status: 409, code, codes });
  expect(await traceOf(shop.t.db)).toEqual(before);
  expect(await lastAudit(shop.t.db)).toEqual({
    actor: person,
    verb: 'release.activate',
    subject: release,
    outcome: 'refused',
    code,
  });
}

describe('the cutover is refused', () => {
  it('where ingress is not sealed', async () => {
    await expectRefused('NOT_SEALED', [
      'NOT_SEALED',
      'EVIDENCE_MISSING',
      'APPROVALS_MISSING',
      'WRONG_STATE',
    ]);
  });

  it('short of signatures, with how many of how many', async () => {
    const evidence = await shop.w.reconciled(release);
    await expectRefused('APPROVALS_MISSING', ['APPROVALS_MISSING']);
    await shop.w.move('bo', 'approve', release, { evidence });
    const refused = await executor().catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(Refused);
    expect((refused as Refused).blockers).toMatchObject([
      { code: 'APPROVALS_MISSING', kind: 'fix', expected: '2 of 2', current: '1 of 2' },
    ]);
    expect(await ingress(shop.t.db)).toMatchObject({ state: 'SEALED', active: 'order_tax-g1' });
  });

  it('to whoever signed it, where the policy says so', async () => {
    const evidence = await shop.w.evidence(release);
    await moveAs(by(shop.t.db, 'dual', ['approver']), 'approve', release, { evidence });
    expect(await shop.w.state(release)).toBe('APPROVED');
    await expectRefused('EXECUTOR_SIGNED', ['EXECUTOR_SIGNED'], 'dual');
  });

  it('once a signer lost the role, until somebody else signs', async () => {
    await setRoles(as(shop.t.db, 'root'), { person: 'bo', roles: ['auditor'] });
    await expectRefused('APPROVALS_MISSING', ['APPROVALS_MISSING']);
    await setRoles(as(shop.t.db, 'root'), { person: 'bo', roles: ['approver'] });
  });

  it('while it is held or paused', async () => {
    await shop.w.move('bo', 'hold', release, { reason: 'a question' });
    await expectRefused('HELD', ['HELD']);
    await shop.w.move('dee', 'pause', release, { reason: 'another' });
    await expectRefused('HELD', ['HELD', 'PAUSED']);
    await shop.w.move('bo', 'unhold', release);
    await expectRefused('PAUSED', ['PAUSED']);
    await shop.w.move('dee', 'resume', release);
  });

  it('to whoever has not the role', async () => {
    expect(await refusalOf(shop.w.move('ana', 'activate', release))).toMatchObject({ status: 403 });
  });

  const registry = (set: SQL) =>
    sql`update control.registry set ${set} where dataset = 'order_tax'`;
  const order = (set: SQL) => sql`update control.release set ${set} where id = ${id}`;
  const generation = (set: SQL) =>
    sql`update control.generation set ${set} where id = (select generation from control.release where id = ${id})`;
  const ahead = (which: 'generation' | 'old_generation') => sql`update control.generation_progress
    set offsets[1] = offsets[1] + 1 where generation = (select ${sql.raw(which)} from control.release where id = ${id})`;

  it.each<[string, () => SQL, string[]?]>([
    ['WRONG_STATE', () => order(sql`state = 'RECONCILED'`)],
    ['NOT_SEALED', () => registry(sql`sealer = 'release:999'`)],
    ['EPOCH_SEALED', () => registry(sql`epoch = epoch + 1`)],
    [
      'SEALED_TOO_LONG',
      () => registry(sql`sealed_until = clock_timestamp() - interval '1 second'`),
    ],
    ['GENERATION_MOVED', () => registry(sql`active_generation = 999`)],
    ['ROLLBACK_IN_PROGRESS', () => registry(sql`rollback = 999`)],
    ['BARRIER_NOT_COVERED', () => ahead('generation')],
    ['BARRIER_NOT_COVERED', () => ahead('old_generation')],
    ['BARRIER_NOT_COVERED', () => registry(sql`barrier[1] = barrier[1] + 1`)],
    ['GENERATION_GONE', () => generation(sql`state = 'hidden'`)],
    ['EVIDENCE_MOVED', () => generation(sql`manifest_root = 'sha256:other'`)],
    ['EVIDENCE_MOVED', () => generation(sql`catch_up_root = null`)],
    ['EVIDENCE_MOVED', () => order(sql`evidence = 'sha256:other'`), ['APPROVALS_MISSING']],
    ['HELD', () => order(sql`held_at = clock_timestamp()`)],
    ['PAUSED', () => order(sql`paused_at = clock_timestamp()`)],
    ['DRAINING', () => order(sql`draining = true`)],
    ['DEADLINE_PASSED', () => order(sql`deadline = clock_timestamp()`)],
    ['APPROVALS_MISSING', () => order(sql`approvals_needed = 3`)],
    ['APPROVALS_MISSING', () => order(sql`digest = 'sha256:other'`)],
    [
      'APPROVALS_MISSING',
      () =>
        sql`insert into control.release_author (release, person, how) values (${id}, 'bo', 'edited')`,
    ],
  ])('by its own statement alone: %s', async (code, breaking, besides = []) => {
    const undo = new Error('undo');
    await shop.t.db
      .transaction(async (tx) => {
        await affected(tx, breaking());
        await lockSigners(tx, id);
        const keys = { release: id, actor: 'dee', writeSegment: '1' };
        const before = await one(tx, sql`select * from control.registry`);
        expect(await switchGeneration(tx, keys)).toBe(false);
        expect(await one(tx, sql`select * from control.registry`)).toEqual(before);
        const failed = (await cutoverConditions(tx, keys)).filter((c) => !c.holds);
        expect(failed.map((c) => c.code)).toEqual([code, ...besides]);
        throw undo;
      })
      .catch((error: unknown) => {
        if (error !== undo) throw error;
      });
  });

  it('sealed for too long, also before anybody reopened', async () => {
    const until = await one<{ at: string }>(
      shop.t.db,
      sql`select sealed_until as at from control.registry`,
    );
    await affected(
      shop.t.db,
      registry(sql`sealed_until = clock_timestamp() - interval '1 second'`),
    );
    await expectRefused('SEALED_TOO_LONG', ['SEALED_TOO_LONG']);
    await affected(shop.t.db, registry(sql`sealed_until = ${until.at}`));
  });

  it('past the deadline', async () => {
    await affected(shop.t.db, order(sql`deadline = '2001-01-01T00:00:00Z'`));
    await expectRefused('DEADLINE_PASSED', ['DEADLINE_PASSED']);
    await affected(shop.t.db, order(sql`deadline = '2100-01-01T00:00:00Z'`));
  });
});

describe('the cutover', () => {
  it('happens once, however often it is asked for', async () => {
    await executor();
    const after = await traceOf(shop.t.db);
    const audit = () =>
      rows(
        shop.t.db,
        sql`select 1 from control.audit_event where verb = 'release.activate' and outcome = 'done'`,
      );
    expect(await audit()).toHaveLength(1);
    expect(await ingress(shop.t.db)).toEqual({
      epoch: 2,
      state: 'OPEN',
      active: 'vat-fix-g2',
      sealer: null,
    });
    await executor();
    expect(await traceOf(shop.t.db)).toEqual(after);
    expect(await audit()).toHaveLength(1);
  });

  it('takes no hold, no rejection and no abandoning any more', async () => {
    for (const [person, move] of [
      ['bo', 'hold'],
      ['bo', 'reject'],
      ['ana', 'abandon'],
      ['dee', 'pause'],
      ['dee', 'reopen'],
    ] as const) {
      const refused = await refusalOf(shop.w.move(person, move, release, { comment: 'no' }));
      expect([move, refused.code]).toEqual([move, 'WRONG_STATE']);
    }
  });

  it('leaves the rollback to its own signature', async () => {
    const refused = await shop.w.move('dee', 'rollback', release).catch((error: unknown) => error);
    expect((refused as Refused).blockers).toMatchObject([
      { code: 'ROLLBACK_UNSIGNED', expected: '1 of 1', current: '0 of 1' },
    ]);
    await shop.w.append([line(3, { price: '50.00', revision: 2 })]);
    await shop.w.live();
    await shop.w.move('bo', 'sign-rollback', release, { evidence: await shop.w.evidence(release) });
    await setRoles(as(shop.t.db, 'root'), { person: 'bo', roles: [] });
    expect(await refusalOf(shop.w.move('dee', 'rollback', release))).toMatchObject({
      code: 'ROLLBACK_UNSIGNED',
    });
    expect(await ingress(shop.t.db)).toMatchObject({ active: 'vat-fix-g2', state: 'OPEN' });
  });
});
