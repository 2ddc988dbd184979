import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { FakeApi } from '@/lib/cli/interlock/fake-api';

let api: FakeApi;
beforeAll(async () => {
  api = await FakeApi.start();
});
afterAll(() => api.stop());
beforeEach(() => api.reset());

const range = { from: '2011-01-04T00:00:00Z', to: '2011-01-06T00:00:00Z' };
const answer = {
  dataset: 'orders',
  owner: 'nightly',
  range,
  claimed: [range.from],
  denied: [] as [string, string][],
};

describe('claim add', () => {
  it('claims under a name, with a key against doing it twice', async () => {
    api.replies['POST /api/v1/datasets/orders/claims'] = [200, answer];
    const { code, out } = await api.interlock(
      ...['claim', 'add', 'orders', '2011-01-04T01:00:00+01:00', range.to, '--owner', 'nightly'],
    );
    expect([code, out]).toEqual([0, `nightly holds 1 partition in [${range.from}, ${range.to})\n`]);
    expect(api.calls[0]?.body).toEqual({ ...range, owner: 'nightly' });
    expect(api.calls[0]?.headers).toHaveProperty('idempotency-key');
  });

  it('exits with 3 where others hold any, and says who', async () => {
    const denied = [['2011-01-05T00:00:00Z', 'vat-fix@1']];
    api.replies['POST /api/v1/datasets/orders/claims'] = [200, { ...answer, denied }];
    const { code, out } = await api.interlock('claim', 'add', 'orders', range.from, range.to);
    expect(code).toBe(3);
    expect(out).toContain('2011-01-05T00:00:00Z is claimed by vat-fix@1\n');
  });
});

it('claim release lets go, and says what is others’', async () => {
  api.replies['DELETE /api/v1/datasets/orders/claims'] = [
    200,
    { ...answer, claimed: [], released: [range.from], denied: [['2011-01-05T00:00:00Z', 'ops']] },
  ];
  const { code, out } = await api.interlock(
    ...['claim', 'release', 'orders', range.from, range.to, '--owner', 'nightly'],
  );
  expect(code).toBe(0);
  expect(out).toBe(
    `nightly let go of 1 partition in [${range.from}, ${range.to})\n2011-01-05T00:00:00Z is claimed by ops\n`,
  );
  const { searchParams } = new URL(api.calls[0]?.url ?? '', 'http://x');
  expect(Object.fromEntries(searchParams)).toEqual({ ...range, owner: 'nightly' });
});

it('claim list shows each range with its owner, or that there is none', async () => {
  const since = '2011-02-01T10:00:00Z';
  const claims = [{ ...range, partitions: 2, owner: 'nightly', by: 'dee', since }];
  api.replies['GET /api/v1/datasets/orders/claims'] = [
    [200, { ...answer, claims }],
    [200, { ...answer, claims: [] }],
  ];
  const { out } = await api.interlock('claim', 'list', 'orders');
  expect(out).toMatch(/FROM +TO +PARTITIONS +OWNER +BY +SINCE\n/);
  expect(out).toContain('nightly');
  expect((await api.interlock('claim', 'list', 'orders')).out).toBe(
    'no partition of orders is claimed\n',
  );
});
