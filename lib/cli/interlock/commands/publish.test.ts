import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { FakeApi } from '@/lib/cli/interlock/fake-api';

let api: FakeApi;
beforeAll(async () => {
  api = await FakeApi.start();
});
afterAll(() => api.stop());
beforeEach(() => api.reset());

const range = { from: '2011-01-04T00:00:00Z', to: '2011-01-06T00:00:00Z' };
const publications = '/api/v1/datasets/orders/publications';
const item = {
  id: '7',
  dataset: 'orders',
  range,
  sentTo: 'tax\u001b[31m office\n',
  document: null,
  by: 'ana',
  at: '2011-02-01T10:00:00Z',
  partitions: 2,
};

describe('publish', () => {
  it('sends the range, to whom and by which document, under a key', async () => {
    const body = { ...item, sealed: [range.from, 'x'], already: ['y'], rows: 12345 };
    api.replies[`POST ${publications}`] = [201, body];
    const { code, out } = await api.interlock(
      ...['publish', 'orders', '2011-01-04T01:00:00+01:00', range.to],
      ...['--sent-to', 'tax office', '--document', 'return-1'],
    );
    expect(code).toBe(0);
    expect(api.calls[0]?.body).toEqual({ ...range, sentTo: 'tax office', document: 'return-1' });
    expect(api.calls[0]?.headers).toHaveProperty('idempotency-key');
    expect(out).toContain(`range          [${range.from}, ${range.to})\n`);
    expect(out).toContain('sealed         2 partitions, 12,345 rows\n');
    expect(out).toContain('sealed before  1 partitions\n');
    expect(out).not.toContain('\u001b');
  });

  it('exits with 3 where it is refused, and prints the blockers', async () => {
    const blockers = [{ code: 'RELEASE_OVERLAP', kind: 'wait', message: 'vat-fix@1 is BUILDING.' }];
    api.replies[`POST ${publications}`] = [409, { code: 'RELEASE_OVERLAP', blockers }];
    const { code, out, said } = await api.interlock('publish', 'orders', range.from, range.to);
    expect([code, out]).toEqual([3, '']);
    expect(said).toContain('wait  RELEASE_OVERLAP  vat-fix@1 is BUILDING.');
    expect(api.calls[0]?.body).toEqual(range);
  });

  it('list shows what was published, or that nothing was; --json as it came', async () => {
    api.replies[`GET ${publications}`] = [
      [200, { items: [item], nextCursor: 'c' }],
      [200, { items: [], nextCursor: null }],
      [200, '{"items":[], "nextCursor":null}'],
    ];
    const { out } = await api.interlock('publish', 'list', 'orders');
    expect(out).toMatch(/AT +BY +FROM +TO +SEALED +SENT TO +DOCUMENT\n/);
    expect(out).toContain('tax [31m office');
    expect(out).toContain('more: --cursor c\n');
    expect((await api.interlock('publish', 'list', 'orders')).out).toBe(
      'nothing of orders was published\n',
    );
    const json = await api.interlock('publish', 'list', 'orders', '--json', '--limit', '3');
    expect(json.out).toBe('{"items":[], "nextCursor":null}\n');
    expect(api.calls[2]?.url).toContain('limit=3');
  });
});
