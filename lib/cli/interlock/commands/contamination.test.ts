import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { FakeApi } from '@/lib/cli/interlock/fake-api';

let api: FakeApi;
beforeAll(async () => {
  api = await FakeApi.start();
});
afterAll(() => api.stop());
beforeEach(() => api.reset());

const range = { from: '2011-01-04T00:00:00Z', to: '2011-01-06T00:00:00Z' };
const at = '2011-02-01T10:00:00Z';
const mark = {
  id: '7',
  dataset: 'orders',
  ...range,
  reason: 'the old\nrate',
  servedSince: null,
  markedBy: 'ana',
  markedAt: at,
  repairedBy: 'vat-fix',
  standing: true,
  repairing: { release: 'vat-fix@2', state: 'BUILDING' },
  turns: [] as unknown[],
};
const lifted = {
  ...mark,
  standing: false,
  turns: [{ kind: 'LIFTED', at, by: 'dee', release: 'vat-fix@2', reason: null }],
};

it('contamination mark says what is wrong, since when, and who repairs it', async () => {
  api.replies['POST /api/v1/datasets/orders/contaminations'] = [201, mark];
  const { code, out } = await api.interlock(
    ...['contamination', 'mark', 'orders', '2011-01-04T01:00:00+01:00', range.to],
    ...['--reason', 'the old rate', '--served-since', at, '--repaired-by', 'vat-fix'],
  );
  expect(code).toBe(0);
  expect(out).toMatch(/^mark +7\n/);
  expect(out).toMatch(/reason +the old rate\n/);
  expect(out).toMatch(/state +stands\n$/);
  expect(out).not.toContain('served since');
  expect(api.calls[0]?.body).toEqual({
    ...range,
    reason: 'the old rate',
    servedSince: at,
    repairedBy: 'vat-fix',
  });
  expect(api.calls[0]?.headers).toHaveProperty('idempotency-key');
});

it('contamination mark needs a reason', async () => {
  const { code, said } = await api.interlock(
    ...['contamination', 'mark', 'orders', range.from, range.to],
  );
  expect([code, api.calls]).toEqual([2, []]);
  expect(said).toContain('--reason');
});

it('contamination list says of each mark whether it stands, or that there is none', async () => {
  const back = {
    ...mark,
    turns: [
      ...lifted.turns,
      { kind: 'PUT_BACK', at, by: 'dee', release: 'vat-fix@2', reason: null },
    ],
  };
  const byHand = {
    ...lifted,
    turns: [{ kind: 'LIFTED', at, by: 'ana', release: null, reason: 'it was right' }],
  };
  api.replies['GET /api/v1/datasets/orders/contaminations'] = [
    [200, { items: [mark, lifted, back, byHand], nextCursor: 'more' }],
    [200, { items: [], nextCursor: null }],
  ];
  const { out } = await api.interlock('contamination', 'list', 'orders');
  expect(out).toMatch(/MARK +FROM +TO +REPAIRED BY/);
  expect(out).toContain(`lifted by the cutover of vat-fix@2, ${at}`);
  expect(out).toContain(`stands, put back by the rollback of vat-fix@2, ${at}`);
  expect(out).toContain(`lifted by ana, ${at}: it was right`);
  expect(out).toContain('more: --cursor more\n');
  const none = await api.interlock('contamination', 'list', 'orders', '--standing');
  expect(none.out).toBe('nothing of orders is marked\n');
  expect(api.calls[1]?.url).toContain('standing=true');
});

describe('contamination link and lift', () => {
  it('say what the mark is now', async () => {
    api.replies['POST /api/v1/contaminations/7/link'] = [200, mark];
    api.replies['POST /api/v1/contaminations/7/lift'] = [200, lifted];
    const link = await api.interlock('contamination', 'link', '7', 'vat-fix');
    expect(link.out).toMatch(/repaired by +vat-fix\n/);
    const lift = await api.interlock('contamination', 'lift', '7', '--reason', 'it was right');
    expect([link.code, lift.code]).toEqual([0, 0]);
    expect(api.calls.map((call) => call.body)).toEqual([
      { release: 'vat-fix' },
      { reason: 'it was right' },
    ]);
  });

  it('exit with 3 where they are refused, and say why', async () => {
    api.replies['POST /api/v1/contaminations/7/link'] = [
      409,
      {
        code: 'CUTOVER_OVER',
        detail: 'Its cutover is over.',
        blockers: [{ code: 'CUTOVER_OVER', kind: 'fix', message: 'vat-fix@2 is ACTIVE.' }],
      },
    ];
    const { code, said } = await api.interlock('contamination', 'link', '7', 'vat-fix');
    expect(code).toBe(3);
    expect(said).toContain('fix   CUTOVER_OVER  vat-fix@2 is ACTIVE.');
  });
});

it('dataset rows says on stderr what of the rows is known to be wrong, once', async () => {
  const warning = { code: 'CONTAMINATED', ...range, reason: 'the old\nrate', servedSince: null };
  const page = {
    generation: 'g1',
    rows: [{ line: 'a' }],
    warnings: [{ ...warning, repairedBy: 'vat-fix' }],
  };
  api.replies['GET /api/v1/datasets/orders/rows'] = [
    [200, { ...page, nextCursor: 'next' }],
    [200, { ...page, nextCursor: null }],
  ];
  const { code, out, said } = await api.interlock('dataset', 'rows', 'orders');
  expect([code, out]).toEqual([0, 'line\na\na\n']);
  expect(said).toBe(
    `CONTAMINATED: [${range.from}, ${range.to}) is known to be wrong: the old rate; repaired by vat-fix\n`,
  );
});
