import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { affected } from '@/lib/db/client';
import { cutoverPage } from '@/lib/queries/cutover-view';
import { toldOf } from '@/lib/queries/notices';
import { oncallPage } from '@/lib/queries/oncall-view';
import { subscriberStamp } from '@/lib/queries/stamp';
import { deliverDue } from '@/lib/services/notices/deliver';
import type { TestDatabase } from '@/lib/testing/database';
import { fix, openShop, type Shop } from '@/lib/testing/shop';
import { listOf } from '@/lib/web/api/fields';
import * as answers from '@/lib/web/api/notice-answers';
import { send, tokensOf } from '@/lib/web/api/test-client';
import { useWebDatabase } from '@/lib/web/db';

let t: TestDatabase;
let shop: Shop;
let tokens: Record<string, string> = {};
const url = 'https://example.org/in?key=abc';
const dataset = 'order_tax';

beforeAll(async () => {
  shop = await openShop();
  t = shop.t;
  useWebDatabase(t.connect('web'));
  tokens = await tokensOf(t.db, { root: 'admin', eve: 'auditor', reader: 'reader' });
});
afterAll(() => t.close());

const ask = (person: string, path: string) => send('GET', path, { token: tokens[person] });
const post = (path: string, body: unknown = {}, headers: Record<string, string> = {}) =>
  send('POST', path, { token: tokens.root, body, headers });

it('a subscriber is added once, its secret in that answer alone', async () => {
  const body = { name: 'office', dataset, url, kinds: ['CUTOVER', 'ROLLED_BACK'] };
  const key = { 'idempotency-key': 'one' };
  const made = await post('/subscribers', body, key);
  expect(made.status).toBe(201);
  const { secret } = answers.newSubscriber.parse(made.body);
  // asked again with the same key it is the same answer, and not another subscriber
  expect((await post('/subscribers', body, key)).text).toBe(made.text);
  expect(await post('/subscribers', body)).toMatchObject({
    status: 409,
    body: { code: 'ALREADY_EXISTS' },
  });
  const list = await ask('root', '/subscribers');
  expect(listOf(answers.subscriber).parse(list.body).items).toMatchObject([
    { name: 'office', dataset, url, kinds: ['CUTOVER', 'ROLLED_BACK'], last: null, failed: 0 },
  ]);
  expect(list.text).not.toContain(secret);
  // others do not see what may be a key
  const seen = await ask('eve', '/subscribers');
  expect(seen.body.items).toMatchObject([{ url: 'https://example.org/in?…' }]);
  expect((await ask('reader', '/subscribers')).status).toBe(403);
});

it('says what is wrong where it is', async () => {
  const wrong = await post('/subscribers', {
    name: 'Office 1',
    url: 'ftp://example.org/',
    kinds: ['TEST'],
    secret: 'mine',
  });
  expect(wrong).toMatchObject({ status: 422, body: { issues: expect.any(Array) } });
  const pointers = (wrong.body.issues as { pointer: string }[]).map(({ pointer }) => pointer);
  expect(pointers.sort()).toEqual(['/kinds/0', '/name', '/secret', '/url']);
  expect((await post('/subscribers', { name: 'x', url, dataset: 'nothing' })).status).toBe(404);
});

it('is changed, tested and told, and each page counts whom a switch has reached', async () => {
  const changed = await send('PATCH', '/subscribers/office', {
    token: tokens.root,
    body: { url: 'http://127.0.0.1:1/' },
  });
  expect(answers.subscriber.parse(changed.body)).toMatchObject({ url: 'http://127.0.0.1:1/' });
  const stamp = (await subscriberStamp(t.db)).stamp;
  const test = await post('/subscribers/office/test');
  expect([test.status, answers.notice.parse(test.body)]).toMatchObject([
    201,
    { kind: 'TEST', dataset, deliveries: [{ subscriber: 'office', state: 'WAITING' }] },
  ]);
  expect((await subscriberStamp(t.db)).stamp).not.toBe(stamp);

  const release = await shop.w.rehearsed(fix());
  await shop.w.reconciled(release);
  await shop.w.sign(release);
  expect((await cutoverPage(t.db, release, 'dee')).cutover).toBeNull();
  await post('/subscribers', { name: 'all', url });
  await shop.w.move('dee', 'activate', release);
  const told = async () => (await cutoverPage(t.db, release, 'dee')).cutover?.told;
  expect(await told()).toEqual({ total: 2, delivered: 0, waiting: 2, failed: 0 });
  await deliverDue(t.db, {
    post: async ({ url: to }) =>
      to === url
        ? { delivered: true, status: 200 }
        : { delivered: false, status: 503, error: 'It answered 503.' },
  });
  expect(await told()).toEqual({ total: 2, delivered: 1, waiting: 1, failed: 0 });
  await shop.w.move('dee', 'rollback', release);
  await shop.w.work(release);
  const { releases } = await oncallPage(t.db);
  expect(releases[0]?.rollback?.told).toEqual({ total: 2, delivered: 0, waiting: 2, failed: 0 });
  expect(await toldOf(t.db, { dataset, kind: 'CUTOVER', release: 'other@1' })).toBeNull();

  const first = await ask('eve', `/datasets/${dataset}/notices?limit=2`);
  const page = listOf(answers.notice).parse(first.body);
  expect(page.items).toMatchObject([
    { kind: 'ROLLED_BACK', subject: release },
    {
      kind: 'CUTOVER',
      subject: release,
      deliveries: [
        { subscriber: 'all', state: 'DELIVERED', status: 200, error: null },
        { subscriber: 'office', state: 'WAITING', attempts: 1, status: 503 },
      ],
    },
  ]);
  const next = await ask('eve', `/datasets/${dataset}/notices?limit=2&cursor=${page.nextCursor}`);
  expect(next.body).toMatchObject({ items: [{ kind: 'TEST' }], nextCursor: null });
  expect((await ask('eve', '/datasets/nothing/notices')).status).toBe(404);
});

it('is sent again what was given up, and told nothing more once ended', async () => {
  await affected(
    t.db,
    sql`update control.notice_delivery set state = 'FAILED' where subscriber = 'office'`,
  );
  const list = await ask('root', '/subscribers');
  const [, office] = list.body.items as { failures: string[] }[];
  const failures = office?.failures ?? [];
  expect(failures).toHaveLength(3);
  const path = `/notices/${failures[0]}/resend`;
  const again = await post(path, { subscriber: 'office' });
  expect([again.status, answers.notice.parse(again.body).deliveries[1]]).toMatchObject([
    200,
    { subscriber: 'office', state: 'WAITING', attempts: 0 },
  ]);
  expect(await post(path, { subscriber: 'office' })).toMatchObject({
    status: 409,
    body: { code: 'DELIVERY_NOT_FAILED', blockers: [{ kind: 'wait' }] },
  });
  const end = () => send('DELETE', '/subscribers/office', { token: tokens.root });
  expect([(await end()).status, (await end()).status]).toEqual([204, 204]);
  expect((await post('/subscribers/office/test')).body.code).toBe('SUBSCRIBER_ENDED');
  expect((await post(path, { subscriber: 'nobody' })).status).toBe(404);
  expect((await post('/notices/x/resend', { subscriber: 'office' })).status).toBe(404);
  const after = listOf(answers.subscriber).parse((await ask('root', '/subscribers')).body);
  expect(after.items[1]).toMatchObject({ endedBy: 'root', waiting: 0 });
});
