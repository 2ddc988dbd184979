import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { FakeApi, type Reply, release } from '@/lib/cli/interlock/fake-api';

let api: FakeApi;
beforeAll(async () => {
  api = await FakeApi.start();
});
afterAll(() => api.stop());
beforeEach(() => api.reset());

const digestOf = (letter: string) => `sha256:${letter.repeat(64)}`;

describe('files', () => {
  it('are sent with their name in the path', async () => {
    api.replies['PUT /api/v1/datasets/orders'] = [201, { name: 'orders' }];
    const file = path.join(api.folder, 'dataset.yaml');
    await writeFile(
      file,
      'name: orders\nsource: s\ntransform: { sql: "select 1", commit: 1234567 }\n',
    );
    const { code, out } = await api.interlock('dataset', 'apply', '-f', file);
    expect([code, out]).toEqual([0, 'dataset orders applied\n']);
    expect(api.calls[0]?.body).toEqual({
      source: 's',
      transform: { sql: 'select 1', commit: '1234567' },
    });
  });

  it('are refused where they are none', async () => {
    const file = path.join(api.folder, 'list.yaml');
    await writeFile(file, '- a\n');
    expect(await api.interlock('dataset', 'apply', '-f', file)).toMatchObject({ code: 2 });
    await writeFile(file, 'name: x\ny: [a');
    expect((await api.interlock('dataset', 'apply', '-f', file)).said).toMatch(/line 2/);
    await writeFile(file, 'source: x\n');
    expect((await api.interlock('dataset', 'apply', '-f', file)).said).toMatch(/has no name/);
  });

  it('make drafts, and the next revision carries what was not frozen by pinning', async () => {
    const spec = {
      schema: 'dataBackfillRelease.v1',
      release: 'fix@1',
      dataset: 'orders',
      range: { from: '2011-01-04T00:00:00Z', to: 'open' },
      timezone: 'Europe/London',
      partition: 'day',
      columns: digestOf('c'),
      source: { name: 's', pin: 'SNAPSHOT', snapshot: 's:snapshot-1' },
      transform: { old: digestOf('a'), new: digestOf('b'), commit: null, lock: null },
      targetGeneration: 'g2',
      policy: {},
      owner: 'ana',
    };
    api.replies['GET /api/v1/releases'] = [
      200,
      { items: [{ release: 'fix@1' }], nextCursor: null },
    ];
    api.replies['GET /api/v1/releases/fix%401'] = [200, { ...release, spec }];
    api.replies['POST /api/v1/releases'] = [201, { ...release, revision: 2, state: 'DRAFT' }];
    const { code, out } = await api.interlock('release', 'revise', 'fix', '--target', 'g3');
    expect([code, out]).toEqual([0, 'fix@2 DRAFT\n']);
    expect(api.calls.at(-1)?.body).toEqual({
      schema: spec.schema,
      release: 'fix',
      dataset: 'orders',
      range: spec.range,
      source: { name: 's', pin: 'SNAPSHOT' },
      transform: { new: spec.transform.new },
      targetGeneration: 'g3',
      owner: 'ana',
    });
    await api.interlock('release', 'revise', 'fix@1');
    expect(api.calls.at(-1)?.body).toMatchObject({ targetGeneration: 'fix-r2' });
  });
});

describe('rows', () => {
  const page = (rows: object[], nextCursor: string | null): Reply => [
    200,
    { generation: 'g1', lease: { id: 'l1', until: 'x' }, rows, nextCursor },
  ];

  it('come as CSV in which NULL and the empty text differ, page by page, and the lease is given back', async () => {
    api.replies['GET /api/v1/datasets/orders/rows'] = [
      page(
        [
          { id: 'a', note: null, n: 1 },
          { id: '', note: 'x,"y"\n', n: 2 },
        ],
        'c1',
      ),
      page([{ id: 'b', note: { k: [1] }, n: 3 }], null),
    ];
    api.replies['DELETE /api/v1/leases/l1'] = [204, ''];
    const { code, out } = await api.interlock(
      'dataset',
      'rows',
      'orders',
      '--from',
      '2011-01-04T00:00:00Z',
    );
    expect(code).toBe(0);
    expect(out).toBe('id,note,n\na,,1\n"","x,""y""\n",2\nb,"{""k"":[1]}",3\n');
    expect(api.calls.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'GET /api/v1/datasets/orders/rows?from=2011-01-04T00%3A00%3A00Z&limit=1000',
      'GET /api/v1/datasets/orders/rows?from=2011-01-04T00%3A00%3A00Z&limit=1000&cursor=c1',
      'DELETE /api/v1/leases/l1',
    ]);
  });

  it('come as JSON Lines, and no more than asked for', async () => {
    api.replies['GET /api/v1/datasets/orders/rows'] = page([{ id: 'a' }, { id: 'b' }], 'c1');
    const { out } = await api.interlock(
      'dataset',
      'rows',
      'orders',
      '--format',
      'jsonl',
      '--limit',
      '2',
    );
    expect(out).toBe('{"id":"a"}\n{"id":"b"}\n');
    expect(api.calls.filter(({ method }) => method === 'GET')).toHaveLength(1);
  });

  it('have a heading also where there are none', async () => {
    api.replies['GET /api/v1/datasets/orders/rows'] = page([], null);
    api.replies['GET /api/v1/datasets/orders'] = [
      200,
      { columns: [{ name: 'id' }, { name: 'n' }] },
    ];
    expect((await api.interlock('dataset', 'rows', 'orders')).out).toBe('id,n\n');
  });

  it('that are gone end with 4', async () => {
    api.replies['GET /api/v1/datasets/orders/rows'] = [
      410,
      { code: 'LEASE_ENDED', detail: 'It ended.' },
    ];
    expect(await api.interlock('dataset', 'rows', 'orders')).toMatchObject({ code: 4, out: '' });
  });
});

describe('the audit chains', () => {
  it('that are broken end with 1', async () => {
    const bad = {
      ok: false,
      head: 'h',
      length: 9,
      firstBad: { chain: 'people', seq: '4', why: 'its hash is not that of its fields' },
    };
    api.replies['GET /api/v1/audit/verify'] = [200, bad];
    const { code, out } = await api.interlock('audit', 'verify');
    expect([code, out]).toEqual([
      1,
      'broken: row 4 of people: its hash is not that of its fields\n',
    ]);
    api.replies['GET /api/v1/audit/verify'] = [200, { ok: true, head: 'h', length: 9 }];
    expect((await api.interlock('audit', 'verify')).code).toBe(0);
  });
});
