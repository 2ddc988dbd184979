import { readFileSync } from 'node:fs';
import { sql } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { affected, type Database, rows } from '@/lib/db/client';
import { Refused } from '@/lib/domain/refusal';
import { claim, releaseClaims } from '@/lib/services/claims';
import { blockersOf, findRelease, previewPlan, previewSpec } from '@/lib/services/release';
import { drilled } from '@/lib/testing/drill';
import { race } from '@/lib/testing/race';
import { by, day, fix, moveAs, openShop, type Shop } from '@/lib/testing/shop';
import { as } from '@/lib/testing/world';

let shop: Shop;
let db: Database;
beforeAll(async () => {
  shop = await openShop();
  db = shop.t.db;
});
afterAll(() => shop.t.close());

const dataset = 'order_tax';
const range = (first: number, end: number, owner: string) => ({
  dataset,
  from: day(first, 0),
  to: day(end, 0),
  owner,
});
const held = () =>
  rows<{ start: string; owner: string; by: string }>(
    db,
    sql`select start_at as start, owner, "by" from control.claim order by start_at`,
  );
const owners = async () => (await held()).map(({ start, owner }) => `${start} ${owner}`);
const planOf = (release: string) => [4, 5, 6, 7].map((n) => `${day(n, 0)} ${release}`);
const claimedEvents = () =>
  rows(
    db,
    sql`select outcome, after -> 'claimed' as claimed from control.audit_event
      where verb = 'release.build' order by id desc limit 1`,
  );

let number = 0;
const pinned = async (more: Record<string, unknown> = {}) => {
  number += 1;
  const release = await shop.w.draft(
    fix({ release: `fix-${number}`, targetGeneration: `fix-${number}-g`, ...more }),
  );
  await shop.w.move('ana', 'pin', release);
  return release;
};
const build = (on: Database, release: string) => moveAs(by(on, 'ana', ['owner']), 'build', release);
const refusal = async (promise: Promise<unknown>): Promise<Refused> => {
  const error = await promise.then(
    () => null,
    (thrown) => thrown,
  );
  if (!(error instanceof Refused)) throw new Error(`not refused: ${error}`);
  return error;
};
/** Ends what a test began, so that the next has the range to itself. */
afterEach(async () => {
  const open = await rows<{ ref: string }>(
    db,
    sql`select name || '@' || revision as ref from control.release
      where position('~' in dataset) = 0 and state in ('DRAFT', 'SNAPSHOT_PINNED', 'BUILDING')`,
  );
  for (const { ref } of open) await shop.w.move('ana', 'abandon', ref);
  expect((await held()).filter(({ owner }) => owner.includes('@'))).toEqual([]);
  await affected(db, sql`delete from control.claim`);
});

describe('starting a build', () => {
  it('claims the plan under the release’s name, and no pin does', async () => {
    const release = await pinned();
    expect(await held()).toEqual([]);
    await build(db, release);
    expect(await owners()).toEqual(planOf(release));
    expect((await held()).every(({ by }) => by === 'ana')).toBe(true);
    expect(await claimedEvents()).toEqual([{ outcome: 'done', claimed: 4 }]);
    const answer = await claim(as(db, 'dee'), range(3, 9, 'nightly'));
    expect(answer.claimed).toEqual([day(3, 0), day(8, 0)]);
    expect(answer.denied.map(([, owner]) => owner)).toEqual(Array(4).fill(release));
    const let_ = await releaseClaims(as(db, 'ana'), range(4, 8, 'ana'));
    expect(let_.released).toEqual([]);
  });

  it('claims all or nothing, and names what is in the way with its owner', async () => {
    await claim(as(db, 'dee'), range(4, 5, 'nightly'));
    await claim(as(db, 'dee'), range(6, 7, 'audit of June'));
    const release = await pinned();
    const { blockers } = await refusal(build(db, release));
    expect(blockers).toEqual([
      {
        code: 'RANGE_CLAIMED',
        kind: 'fix',
        message: `2 planned partitions are claimed: [${day(4, 0)}, ${day(5, 0)}) by nightly, [${day(6, 0)}, ${day(7, 0)}) by audit of June. The build starts when they are let go.`,
        current: [
          { from: day(4, 0), to: day(5, 0), owner: 'nightly', partitions: 1 },
          { from: day(6, 0), to: day(7, 0), owner: 'audit of June', partitions: 1 },
        ],
        link: '/datasets/order_tax#claims',
      },
    ]);
    expect(await shop.w.state(release)).toBe('SNAPSHOT_PINNED');
    expect((await owners()).length).toBe(2);
    expect((await blockersOf(db, await findRelease(db, release))).build).toEqual(blockers);
    await releaseClaims(as(db, 'dee'), range(4, 8, 'nightly'));
    await releaseClaims(as(db, 'dee'), range(4, 8, 'audit of June'));
    await build(db, release);
    expect(await owners()).toEqual(planOf(release));
  });

  it('names a few of many, then how many more', async () => {
    for (const n of [4, 5, 6, 7]) {
      await claim(as(db, 'dee'), range(n, n + 1, `owner ${n}`));
    }
    const release = await pinned();
    const { blockers } = await refusal(build(db, release));
    expect(blockers[0]?.message).toContain('4 planned partitions are claimed');
    expect(blockers[0]?.message).toContain('by owner 6, and 1 more.');
  });

  it('shows what is in the way with the plan, before the pin and after it', async () => {
    await claim(as(db, 'dee'), range(6, 9, 'nightly'));
    const inTheWay = [
      expect.objectContaining({ from: day(6, 0), to: day(8, 0), partitions: 2, owner: 'nightly' }),
    ];
    expect((await previewSpec(db, fix({ targetGeneration: 'other' }))).claims).toEqual(inTheWay);
    const release = await pinned();
    expect((await previewPlan(db, release)).claims).toEqual(inTheWay);
    await releaseClaims(as(db, 'dee'), range(6, 9, 'nightly'));
    await build(db, release);
    expect((await previewPlan(db, release)).claims).toEqual([]);
  });

  it('of an open range claims what is planned, and not what is yet to come', async () => {
    const release = await pinned({ range: { from: day(6, 0), to: 'open' } });
    await build(db, release);
    expect((await held()).map(({ start }) => start)).toEqual([day(6, 0), day(7, 0), day(8, 0)]);
    expect((await claim(as(db, 'dee'), range(9, 12, 'nightly'))).denied).toEqual([]);
  });
});

