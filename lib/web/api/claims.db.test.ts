import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type * as z from 'zod';
import { affected, one } from '@/lib/db/client';
import type { TestDatabase } from '@/lib/testing/database';
import { fix, openShop, type Shop } from '@/lib/testing/shop';
import * as answers from '@/lib/web/api/answers';
import * as releaseAnswers from '@/lib/web/api/release-answers';
import { send, tokensOf } from '@/lib/web/api/test-client';
import { useWebDatabase } from '@/lib/web/db';

let t: TestDatabase;
let shop: Shop;
let tokens: Record<string, string> = {};
beforeAll(async () => {
  shop = await openShop();
  t = shop.t;
  useWebDatabase(t.connect('web'));
  tokens = await tokensOf(t.db, { ana: 'owner', dee: 'oncall', eve: 'auditor' });
});
afterAll(() => t.close());
beforeEach(async () => {
  await affected(t.db, sql`delete from control.claim`);
});

const path = '/datasets/order_tax/claims';
const at = (n: number) => `2011-01-0${n}T00:00:00Z`;
const post = (person: string, body: unknown, headers: Record<string, string> = {}) =>
  send('POST', path, { token: tokens[person], body, headers });
const parsed = <S extends z.ZodType>(
  schema: S,
  { status, body }: { status: number; body: unknown },
) => {
  expect(status).toBe(200);
  return schema.parse(body);
};

describe('claims of a dataset', () => {
  it('are granted and denied date by date, and the range that was read is echoed', async () => {
    const first = await post('ana', {
      from: '2011-01-04T01:00:00+01:00',
      to: at(6),
      owner: 'repair',
    });
    expect(parsed(answers.claim, first)).toEqual({
      dataset: 'order_tax',
      owner: 'repair',
      range: { from: at(4), to: at(6) },
      claimed: [at(4), at(5)],
      denied: [],
    });
    const second = await post('dee', { from: at(5), to: at(7) });
    expect(parsed(answers.claim, second)).toMatchObject({
      owner: 'dee',
      claimed: [at(6)],
      denied: [[at(5), 'repair']],
    });
    const list = await send('GET', `${path}?owner=repair`, { token: tokens.eve });
    expect(parsed(answers.claims, list)).toMatchObject({
      range: { from: null, to: null },
      claimed: [at(4), at(5)],
      denied: [[at(6), 'dee']],
      claims: [
        { from: at(4), to: at(6), partitions: 2, owner: 'repair', by: 'ana' },
        { from: at(6), to: at(7), partitions: 1, owner: 'dee', by: 'dee' },
      ],
    });
  });

  it.each(['body', 'query'])(
    'are let go of, one’s own only, with the range in the %s',
    async (where) => {
      await post('ana', { from: at(4), to: at(6), owner: 'repair' });
      await post('dee', { from: at(6), to: at(7), owner: 'nightly' });
      const range = { from: at(5), to: at(7), owner: 'repair' };
      const answer =
        where === 'body'
          ? await send('DELETE', path, { token: tokens.ana, body: range })
          : await send('DELETE', `${path}?${new URLSearchParams(range)}`, { token: tokens.ana });
      expect(parsed(answers.claimsReleased, answer)).toEqual({
        dataset: 'order_tax',
        owner: 'repair',
        range: { from: at(5), to: at(7) },
        released: [at(5)],
        claimed: [],
        denied: [[at(6), 'nightly']],
      });
    },
  );

  it('are made once under one key, and a first try that died is found', async () => {
    const body = { from: at(4), to: at(6), owner: 'repair' };
    const headers = { 'idempotency-key': 'k1' };
    const first = await post('ana', body, headers);
    await affected(
      t.db,
      sql`update control.idempotency set status = null, created_at = created_at - interval '1 hour',
          answer = jsonb_build_object('tries', jsonb_build_array((
            select request_id from control.audit_event where verb = 'dataset.claim'
            order by id desc limit 1)))
        where route = ${`POST /api/v1${path}`}`,
    );
    const again = await post('ana', body, headers);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(again.body).toEqual(first.body);
    const { count } = await one<{ count: number }>(
      t.db,
      sql`select count(*)::int as count from control.audit_event
        where verb = 'dataset.claim' and after ->> 'owner' = 'repair'
          and request_id = ${first.headers.get('x-request-id')}`,
    );
    expect(count).toBe(1);
  });

  it('are refused off the edges with the nearest ones, and under a release’s name', async () => {
    const off = await post('ana', { from: at(4), to: '2011-01-05T07:00:00Z' });
    expect(off).toMatchObject({ status: 422, body: { code: 'RANGE_NOT_ON_PARTITION_EDGE' } });
    expect(off.body).toMatchObject({
      pointer: '/to',
      issues: [{ edges: { before: at(5), after: at(6) } }],
    });
    const named = await post('ana', { from: at(4), to: at(5), owner: 'vat-fix@1' });
    expect(named).toMatchObject({ status: 422, body: { code: 'INVALID_NAME', pointer: '/owner' } });
    expect(await post('ana', { from: at(4) })).toMatchObject({
      status: 422,
      body: { code: 'REQUIRED', pointer: '/to' },
    });
    expect(await post('eve', { from: at(4), to: at(5) })).toMatchObject({ status: 403 });
    const nowhere = { token: tokens.ana, body: { from: at(4), to: at(5) } };
    expect((await send('POST', '/datasets/nothing/claims', nowhere)).status).toBe(404);
  });
});

it('partitions say by whom they are claimed, and a plan what is in its way', async () => {
  await post('dee', { from: at(5), to: at(7), owner: 'nightly' });
  const partitions = await send<z.output<typeof answers.partition>[]>(
    'GET',
    '/datasets/order_tax/partitions',
    { token: tokens.eve },
  );
  expect(partitions.body.map((each) => answers.partition.parse(each).claimedBy)).toEqual([
    null,
    null,
    null,
    'nightly',
    'nightly',
    null,
    null,
  ]);
  const release = await shop.w.draft(fix());
  const plan = await send('GET', `/releases/${release}/plan`, { token: tokens.eve });
  expect(releaseAnswers.plan.parse(plan.body).claims).toMatchObject([
    { from: at(5), to: at(7), owner: 'nightly', partitions: 2 },
  ]);
  await shop.w.move('ana', 'pin', release);
  const build = await send('POST', `/releases/${release}/build`, { token: tokens.ana });
  expect(build).toMatchObject({ status: 409, body: { code: 'RANGE_CLAIMED' } });
  expect(build.body.blockers).toMatchObject([{ code: 'RANGE_CLAIMED', kind: 'fix' }]);
});
