import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type * as z from 'zod';
import { affected } from '@/lib/db/client';
import type { TestDatabase } from '@/lib/testing/database';
import { fix, openShop, type Shop } from '@/lib/testing/shop';
import * as answers from '@/lib/web/api/answers';
import { send, tokensOf } from '@/lib/web/api/test-client';
import { useWebDatabase } from '@/lib/web/db';

let t: TestDatabase;
let shop: Shop;
let release = '';
let tokens: Record<string, string> = {};
beforeAll(async () => {
  shop = await openShop();
  t = shop.t;
  useWebDatabase(t.connect('web'));
  tokens = await tokensOf(t.db, { ana: 'owner', dee: 'oncall', eve: 'auditor', reader: 'reader' });
  release = await shop.w.rehearsed(fix());
});
afterAll(() => t.close());

const path = '/datasets/order_tax';
const at = (n: number) => `2011-01-0${n}T00:00:00Z`;
const range = { from: at(4), to: '2011-01-06T01:00:00+01:00' };
const post = (person: string, where: string, body: unknown, headers: Record<string, string> = {}) =>
  send('POST', where, { token: tokens[person], body, headers });
const get = (where: string, person = 'eve') => send('GET', where, { token: tokens[person] });
const read = async <S extends z.ZodType>(schema: S, where: string, person = 'eve') => {
  const { status, body } = await get(where, person);
  expect([where, status]).toEqual([where, 200]);
  return schema.parse(body) as z.output<S>;
};

const mark = (more: Record<string, unknown> = {}, headers: Record<string, string> = {}) =>
  post('ana', `${path}/contaminations`, { ...range, reason: 'the old rate', ...more }, headers);

describe('a mark', () => {
  it('is made once under one key, also where the first answer was lost', async () => {
    const headers = { 'idempotency-key': 'm1' };
    const first = await mark({ servedSince: at(7), repairedBy: 'vat-fix' }, headers);
    expect(first.status).toBe(201);
    expect(answers.contamination.parse(first.body)).toMatchObject({
      dataset: 'order_tax',
      from: at(4),
      to: at(6),
      reason: 'the old rate',
      servedSince: at(7),
      markedBy: 'ana',
      repairedBy: 'vat-fix',
      standing: true,
      repairing: { release, state: 'BUILDING' },
      turns: [],
    });
    await affected(
      t.db,
      sql`update control.idempotency set status = null, created_at = created_at - interval '1 hour',
          answer = jsonb_build_object('tries', jsonb_build_array((
            select request_id from control.audit_event where verb = 'dataset.mark-contaminated'
            order by id desc limit 1)))
        where route = ${`POST /api/v1${path}/contaminations`}`,
    );
    const again = await mark({ servedSince: at(7), repairedBy: 'vat-fix' }, headers);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect((again.body as { id: string }).id).toBe((first.body as { id: string }).id);
    expect((await read(answers.dataset, path)).contaminated).toHaveLength(1);
  });

  it('is refused with the place of each fault, and with what stands in its way', async () => {
    const off = await mark({ to: '2011-01-06T07:00:00Z' });
    expect([off.status, off.body]).toMatchObject([422, { code: 'RANGE_NOT_ON_PARTITION_EDGE' }]);
    const bare = await post('ana', `${path}/contaminations`, range);
    expect([bare.status, bare.body]).toMatchObject([
      422,
      { code: 'REQUIRED', issues: [{ pointer: '/reason' }] },
    ]);
    const outside = await mark({ from: at(3), repairedBy: 'vat-fix' });
    expect([outside.status, outside.body]).toMatchObject([
      409,
      { code: 'RANGE_NOT_COVERED', blockers: [{ kind: 'fix', link: `/releases/${release}` }] },
    ]);
    expect((await post('eve', `${path}/contaminations`, {})).status).toBe(403);
    expect((await post('ana', '/datasets/nothing/contaminations', range)).status).toBe(422);
    expect((await get('/datasets/nothing/contaminations')).status).toBe(404);
    expect((await get('/contaminations/x')).status).toBe(404);
  });
});

