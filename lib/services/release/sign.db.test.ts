import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { affected, one, rows } from '@/lib/db/client';
import { createRelease, findRelease, patchRelease } from '@/lib/services/release';
import { race } from '@/lib/testing/race';
import { lastAudit, refusalOf, refusedIn, traceOf } from '@/lib/testing/refusal';
import { by, enrol, fix, moveAs, openShop, type Shop } from '@/lib/testing/shop';
import { event } from '@/lib/testing/world';
import { standing } from './facts';

let shop: Shop;
let release = '';
let shown = '';

beforeAll(async () => {
  shop = await openShop();
  const { w, t } = shop;
  for (const person of ['own', 'ed', 'acc'])
    await enrol(t.db, person, ['owner', 'approver', 'oncall']);
  await enrol(t.db, 'gone', []);
  // an event that no transform can place: somebody has to accept it by name
  await w.append([event({ line: 'lost', at: '2011-01-05T12:00:00Z' })].map(untimed));
  await w.live();
  const first = await w.draft(fix(), 'both');
  await patchRelease(by(t.db, 'ed', ['owner']), {
    release: first,
    version: 1,
    spec: { expected: { partitions: 4 } },
  });
  // the next revision, by somebody else, carries what both of them wrote
  const { name, revision } = await createRelease(
    by(t.db, 'own', ['owner']),
    fix({ expected: { partitions: 4 }, deadline: '2100-01-01T00:00:00Z' }),
  );
  release = `${name}@${revision}`;
  await w.move('ana', 'pin', release);
  await w.move('ana', 'build', release);
  await w.work(release);
  await w.move('ana', 'rehearse', release);
  await w.work(release);
  const { count, digest } = await one<{ count: string; digest: string }>(
    t.db,
    sql`select detail ->> 'count' as count, detail ->> 'digest' as digest from control.check_result
      where name = 'quarantine' order by reconciliation desc limit 1`,
  );
  await moveAs(by(t.db, 'acc', ['owner']), 'accept', release, {
    what: 'quarantine',
    count,
    digest,
    reason: 'known to be broken',
  });
  shown = await w.reconciled(release);
});
afterAll(() => shop.t.close());

const untimed = (e: ReturnType<typeof event>) => ({
  ...e,
  payload: { ...e.payload, invoiced_at: null },
});
const sign = (person: string, evidence = shown, db = shop.t.db) =>
  moveAs(by(db, person, ['approver']), 'approve', release, { evidence });
const signatures = () =>
  rows<{ person: string; kind: string }>(
    shop.t.db,
    sql`select person, kind from control.signature order by id`,
  );

/** Signatures that count for the release as it is now. */
const counted = async () => standing(shop.t.db, await findRelease(shop.t.db, release));

describe('the evidence', () => {
  it('holds everything that a signature stands for', async () => {
    const { parts } = await one<{ parts: Record<string, unknown> }>(
      shop.t.db,
      sql`select parts from control.evidence where digest = ${shown}`,
    );
    expect(parts).toMatchObject({
      release: expect.stringMatching(/^sha256:/),
      generation: 'vat-fix-g2',
      expectedOldGeneration: 'order_tax-g1',
      epoch: 1,
      barrier: expect.arrayContaining(['0']),
      manifestRoot: expect.stringMatching(/^sha256:/),
      catchUpRoot: expect.stringMatching(/^sha256:/),
      gates: { approvals: 2, rollbackApprovals: 1, maxSealedSeconds: 900 },
      sealedPartitions: [],
      quarantine: { count: '1' },
      acceptances: [
        { what: 'quarantine', count: '1', person: 'acc', reason: 'known to be broken' },
      ],
    });
    expect((parts.checks as { name: string }[]).map((check) => check.name)).toEqual(
      expect.arrayContaining([
        'partition_closure',
        'conserved:net',
        'drift',
        'roots',
        'duplicate_keys',
      ]),
    );
  });
});

