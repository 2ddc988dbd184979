import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ApiClient } from '@/lib/cli/interlock/api-client';
import { FakeApi, release } from '@/lib/cli/interlock/fake-api';

let api: FakeApi;
beforeAll(async () => {
  api = await FakeApi.start();
});
afterAll(() => api.stop());
beforeEach(() => api.reset());

async function freePort(): Promise<number> {
  const closed = createServer();
  await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve));
  const { port } = closed.address() as AddressInfo;
  await new Promise((resolve) => closed.close(resolve));
  return port;
}

describe('usage', () => {
  it.each([
    [['claim', 'list']],
    [['claim', 'add', 'orders', '2011-01-04', '2011-01-06']],
    [['claim', 'release', 'orders', '2011-01-04T00:00:00Z']],
    [['contamination', 'mark', 'orders', '2011-01-04', '2011-01-06', '--reason', 'wrong']],
    [['contamination', 'link', '1']],
    [['contamination', 'lift', '1']],
    [['run', 'orders', 'a', 'b']],
    [['publish', 'orders']],
    [['publish', 'orders', '2011-01-04', '2011-01-06']],
    [['amend', 'orders', '2011-01-04']],
    [['correction', 'list']],
    [['correction', 'list', 'orders', '--out', 'x.csv']],
    [['correction', 'list', 'orders', '--format', 'xlsx']],
    [['release', 'launch', 'fix@1']],
    [['release', 'show', 'fix']],
    [['release', 'show']],
    [['release', 'approve', 'fix@1']],
    [['release', 'reject', 'fix@1']],
    [['release', 'accept', 'fix@1', '--what', 'drift']],
    [['release', 'retry', 'fix@1', '--step', 'catch-up']],
    [['release', 'limits', 'fix@1']],
    [['release', 'seal', 'fix@1', '--colour', 'red']],
    [['dataset', 'rows', 'orders', '--from', '2011-01-04']],
    [['dataset', 'apply']],
    [['source', 'apply', '-f', '/nowhere.yaml']],
    [['source', 'import', 'retail', '/nowhere']],
    [['token', 'create', '--person', 'ana', '--role', 'king']],
    [['source']],
    [[]],
  ])('is told apart: %j', async (argv) => {
    const { code, out, said } = await api.interlock(...argv);
    expect(code).toBe(2);
    expect(out).toBe('');
    expect(said).not.toBe('');
    expect(api.calls).toEqual([]);
  });

  it('gives help on stdout', async () => {
    const { code, out } = await api.interlock('--help');
    expect(code).toBe(0);
    expect(out).toMatch(
      /token.*source.*dataset.*claim.*publish.*amend.*correction.*release.*audit/s,
    );
    expect((await api.interlock('release', 'accept', '--help')).out).toContain('--digest');
  });
});