describe('what is read of it', () => {
  it('carries the warning in body and head, and none where nothing is wrong', async () => {
    const wrong = await get(`${path}/rows?from=${at(2)}&to=${at(5)}`, 'reader');
    expect(wrong.headers.get('x-interlock-warning')).toBe('CONTAMINATED');
    expect(answers.rowsPage.parse(wrong.body).warnings).toEqual([
      {
        code: 'CONTAMINATED',
        from: at(4),
        to: at(6),
        reason: 'the old rate',
        servedSince: at(7),
        repairedBy: 'vat-fix',
      },
    ]);
    const right = await get(`${path}/rows?from=${at(6)}`, 'reader');
    expect(right.headers.get('x-interlock-warning')).toBeNull();
    expect(answers.rowsPage.parse(right.body).warnings).toEqual([]);
  });

  it('is said by rollups and partitions too', async () => {
    const rollup = await get(`${path}/rollup?from=${at(5)}&to=${at(6)}`, 'reader');
    expect(rollup.headers.get('x-interlock-warning')).toBe('CONTAMINATED');
    expect(answers.rollup.parse(rollup.body).warnings).toHaveLength(1);
    const beside = await get(`${path}/rollup?from=${at(6)}&to=${at(7)}`, 'reader');
    expect(beside.headers.get('x-interlock-warning')).toBeNull();
    expect(answers.rollup.parse(beside.body).warnings).toEqual([]);
    const { body } = await get(`${path}/partitions`);
    const flagged = (body as unknown as unknown[])
      .map((each) => answers.partition.parse(each))
      .filter((each) => each.contaminated);
    expect(flagged.map((each) => each.start)).toEqual([at(4), at(5)]);
  });
});

it('a mark is linked, lifted by the cutover, and then not linked again', async () => {
  const made = await mark();
  const { id } = made.body as { id: string };
  const linked = await post('dee', `/contaminations/${id}/link`, { release: 'vat-fix' });
  expect([linked.status, linked.body]).toMatchObject([200, { repairedBy: 'vat-fix' }]);
  await shop.w.reconciled(release);
  await shop.w.sign(release);
  await shop.w.move('dee', 'activate', release);
  expect((await read(answers.dataset, path)).contaminated).toEqual([]);
  expect((await get(`${path}/rows`, 'reader')).headers.get('x-interlock-warning')).toBeNull();
  const again = await post('dee', `/contaminations/${id}/link`, { release: 'vat-fix' });
  expect([again.status, again.body]).toMatchObject([
    409,
    { code: 'CONTAMINATION_LIFTED', blockers: [{ kind: 'fix' }] },
  ]);
  const one = await read(answers.contamination, `/contaminations/${id}`);
  expect(one).toMatchObject({
    standing: false,
    turns: [
      { kind: 'LINKED', release: 'vat-fix', by: 'dee' },
      { kind: 'LIFTED', release, by: 'dee', reason: null },
    ],
  });
});

it('a mark is lifted by hand, and listed by whether it stands', async () => {
  const { id } = (await mark({ from: at(7), to: at(8) })).body as { id: string };
  expect((await post('ana', `/contaminations/${id}/lift`, {})).status).toBe(422);
  const standing = async (query: string) =>
    ((await get(`${path}/contaminations?${query}`)).body as { items: { id: string }[] }).items.map(
      (item) => item.id,
    );
  expect(await standing('standing=true')).toEqual([id]);
  expect(await standing('standing')).toEqual([id]);
  const lifted = await post('ana', `/contaminations/${id}/lift`, { reason: 'it was right' });
  expect([lifted.status, lifted.body]).toMatchObject([200, { standing: false }]);
  expect(await standing('standing=true')).toEqual([]);
  expect(await standing('standing=false')).toHaveLength(3);
  const first = await get(`${path}/contaminations?limit=2`);
  const { nextCursor } = first.body as { nextCursor: string };
  expect(await standing(`limit=2&cursor=${nextCursor}`)).toHaveLength(1);
});