describe('a signature', () => {
  it.each([
    ['its own author', 'own'],
    ['the first revision’s author, whose fields are carried', 'both'],
    ['whoever edited the first revision', 'ed'],
    ['whoever accepted something by name', 'acc'],
  ])('is refused to %s', async (_, person) => {
    const before = await traceOf(shop.t.db);
    expect(await refusalOf(sign(person))).toEqual({
      status: 409,
      code: 'SELF_APPROVAL',
      codes: ['SELF_APPROVAL'],
    });
    expect(await traceOf(shop.t.db)).toEqual(before);
    expect(await lastAudit(shop.t.db)).toEqual({
      actor: person,
      verb: 'release.approve',
      subject: release,
      outcome: 'refused',
      code: 'SELF_APPROVAL',
    });
    const rollback = moveAs(by(shop.t.db, person, ['approver']), 'sign-rollback', release, {
      evidence: shown,
    });
    expect((await refusalOf(rollback)).code).toBe('SELF_APPROVAL');
  });

  it('is refused to who has not the role, whatever the door believed', async () => {
    const ana = shop.w.move('ana', 'approve', release, { evidence: shown });
    expect(await refusalOf(ana)).toMatchObject({ status: 403, code: 'FORBIDDEN' });
    expect(await refusalOf(sign('gone'))).toMatchObject({ status: 409, code: 'FORBIDDEN' });
    expect(await signatures()).toEqual([]);
  });

  it('is refused while the release is held, and past its deadline', async () => {
    const { w: world, t } = shop;
    await world.move('bo', 'hold', release, { reason: 'wait' });
    expect(await refusalOf(sign('bo'))).toMatchObject({ code: 'HELD', codes: ['HELD'] });
    await world.move('bo', 'unhold', release);
    await affected(
      t.db,
      sql`update control.release set deadline = '2001-01-01T00:00:00Z' where id = (
      select max(id) from control.release where name = 'vat-fix')`,
    );
    expect(await refusalOf(sign('bo'))).toMatchObject({
      code: 'DEADLINE_PASSED',
      codes: ['DEADLINE_PASSED'],
    });
    await affected(
      t.db,
      sql`update control.release set deadline = '2100-01-01T00:00:00Z' where id = (
      select max(id) from control.release where name = 'vat-fix')`,
    );
    expect(await signatures()).toEqual([]);
  });

  it('names everything that stands in its way at once', async () => {
    await shop.w.move('bo', 'hold', release, { reason: 'wait' });
    const refused = await refusalOf(sign('both', `sha256:${'0'.repeat(64)}`));
    expect(refused.codes).toEqual(['SELF_APPROVAL', 'EVIDENCE_MOVED', 'HELD']);
    await shop.w.move('bo', 'unhold', release);
  });

  it('counts once per person, also for two calls in one instant', async () => {
    const { first, second } = await race(
      shop.t.url,
      (db) => sign('bo', shown, db),
      (db) => sign('bo', shown, db),
    );
    expect(first.status).toBe('fulfilled');
    expect(await refusedIn(second)).toMatchObject({ status: 409, code: 'ALREADY_SIGNED' });
    expect(await refusalOf(sign('bo'))).toMatchObject({ code: 'ALREADY_SIGNED' });
    expect(await signatures()).toEqual([{ person: 'bo', kind: 'cutover' }]);
    expect(await shop.w.state(release)).toBe('RECONCILED');
  });

  it('is void once the evidence moved, and a signature in flight is refused', async () => {
    const { w: world, t } = shop;
    // the rollback's signature may come in the same sitting; it is bound to the same evidence
    await world.move('bo', 'sign-rollback', release, { evidence: shown });
    expect(await counted()).toEqual({ cutover: 1, rollback: 1 });
    await world.move('dee', 'reopen', release);
    expect(await counted()).toEqual({ cutover: 0, rollback: 0 });
    expect(await refusalOf(sign('cyd'))).toMatchObject({ code: 'EVIDENCE_MISSING' });
    const second = await world.reconciled(release);
    expect(second).not.toBe(shown);
    expect(await refusalOf(sign('cyd'))).toMatchObject({
      code: 'EVIDENCE_MOVED',
      codes: ['EVIDENCE_MOVED'],
    });
    expect(await counted()).toEqual({ cutover: 0, rollback: 0 });
    // the first evidence's signatures stay on record and counts for nothing
    await sign('cyd', second);
    expect(await world.state(release)).toBe('RECONCILED');
    await sign('bo', second);
    expect(await world.state(release)).toBe('APPROVED');
    expect(await signatures()).toHaveLength(4);
    expect(await counted()).toEqual({ cutover: 2, rollback: 0 });
    expect(await rows(t.db, sql`select distinct s.digest from control.signature s`)).toHaveLength(
      2,
    );
  });
});