describe('answers', () => {
  it('are printed unchanged with --json', async () => {
    api.replies['GET /api/v1/sources/retail'] = [200, '{"name":"retail", "size":"12"}'];
    const { code, out } = await api.interlock('source', 'show', 'retail', '--json');
    expect([code, out]).toEqual([0, '{"name":"retail", "size":"12"}\n']);
    expect(api.calls[0]?.headers.authorization).toBe('Bearer ilk_x');
  });

  it('are text for people without it', async () => {
    api.replies['GET /api/v1/releases/fix%401'] = [200, release];
    const { code, out } = await api.interlock('release', 'show', 'fix@1');
    expect(code).toBe(0);
    expect(out).toMatch(/state +BUILDING \(held by ben: audit\)/);
    expect(out).toMatch(/built +12 of 178 partitions, 2 running, 1 failed/);
    expect(out).toMatch(/seal: \n {2}fix {3}HELD {2}The release is held by ben\./);
    expect(out).toMatch(/pause: open/);
  });

  it.each([
    [401, { code: 'UNAUTHENTICATED' }, 1],
    [403, { code: 'FORBIDDEN' }, 1],
    [404, { code: 'NOT_FOUND' }, 4],
    [409, { code: 'HELD', blockers: [{ code: 'HELD', kind: 'fix', message: 'Held.' }] }, 3],
    [409, { code: 'LOST_RACE' }, 5],
    [410, { code: 'GENERATION_GONE' }, 4],
    [422, { code: 'INVALID_INPUT', issues: [] }, 2],
    [500, { code: 'INTERNAL', requestId: 'r-1' }, 1],
  ])('of %i with %j end with %i', async (status, problem, expected) => {
    api.replies['POST /api/v1/releases/fix%401/seal'] = [
      status,
      { detail: 'So it is.', ...problem },
    ];
    const plain = await api.interlock('release', 'seal', 'fix@1');
    expect(plain).toMatchObject({ code: expected, out: '' });
    expect(plain.said).toContain(`${problem.code}: So it is.`);
    const json = await api.interlock('release', 'seal', 'fix@1', '--json');
    expect(json.code).toBe(expected);
    expect(JSON.parse(json.out)).toMatchObject(problem);
  });

  it('print every blocker, as fix or wait', async () => {
    const blockers = [
      { code: 'PARTITIONS_MISSING', kind: 'wait', message: '12 of 178 are built.' },
      { code: 'HELD', kind: 'fix', message: 'Held by ben.' },
    ];
    api.replies['POST /api/v1/releases/fix%401/seal'] = [
      409,
      { code: 'HELD', detail: 'Held by ben.', blockers },
    ];
    const { code, said } = await api.interlock('release', 'seal', 'fix@1');
    expect(code).toBe(3);
    expect(said).toContain('  wait  PARTITIONS_MISSING  12 of 178 are built.');
    expect(said).toContain('  fix   HELD  Held by ben.');
  });

  it('print every fault of an input with its place', async () => {
    const edges = { before: '2011-01-04T00:00:00Z', after: '2011-01-05T00:00:00Z' };
    const issues = [
      { pointer: '/range/from', code: 'RANGE_NOT_ON_PARTITION_EDGE', message: 'No edge.', edges },
      { pointer: '/transform/new', code: 'TRANSFORM_INVALID', message: 'No.', line: 2, column: 7 },
    ];
    api.replies['POST /api/v1/releases'] = [
      422,
      { code: 'RANGE_NOT_ON_PARTITION_EDGE', detail: 'No edge.', issues },
    ];
    const file = path.join(api.folder, 'bad.yaml');
    await writeFile(file, 'release: fix\n');
    const { code, said } = await api.interlock('release', 'create', '-f', file);
    expect(code).toBe(2);
    expect(said).toContain(
      `/range/from  RANGE_NOT_ON_PARTITION_EDGE  No edge. · edges ${JSON.stringify(edges)}`,
    );
    expect(said).toContain('/transform/new  TRANSFORM_INVALID  No. (line 2, column 7)');
  });

  it('of a proxy, or none at all, are said plainly', async () => {
    api.replies['GET /api/v1/audit/verify'] = [500, '<html>Bad gateway</html>'];
    expect(await api.interlock('audit', 'verify')).toMatchObject({
      code: 1,
      said: 'the server answered 500\n',
    });
    api.replies['GET /api/v1/audit/verify'] = [302, '', { location: 'https://elsewhere/' }];
    expect((await api.interlock('audit', 'verify')).said).toMatch(
      /redirects to https:\/\/elsewhere\//,
    );
    const gone = new ApiClient({ url: `http://127.0.0.1:${await freePort()}`, token: 'ilk_x' });
    await expect(gone.get('/audit')).rejects.toThrow(/cannot be reached: .*ECONNREFUSED/);
    const bad = new ApiClient({ url: 'http://127.0.0.1:1', token: 'ilk_x' });
    await expect(bad.get('/audit')).rejects.toThrow(/cannot be reached: bad port/);
    const nobody = new ApiClient({ url: 'http://127.0.0.1:1', token: undefined });
    await expect(nobody.get('/audit')).rejects.toThrow(/INTERLOCK_TOKEN/);
  });

  it('are asked for again while the server is busy, a move under the same key', async () => {
    api.replies['POST /api/v1/releases/fix%401/seal'] = [
      [503, { code: 'BUSY' }],
      [200, release],
    ];
    expect((await api.interlock('release', 'seal', 'fix@1')).code).toBe(0);
    const keys = api.calls.map(({ headers }) => headers['idempotency-key']);
    expect(keys).toHaveLength(2);
    expect(keys[0]).toBe(keys[1]);
    expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/);
  });
});
