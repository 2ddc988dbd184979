import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { FakeApi } from '@/lib/cli/interlock/fake-api';

let api: FakeApi;
beforeAll(async () => {
  api = await FakeApi.start();
});
afterAll(() => api.stop());
beforeEach(() => api.reset());

const at = '2011-07-04T23:00:00Z';
const figures = (net: string, rows = 1) => ({
  rows,
  sums: { net },
  partials: { tax: '0.20', least: '1' },
  root: `sha256:${'0'.repeat(64)}`,
});
const item = {
  id: '3',
  dataset: 'orders',
  partition: { start: at, end: '2011-07-05T23:00:00Z', label: '[5 July, 6 July) Europe/London' },
  kind: 'cutover',
  release: 'vat-fix@1',
  before: figures('90071992547409931.01'),
  after: figures('90071992547409931.02', 3),
  delta: { rows: 2, sums: { net: '0.01' }, partials: { tax: '0.00' } },
  reason: 'rate\nrepaired',
  by: 'dee',
  at: '2011-08-01T10:00:00Z',
};
const dataset = { timezone: 'Europe/London', partition: 'day' };
const base = '/api/v1/datasets/orders';

describe('amend', () => {
  it('takes a date in the dataset’s zone, and shows what changed', async () => {
    api.replies[`GET ${base}`] = [200, dataset];
    api.replies[`POST ${base}/amendments`] = [201, { ...item, kind: 'amend', release: null }];
    const { code, out } = await api.interlock(
      ...['amend', 'orders', '2011-07-05', '--reason', 'late orders'],
    );
    expect(code).toBe(0);
    expect(api.calls[1]?.body).toEqual({ partition: at, reason: 'late orders' });
    expect(out).toMatch(/FIGURE +BEFORE +AFTER +DIFFERENCE\n/);
    expect(out).toMatch(/rows +1 +3 +\+2\n/);
    expect(out).toMatch(/conserved net +90071992547409931\.01 +90071992547409931\.02 +\+0\.01\n/);
    expect(out).toMatch(/rollup least +1 +1 +–\n/);
  });

  it.each([
    ['day', '2011-07-05 13:30', at],
    ['month', '2011-07-05', '2011-06-30T23:00:00Z'],
    ['week', '2011-07-05', '2011-07-03T23:00:00Z'],
    ['hour', '2011-07-05 13:30', '2011-07-05T12:00:00Z'],
  ])('finds the %s that holds it: %s', async (partition, text, start) => {
    api.replies[`GET ${base}`] = [200, { ...dataset, partition }];
    api.replies[`POST ${base}/amendments`] = [201, item];
    await api.interlock('amend', 'orders', text, '--reason', 'x');
    expect(api.calls[1]?.body).toEqual({ partition: start, reason: 'x' });
  });

  it('asks nothing where an instant is given, and guesses nothing', async () => {
    api.replies[`POST ${base}/amendments`] = [201, item];
    await api.interlock('amend', 'orders', '2011-07-05T00:00:00+01:00', '--reason', 'x');
    expect(api.calls.map(({ body }) => body)).toEqual([{ partition: at, reason: 'x' }]);
    for (const [partition, text] of [
      ['day', '2011-02-30'],
      ['day', 'yesterday'],
      ['day', '2011-10-30 01:30'],
      ['day', '1815-06-18'],
      ['hour', '2011-07-05'],
    ] as const) {
      api.reset();
      api.replies[`GET ${base}`] = [200, { ...dataset, partition }];
      const { code, said } = await api.interlock('amend', 'orders', text, '--reason', 'x');
      expect([text, code]).toEqual([text, 2]);
      expect(said).not.toBe('');
      expect(api.calls.every(({ method }) => method === 'GET')).toBe(true);
    }
  });
});

