import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { GET as healthz } from '@/app/healthz/route';
import { GET as metrics } from '@/app/metrics/route';
import { GET as readyz } from '@/app/readyz/route';
import { connect } from '@/lib/db/client';
import { type TestDatabase, testDatabase } from '@/lib/testing/database';
import { event, World } from '@/lib/testing/world';
import { send } from '@/lib/web/api/test-client';
import { useWebDatabase } from '@/lib/web/db';

vi.stubEnv('LOG_LEVEL', 'silent');
vi.stubEnv('AUTH_SECRET', 'a secret of this test only');

let t: TestDatabase;
beforeAll(async () => {
  t = await testDatabase();
  useWebDatabase(t.connect('web'));
});
afterAll(() => t.close());

it('counts requests, and says how far each dataset is behind its log', async () => {
  const world = new World(t.db);
  await world.shop();
  await world.append([event({ line: 'a', at: '2011-01-04T09:00:00Z' })]);
  await send('GET', '/sources');
  const response = await metrics();
  expect(response.headers.get('content-type')).toContain('text/plain');
  const text = await response.text();
  for (const line of [
    'interlock_http_requests_total{route="/sources",method="GET",status="401"} 1',
    'interlock_ingress_epoch{dataset="order_tax"} 1',
    'interlock_ingress_sealed{dataset="order_tax"} 0',
    'interlock_buffered_events{dataset="order_tax"} 1',
    'interlock_quarantined_events{dataset="order_tax"} 0',
    'interlock_running_attempts 0',
  ]) {
    expect(text.split('\n')).toContain(line);
  }
  expect(text).toMatch(/interlock_live_lag_seconds\{dataset="order_tax"\} [0-9.e-]+\n/);
});

it('is ready with the database, alive without it', async () => {
  expect((await readyz()).status).toBe(200);
  const gone = connect('postgres://nobody:x@127.0.0.1:1/none', { role: 'web', max: 1 });
  useWebDatabase(gone);
  const response = await readyz();
  expect([response.status, healthz().status]).toEqual([503, 200]);
  expect(await response.text()).not.toContain('127.0.0.1');
  expect((await metrics()).status).toBe(503);
  const busy = await send('GET', '/sources', { token: `ilk_${'A'.repeat(43)}` });
  expect([busy.status, busy.body.code]).toEqual([503, 'BUSY']);
  expect(busy.headers.get('retry-after')).toBe('1');
});
