import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { FakeApi } from '@/lib/cli/interlock/fake-api';
import { throwAwayFolder } from '@/lib/testing/throw-away';

let api: FakeApi;
beforeAll(async () => {
  api = await FakeApi.start();
});
afterAll(() => api.stop());
beforeEach(() => api.reset());

const at = '2011-02-01T10:00:00Z';
const report = {
  id: '7',
  dataset: 'orders',
  name: 'VAT by month',
  sql: 'select count(*)\n  as n from orders',
  digest: `sha256:${'a'.repeat(64)}`,
  limitSeconds: 30,
  madeBy: 'ana',
  madeAt: at,
  endedAt: null,
};
const side = (generation: string) => ({
  generation,
  rows: '2',
  root: `sha256:${'b'.repeat(64)}`,
  millis: 1_250,
});
const read = {
  id: '9',
  state: 'COMPARED',
  askedBy: 'bo',
  askedAt: at,
  startedAt: at,
  endedAt: at,
  why: null,
  compared: {
    old: side('g1'),
    new: side('g2'),
    columns: ['day', 'tax'],
    differing: '3',
    sample: [
      { old: ['4', '1.75'], new: ['4', '2.00'] },
      { old: null, new: ['5', null] },
    ],
    eventsApart: '12',
  },
};

it('report save sends the SQL of a file', async () => {
  const file = path.join(await throwAwayFolder(), 'vat.sql');
  await writeFile(file, report.sql);
  api.replies['POST /api/v1/datasets/orders/reports'] = [201, report];
  const { code, out } = await api.interlock(
    ...['report', 'save', 'orders', 'VAT by month', '-f', file, '--limit', '60'],
  );
  expect(code).toBe(0);
  expect(out).toMatch(/^report +7\n/);
  expect(api.calls[0]?.body).toEqual({ name: report.name, sql: report.sql, limitSeconds: 60 });
});

it('report save says which file cannot be read', async () => {
  const { code, said } = await api.interlock('report', 'save', 'orders', 'x', '-f', '/no/file');
  expect([code, api.calls]).toEqual([2, []]);
  expect(said).toContain('/no/file cannot be read');
});

it('report list and end', async () => {
  api.replies['GET /api/v1/datasets/orders/reports'] = [200, { items: [report] }];
  const { out } = await api.interlock('report', 'list', 'orders');
  expect(out).toMatch(/^REPORT +NAME +LIMIT/);
  expect(out).toContain('select count(*) as n from orders');
  api.replies['GET /api/v1/datasets/orders/reports'] = [200, { items: [] }];
  expect((await api.interlock('report', 'list', 'orders')).out).toBe(
    'no report of orders is saved\n',
  );
  api.replies['POST /api/v1/reports/7/end'] = [200, { ...report, endedAt: at }];
  expect((await api.interlock('report', 'end', '7')).out).toMatch(/ended +2011-02-01/);
});

it('release shadow prints what differs, side by side, and how much more', async () => {
  api.replies['GET /api/v1/releases/fix%402/shadow'] = [
    200,
    {
      items: [
        { report, read },
        { report: { ...report, id: '8' }, read: null },
      ],
    },
  ];
  const { code, out } = await api.interlock('release', 'shadow', 'fix@2');
  expect(code).toBe(0);
  expect(out).toContain('3 rows differ');
  expect(out).toMatch(/old +g1, 2 rows in 1\.3 s, sha256:b{12}\n/);
  expect(out).toMatch(/apart +12 events\n/);
  expect(out).toMatch(/- +4 +1\.75\n\+ +4 +2\.00\n- *\n\+ +5 +NULL\nand 1 more\n/);
  expect(out).toMatch(/state +not read\n$/);
});

it('release shadow --read asks, for all or for some', async () => {
  const asked = { ...read, state: 'ASKED', compared: null };
  api.replies['POST /api/v1/releases/fix%402/shadow'] = [202, { items: [{ report, read: asked }] }];
  expect((await api.interlock('release', 'shadow', 'fix@2', '--read')).out).toContain('asked for');
  expect(api.calls[0]?.body).toEqual({});
  await api.interlock(
    ...['release', 'shadow', 'fix@2', '--read', '--report', '7', '--report', '8'],
  );
  expect(api.calls[1]?.body).toEqual({ reports: ['7', '8'] });
});
