import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { FakeApi } from '@/lib/cli/interlock/fake-api';

let api: FakeApi;
beforeAll(async () => {
  api = await FakeApi.start();
});
afterAll(() => api.stop());
beforeEach(() => api.reset());

const url = 'https://example.org/in';
const delivery = {
  subscriber: 'office',
  state: 'DELIVERED',
  attempts: 1,
  nextAttemptAt: null,
  status: 200,
  error: null,
  deliveredAt: '2026-01-01T00:00:01Z',
};
const notice = {
  id: '6b2f3d2e-1f7a-4a55-9a53-1a8d3a6d0c11',
  kind: 'CUTOVER',
  dataset: 'orders',
  subject: 'fix@1',
  at: '2026-01-01T00:00:00Z',
  body: {},
  deliveries: [delivery, { ...delivery, subscriber: 'audit', state: 'FAILED', deliveredAt: null }],
};

describe('subscriber', () => {
  it('add prints the secret alone to stdout, once', async () => {
    api.replies['POST /api/v1/subscribers'] = [201, { name: 'office', secret: 'ils_x' }];
    const { code, out, said } = await api.interlock(
      ...['subscriber', 'add', 'office', url, '--dataset', 'orders'],
      ...['--kind', 'CUTOVER', '--kind', 'PUBLISHED'],
    );
    expect([code, out]).toEqual([0, 'ils_x\n']);
    expect(said).toContain('shown once');
    expect(api.calls[0]?.body).toEqual({
      name: 'office',
      url,
      dataset: 'orders',
      kinds: ['CUTOVER', 'PUBLISHED'],
    });
  });

  it('add takes no kind that nobody can ask for', async () => {
    const { code, said } = await api.interlock('subscriber', 'add', 'x', url, '--kind', 'TEST');
    expect(code).toBe(2);
    expect(said).toContain('CUTOVER');
    expect(api.calls).toEqual([]);
  });

  it('list says what each is told of, and how the last one went', async () => {
    const last = { ...delivery, id: notice.id, kind: 'CUTOVER', subject: 'fix@1', at: notice.at };
    const office = {
      ...{ name: 'office', dataset: null, kinds: [], url, endedAt: null },
      ...{ waiting: 0, delivered: 1, failed: 2, last },
    };
    api.replies['GET /api/v1/subscribers'] = [
      [200, { items: [office], nextCursor: null }],
      [200, { items: [], nextCursor: null }],
    ];
    const { out } = await api.interlock('subscriber', 'list');
    expect(out).toMatch(/office +every +all +CUTOVER delivered 2026-01-01T00:00:01Z +0 +2 +https/);
    expect((await api.interlock('subscriber', 'list')).out).toBe('nobody is told of anything\n');
  });

  it('test and end say what they did', async () => {
    api.replies['POST /api/v1/subscribers/office/test'] = [201, { ...notice, kind: 'TEST' }];
    api.replies['DELETE /api/v1/subscribers/office'] = [204, ''];
    expect((await api.interlock('subscriber', 'test', 'office')).out).toBe(
      `test ${notice.id} is on its way to office\n`,
    );
    expect((await api.interlock('subscriber', 'end', 'office')).out).toBe('office is ended\n');
  });
});

it('notice list shows each notice with its deliveries', async () => {
  api.replies['GET /api/v1/datasets/orders/notices'] = [
    [200, { items: [notice], nextCursor: 'abc' }],
    [200, { items: [], nextCursor: null }],
  ];
  const { out } = await api.interlock('notice', 'list', 'orders');
  expect(out).toContain('office DELIVERED, audit FAILED');
  expect(out).toContain('more: --cursor abc');
  expect((await api.interlock('notice', 'list', 'orders')).out).toBe(
    'nothing was told of orders\n',
  );
});