describe('correction list', () => {
  it('shows each with its difference; a filter is passed on', async () => {
    api.replies[`GET ${base}/corrections`] = [
      [200, { items: [item], nextCursor: 'c' }],
      [200, { items: [], nextCursor: null }],
    ];
    const { out } = await api.interlock(
      ...['correction', 'list', 'orders', '--from', at, '--kind', 'cutover', '--by', 'dee'],
    );
    expect(out).toContain('cutover vat-fix@1');
    expect(out).toContain('rows +2, net +0.01');
    expect(out).toContain('rate repaired');
    const { searchParams } = new URL(api.calls[0]?.url ?? '', 'http://x');
    expect(Object.fromEntries(searchParams)).toEqual({
      from: at,
      kind: 'cutover',
      by: 'dee',
      limit: '100',
    });
    expect((await api.interlock('correction', 'list', 'orders')).out).toBe(
      'no correction of orders\n',
    );
  });

  const csv = 'id,reason\r\n1,"ä, ""b"""\r\n';
  const sha = createHash('sha256').update(csv);
  const hash = sha.digest();
  const headers = { 'content-digest': `sha-256=:${hash.toString('base64')}:` };

  it('writes a file as it came and its digest on stderr', async () => {
    api.replies[`GET ${base}/corrections`] = [200, csv, headers];
    const { code, out, said } = await api.interlock(
      ...['correction', 'list', 'orders', '--format', 'csv'],
    );
    expect([code, out, said]).toEqual([0, csv, `sha256:${hash.toString('hex')}\n`]);
    const file = path.join(api.folder, 'out.csv');
    const written = await api.interlock(
      ...['correction', 'list', 'orders', '--format', 'csv', '--out', file],
    );
    expect([written.code, written.out]).toEqual([0, '']);
    expect(await readFile(file, 'utf8')).toBe(csv);
    const nowhere = path.join(api.folder, 'no', 'out.csv');
    const failed = await api.interlock(
      ...['correction', 'list', 'orders', '--format', 'csv', '--out', nowhere],
    );
    expect(failed.code).toBe(1);
  });

  it('fails where the bytes are others than the server sent, or not all', async () => {
    api.replies[`GET ${base}/corrections`] = [
      [200, `${csv} `, headers],
      [200, csv],
      [200, csv, { ...headers, 'x-interlock-cut': 'true' }],
    ];
    for (const expected of ['', '', csv]) {
      const { code, out, said } = await api.interlock(
        ...['correction', 'list', 'orders', '--format', 'csv'],
      );
      expect([code, out]).toEqual([1, expected]);
      expect(said).toMatch(/differs|more corrections/);
    }
  });
});

it('correction history shows as published and as of now, the chain, and what is pending', async () => {
  const history = {
    dataset: 'orders',
    partition: item.partition,
    publications: [
      { at, by: 'ana', sentTo: 'tax office', document: null, sealed: true, range: {} },
    ],
    published: item.before,
    asOfNow: item.after,
    delta: item.delta,
    corrections: [item],
    addsUp: true,
    pending: {
      count: 1,
      since: '2011-08-02T00:00:00Z',
      events: [{ kind: 'removed', sourceKey: 'l1', shard: 2, offset: '9' }],
    },
  };
  const place = `GET ${base}/partitions/${encodeURIComponent(at)}/history`;
  api.replies[place] = [
    [200, history],
    [200, { ...history, addsUp: false, pending: { count: 0, since: null, events: [] } }],
  ];
  const { out } = await api.interlock('correction', 'history', 'orders', at);
  expect(out).toMatch(/FIGURE +AS PUBLISHED +AS OF NOW +DIFFERENCE\n/);
  expect(out).toContain('the corrections add up');
  expect(out).toContain(
    '1 pending since 2011-08-02T00:00:00Z\n  removed  l1  (offset 9 of shard 2)',
  );
  const broken = await api.interlock('correction', 'history', 'orders', at);
  expect(broken.out).toContain('DO NOT ADD UP');
  expect(broken.out).toContain('nothing is pending');
});