it('of releases that were under way before there were claims the migration makes them', async () => {
  const release = await pinned();
  await build(db, release);
  await affected(db, sql`delete from control.claim`);
  const file = new URL('../../../drizzle/0006_claims.sql', import.meta.url);
  const backfill = readFileSync(file, 'utf8').split('--> statement-breakpoint').at(-1) ?? '';
  await affected(db, sql.raw(backfill));
  expect(await owners()).toEqual(planOf(release));
});

describe('the end of a release', () => {
  it.each([
    ['abandoning', 'ana', 'abandon', { reason: 'no more' }],
    ['rejecting', 'bo', 'reject', { comment: 'wrong rate' }],
  ] as const)('%s lets go of its claims, and of nobody else’s', async (_, who, move, body) => {
    const release = await pinned();
    await build(db, release);
    await claim(as(db, 'dee'), range(2, 4, 'nightly'));
    await shop.w.move(who, move, release, body);
    expect((await held()).map(({ owner }) => owner)).toEqual(['nightly', 'nightly']);
  });

  it('keeps its claims through seal, reopening and a drill, whose fork claims nothing', async () => {
    const release = await shop.w.rehearsed(fix({ release: 'tried', targetGeneration: 'tried-g' }));
    expect((await drilled(shop.w, release)).outcome).toBe('passed');
    expect(await owners()).toEqual(planOf(release));
    await shop.w.move('dee', 'seal', release);
    expect(await owners()).toEqual(planOf(release));
    await shop.w.move('dee', 'reopen', release);
    expect(await owners()).toEqual(planOf(release));
  });
});

describe.each([
  ['the claim first', true],
  ['the build first', false],
])('a build and a claim at once, %s', (_, claimFirst) => {
  it('never share a partition', async () => {
    const release = await pinned();
    const claims = (on: Database) => claim(as(on, 'dee'), range(7, 9, 'nightly'));
    const builds = (on: Database) => build(on, release);
    if (claimFirst) {
      const { first, second } = await race(shop.t.url, claims, builds);
      expect(first).toMatchObject({ status: 'fulfilled', value: { denied: [] } });
      const { blockers } = await refusal(
        second.status === 'rejected' ? Promise.reject(second.reason) : Promise.resolve(),
      );
      expect(blockers.map((b) => b.code)).toEqual(['RANGE_CLAIMED']);
      expect(await owners()).toEqual([`${day(7, 0)} nightly`, `${day(8, 0)} nightly`]);
      expect(await shop.w.state(release)).toBe('SNAPSHOT_PINNED');
    } else {
      const { first, second } = await race(shop.t.url, builds, claims);
      expect(first.status).toBe('fulfilled');
      expect(second).toMatchObject({
        status: 'fulfilled',
        value: { claimed: [day(8, 0)], denied: [[day(7, 0), release]] },
      });
      expect(await owners()).toEqual([...planOf(release), `${day(8, 0)} nightly`]);
    }
  });
});

it('a build beside a letting go is refused by what it read, and then starts', async () => {
  await claim(as(db, 'dee'), range(7, 9, 'nightly'));
  const release = await pinned();
  const { first, second } = await race(
    shop.t.url,
    (on) => releaseClaims(as(on, 'dee'), range(7, 9, 'nightly')),
    (on) => build(on, release),
  );
  expect(first.status).toBe('fulfilled');
  // its blockers were read before the claim was let go
  expect(second.status).toBe('rejected');
  await build(db, release);
  expect(await owners()).toEqual(planOf(release));
});

it('the cutover lets go in its own transaction; the rollback has nothing to let go of', async () => {
  const release = await shop.w.rehearsed(fix({ release: 'last', targetGeneration: 'last-g' }));
  await shop.w.reconciled(release);
  await shop.w.sign(release);
  expect(await owners()).toEqual(planOf(release));
  const cutOver = (on: Database) => moveAs(by(on, 'dee', ['oncall']), 'activate', release);
  const { first, second } = await race(shop.t.url, cutOver, (on) =>
    claim(as(on, 'dee'), range(4, 5, 'nightly')),
  );
  expect(first.status).toBe('fulfilled');
  expect(second).toMatchObject({ status: 'fulfilled', value: { claimed: [day(4, 0)] } });
  await shop.w.move('dee', 'rollback', release);
  await shop.w.work(release);
  expect(await shop.w.state(release)).toBe('ROLLED_BACK');
  expect(await owners()).toEqual([`${day(4, 0)} nightly`]);
});
