import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { affected } from '@/lib/db/client';
import {
  adminCounts,
  adminDatasets,
  adminPeople,
  adminSources,
  adminTokens,
} from '@/lib/queries/admin';
import { createToken, revokeToken } from '@/lib/services/people';
import { fix, openShop, type Shop } from '@/lib/testing/shop';
import { as } from '@/lib/testing/world';

let shop: Shop;
const page = { limit: 50 };

beforeAll(async () => {
  shop = await openShop();
});
afterAll(() => shop.t.close());

const names = async (filter: Parameters<typeof adminPeople>[1]) =>
  (await adminPeople(shop.t.db, filter, page)).items.map(({ name }) => name);

it('finds people by a part of what they are called and by role, page by page', async () => {
  const { db } = shop.t;
  await affected(
    db,
    sql`update control.person set display_name = 'Bo Diddley', email = 'guitar@example.com'
      where name = 'bo'`,
  );
  expect(await names({ text: 'DIDD' })).toEqual(['bo']);
  expect(await names({ text: 'guitar@' })).toEqual(['bo']);
  expect(await names({ text: '%' })).toEqual([]);
  expect(await names({ role: 'approver' })).toEqual(['bo', 'both', 'cyd']);
  const all = await names({});
  const first = await adminPeople(db, {}, { limit: 4 });
  const rest = await adminPeople(db, {}, { limit: 50, cursor: first.nextCursor ?? '' });
  expect([...first.items, ...rest.items].map(({ name }) => name)).toEqual(all);
  const counts = await adminCounts(db);
  expect(counts).toMatchObject({ people: all.length, datasets: 1, sources: 1, budgets: 0 });
  expect(counts.roles).toMatchObject({ approver: 3, admin: 1 });
});

it('lists tokens newest first, with what they are good for now', async () => {
  const { db } = shop.t;
  const one = await createToken(as(db, 'root'), { person: 'ana', roles: ['owner'] });
  const two = await createToken(as(db, 'root'), { person: 'bo', roles: ['owner', 'approver'] });
  const first = await adminTokens(db, { revoked: false }, { limit: 1 });
  expect(first.items).toMatchObject([
    { id: two.id, person: 'bo', roles: ['approver', 'owner'], counts: ['approver'] },
  ]);
  const next = { limit: 1, cursor: first.nextCursor ?? '' };
  expect(await adminTokens(db, { revoked: false }, next)).toMatchObject({
    items: [{ id: one.id, createdBy: 'root', lastUsedAt: null, revokedAt: null }],
    nextCursor: null,
  });
  await revokeToken(as(db, 'root'), { id: one.id });
  expect((await adminTokens(db, { person: 'ana', revoked: false }, page)).items).toEqual([]);
  expect((await adminTokens(db, { person: 'ana', revoked: true }, page)).items).toHaveLength(1);
  expect(await adminCounts(db)).toMatchObject({ tokens: 1, revoked: 1 });
  const [bo] = (await adminPeople(db, { text: 'bo diddley' }, page)).items;
  expect(bo?.tokens).toEqual([['approver', 'owner']]);
});

it('names the releases under way and the signatures that stand on them', async () => {
  const { db } = shop.t;
  const signatures = async (name: string) =>
    (await adminPeople(db, {}, page)).items.find((person) => person.name === name)?.signatures;
  const release = await shop.w.rehearsed(fix());
  expect(await adminDatasets(db)).toMatchObject([
    { name: 'order_tax', source: 'orders', underWay: [release] },
  ]);
  expect(await adminSources(db)).toMatchObject([
    { name: 'orders', datasets: ['order_tax'], retentionDays: null },
  ]);
  expect(await signatures('bo')).toEqual([]);
  await shop.w.reconciled(release);
  await shop.w.sign(release);
  expect(await signatures('bo')).toContainEqual({ release, kind: 'cutover' });
  // without the role it does not count, and has nothing left to lose
  await affected(db, sql`delete from control.person_role where person = 'bo'`);
  expect(await signatures('bo')).toEqual([]);
});
