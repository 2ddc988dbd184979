import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type * as z from 'zod';
import { provisionToken } from '@/lib/services/people/tokens';
import { type TestDatabase, testDatabase } from '@/lib/testing/database';
import { runDrill } from '@/lib/testing/drill';
import { cast, event, orders, type Person, taxSql, vatFix, World } from '@/lib/testing/world';
import * as answers from '@/lib/web/api/answers';
import * as releaseAnswers from '@/lib/web/api/release-answers';
import { serve } from '@/lib/web/api/serve';
import { send, type TestRequest } from '@/lib/web/api/test-client';
import { useWebDatabase } from '@/lib/web/db';

vi.stubEnv('AUTH_SECRET', 'a secret of this test only');
vi.stubEnv('LOG_LEVEL', 'silent');

let t: TestDatabase;
let world: World;
const tokens = {} as Record<Person, string>;

beforeAll(async () => {
  t = await testDatabase();
  useWebDatabase(t.connect('web'));
  world = new World(t.db);
  for (const [person, roles] of Object.entries(cast)) {
    const made = await provisionToken(t.db, { person, roles, requestId: 'set-up' });
    tokens[person as Person] = made.token;
  }
});
afterAll(() => t.close());

type Method = Parameters<typeof send>[0];

/** Sends as a person; what comes back must be what the document says. */
async function call<S extends z.ZodType>(
  person: Person,
  method: Method,
  path: string,
  schema: S,
  request: TestRequest = {},
): Promise<z.output<S> & { status: number; etag: string | null }> {
  const answer = await send(method, path, { token: tokens[person], ...request });
  if (answer.status >= 400) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
  const parsed = schema.parse(answer.body) as object;
  return Object.assign(parsed, {
    status: answer.status,
    etag: answer.headers.get('etag'),
  }) as unknown as z.output<S> & { status: number; etag: string | null };
}

async function refused(person: Person, method: Method, path: string, request: TestRequest = {}) {
  const answer = await send(method, path, { token: tokens[person], ...request });
  return { ...answers.problem.parse(answer.body), status: answer.status };
}

const { release, releaseItem, plan, sample, plannedPartition, receipt, check, signature, diffRow } =
  releaseAnswers;
const { listOf } = await import('@/lib/web/api/fields');
const move = (person: Person, name: string, body: unknown = {}, of = 'vat-fix@1') =>
  call(person, 'POST', `/releases/${of}/${name}`, release, { body });

const range = { from: '2011-01-04T00:00:00Z', to: '2011-01-07T00:00:00Z' };
const day = (n: number, hour = 9) => `2011-01-0${n}T0${hour}:00:00Z`;

it('declares source and dataset, and posts events', async () => {
  const { name, ...source } = orders.source;
  expect(
    await call('root', 'PUT', `/sources/${name}`, answers.source, { body: source }),
  ).toMatchObject({ status: 201, shards: { length: 8 } });
  const { name: dataset, ...body } = orders.dataset;
  const made = await call('root', 'PUT', `/datasets/${dataset}`, answers.dataset, { body });
  expect(made).toMatchObject({ status: 201, activeGeneration: 'order_tax-g1', loading: null });
  const policy = { ...orders.dataset.policy, leaseSeconds: 600 };
  const changed = await call('root', 'PUT', '/datasets/order_tax', answers.dataset, {
    body: { ...body, policy },
  });
  expect(changed).toMatchObject({ status: 200, policy: { leaseSeconds: 600 } });
  expect(
    await refused('root', 'PUT', '/datasets/order_tax', { body: { ...body, timezone: 'UTC' } }),
  ).toMatchObject({ status: 409, code: 'DATASET_IS_FIXED' });
  const events = [1, 2, 3, 4, 5, 6].map((n) => event({ line: `l${n}`, at: day(n + 1) }));
  const appended = await call('feed', 'POST', '/sources/orders/events', answers.appended, {
    body: { events },
  });
  expect(appended.accepted).toBe(6);
  const behind = await call('eve', 'GET', '/datasets/order_tax', answers.dataset);
  expect(behind.ingress).toMatchObject({ epoch: 1, state: 'OPEN', buffered: 6 });
  await world.live();
  const level = await call('eve', 'GET', '/datasets/order_tax', answers.dataset);
  expect(level.ingress).toMatchObject({ buffered: 0, lagSeconds: 0, quarantined: 0 });
  expect(Object.keys(level.ingress.progress)).toHaveLength(8);
});

it('checks transforms with line and column', async () => {
  const good = await call('ana', 'POST', '/transforms/check', answers.transformCheck, {
    body: { dataset: 'order_tax', sql: taxSql('0.20') },
  });
  expect(good.columns).toHaveLength(5);
  const bad = await refused('ana', 'POST', '/transforms/check', {
    body: { dataset: 'order_tax', sql: 'select line,\n  now() as invoiced_at from source' },
  });
  expect(bad.status).toBe(422);
  expect(bad.issues?.[0]).toMatchObject({ pointer: '/sql', line: expect.any(Number) });
});

it('drafts once, whatever is repeated, and edits only what was seen', async () => {
  const request = { body: vatFix(range), headers: { 'idempotency-key': 'draft-1' } };
  const made = await call('ana', 'POST', '/releases', release, request);
  expect(made).toMatchObject({ status: 201, name: 'vat-fix', revision: 1, state: 'DRAFT' });
  expect(made.flags).toEqual({ working: false, paused: false, held: false, draining: false });
  const again = await send('POST', '/releases', { token: tokens.ana, ...request });
  expect([again.status, again.headers.get('etag')]).toEqual([201, made.etag]);
  expect(again.headers.get('location')).toBe('/api/v1/releases/vat-fix@1');
  const list = await call('eve', 'GET', '/releases?dataset=order_tax', listOf(releaseItem));
  expect(list.items).toHaveLength(1);

  const edit = (headers: Record<string, string>, body: unknown = { owner: 'ana' }) => ({
    headers,
    body,
  });
  const at = '/releases/vat-fix@1';
  expect((await refused('ana', 'PATCH', at, edit({}))).status).toBe(422);
  for (const tag of ['"7"', 'W/"x"', 'nonsense']) {
    expect(await refused('ana', 'PATCH', at, edit({ 'if-match': tag }))).toMatchObject({
      status: 409,
      code: 'CHANGED_SINCE_SEEN',
    });
  }
  const edited = await call('ana', 'PATCH', at, release, edit({ 'if-match': made.etag ?? '' }));
  expect(edited.etag).not.toBe(made.etag);
  expect((edited as Record<string, unknown>).owner).toBe('ana');
  const bad = edit({ 'if-match': edited.etag ?? '' }, { range: { from: '2011-01-04T00:30:00Z' } });
  expect(await refused('ana', 'PATCH', at, bad)).toMatchObject({
    status: 422,
    code: 'RANGE_NOT_ON_PARTITION_EDGE',
    pointer: '/range/from',
    issues: [{ edges: { before: '2011-01-04T00:00:00Z', after: '2011-01-05T00:00:00Z' } }],
  });
  const naive = vatFix({ from: '2011-01-04T00:00:00', to: range.to });
  expect(await refused('ana', 'POST', '/releases', { body: naive })).toMatchObject({
    status: 422,
    code: 'AMBIGUOUS_TIME',
    pointer: '/range/from',
  });
});

it('pins the plan that was seen, and builds', async () => {
  const seen = await call('ana', 'GET', '/releases/vat-fix@1/plan', plan);
  expect(seen.partitions).toHaveLength(3);
  const wrong = { body: { planDigest: `sha256:${'0'.repeat(64)}` } };
  expect(await refused('ana', 'POST', '/releases/vat-fix@1/pin', wrong)).toMatchObject({
    status: 409,
    code: 'CHANGED_SINCE_SEEN',
  });
  const rows = await call('ana', 'POST', '/releases/vat-fix@1/sample', sample, {
    body: { partition: range.from },
  });
  expect([rows.old[0]?.tax, rows.new[0]?.tax]).toEqual(['1.75', '2.00']);

  const pinned = await move('ana', 'pin', { planDigest: seen.planDigest });
  expect(pinned).toMatchObject({
    status: 200,
    state: 'SNAPSHOT_PINNED',
    planDigest: seen.planDigest,
  });
  expect(pinned.digest).toMatch(/^sha256:/);
  expect(pinned.blockers).toHaveProperty('build');
  const building = await move('ana', 'build');
  expect(building).toMatchObject({ state: 'BUILDING', flags: { working: true } });
  expect(await refused('dee', 'POST', '/releases/vat-fix@1/seal')).toMatchObject({
    status: 409,
    blockers: expect.arrayContaining([expect.objectContaining({ code: 'PARTITIONS_MISSING' })]),
  });
  await world.work('vat-fix@1');
  const built = await call('eve', 'GET', '/releases/vat-fix@1?wait=5', release);
  expect(built.flags.working).toBe(false);
  expect(built.progress).toMatchObject({ planned: 3, receipts: 3, running: 0, failed: 0 });
});

it('pages partitions and receipts', async () => {
  const partitions = listOf(plannedPartition);
  const first = await call('eve', 'GET', '/releases/vat-fix@1/partitions?limit=2', partitions);
  const next = `/releases/vat-fix@1/partitions?limit=2&cursor=${first.nextCursor}`;
  const second = await call('eve', 'GET', next, partitions);
  const starts = [...first.items, ...second.items].map((p) => (p as { start: string }).start);
  expect(starts).toEqual([4, 5, 6].map((n) => `2011-01-0${n}T00:00:00Z`));
  expect(second.nextCursor).toBeNull();
  const receipts = await call('eve', 'GET', '/releases/vat-fix@1/receipts', listOf(receipt));
  expect(receipts.items).toHaveLength(3);
  expect(receipts.items[0]).toMatchObject({ factsIn: 1, rowsOut: 1, sums: { net: '10.000' } });
});

it('rehearses, seals, reconciles, and shows what was compared', async () => {
  await move('dee', 'rehearse');
  await world.work('vat-fix@1');
  const rehearsed = await call('eve', 'GET', '/releases/vat-fix@1', release);
  expect(rehearsed.rehearsal).toMatchObject({ verdict: 'passed', unexplained: 0, current: true });
  const asked = await move('dee', 'drill', { comment: 'before the seal' });
  expect(asked).toMatchObject({
    state: 'BUILDING',
    flags: { working: true },
    drill: { outcome: null, rollbackSeconds: null },
  });
  expect(asked.blockers.drill).toMatchObject([{ code: 'WORKING', kind: 'wait' }]);
  await runDrill(world);
  const drilled = await call('eve', 'GET', '/releases/vat-fix@1?wait=5', release);
  expect(drilled).toMatchObject({
    flags: { working: false },
    drill: { outcome: 'passed', rollbackSeconds: expect.any(Number), rowsCopied: '3' },
  });
  expect(await refused('eve', 'GET', '/datasets/order_tax~drill-1')).toMatchObject({ status: 404 });

  const stale = { headers: { 'if-match': '"1"' } };
  expect(await refused('dee', 'POST', '/releases/vat-fix@1/seal', stale)).toMatchObject({
    status: 409,
    code: 'CHANGED_SINCE_SEEN',
  });
  const sealed = await call('dee', 'POST', '/releases/vat-fix@1/seal', release, {
    headers: { 'if-match': rehearsed.etag ?? '' },
  });
  expect(sealed).toMatchObject({ state: 'INGRESS_SEALED', flags: { working: true } });
  await world.work('vat-fix@1');
  const checks = await call('eve', 'GET', '/releases/vat-fix@1/checks', listOf(check));
  const names = checks.items.map((c) => (c as { name: string }).name);
  expect(names).toEqual(
    expect.arrayContaining(['expected_diff', 'drift', 'roots', 'conserved:net']),
  );
  const diff = await call('eve', 'GET', '/releases/vat-fix@1/diff?limit=2', listOf(diffRow));
  expect(diff.items).toHaveLength(2);
  expect(diff.items[0]).toMatchObject({ control: { tax: '1.75' }, new: { tax: '2.00' } });
  const rest = `/releases/vat-fix@1/diff?limit=2&cursor=${diff.nextCursor}`;
  expect((await call('eve', 'GET', rest, listOf(diffRow))).items).toHaveLength(1);
});

it('is signed on the evidence that was shown, by others, once each', async () => {
  const { evidence } = await call('eve', 'GET', '/releases/vat-fix@1', release);
  const digest = evidence?.digest ?? '';
  const approve = '/releases/vat-fix@1/approve';
  expect(await refused('bo', 'POST', approve)).toMatchObject({ status: 422, pointer: '/evidence' });
  expect(
    await refused('bo', 'POST', approve, { body: { evidence: 'sha256:other' } }),
  ).toMatchObject({ status: 409, code: 'EVIDENCE_MOVED' });
  expect((await refused('ana', 'POST', approve, { body: { evidence: digest } })).status).toBe(403);
  const key = { 'idempotency-key': 'sign' };
  const body = { evidence: digest, statement: 'read it' };
  const one = await call('bo', 'POST', approve, release, { body, headers: key });
  expect(one).toMatchObject({
    state: 'RECONCILED',
    signatures: [{ person: 'bo', standing: true }],
  });
  expect(await refused('bo', 'POST', approve, { body })).toMatchObject({ code: 'ALREADY_SIGNED' });
  expect(await refused('dee', 'POST', '/releases/vat-fix@1/activate')).toMatchObject({
    status: 409,
    blockers: expect.arrayContaining([expect.objectContaining({ code: 'APPROVALS_MISSING' })]),
  });
  // the same key of another person is another call
  const two = await call('cyd', 'POST', approve, release, { body, headers: key });
  expect(two).toMatchObject({ state: 'APPROVED', signatures: { length: 2 } });
  await move('bo', 'sign-rollback');
  const signed = await call('eve', 'GET', '/releases/vat-fix@1/approvals', listOf(signature));
  expect(signed.items).toHaveLength(3);
  expect(await refused('bo', 'POST', '/releases/vat-fix@1/reject', { body: {} })).toMatchObject({
    status: 422,
    code: 'COMMENT_REQUIRED',
    pointer: '/comment',
  });
});

it('cuts over while a reader keeps its generation to the last page', async () => {
  const read = (query: string) =>
    call('reader', 'GET', `/datasets/order_tax/rows?${query}`, answers.rowsPage);
  const first = await read('limit=4');
  expect(first.generation).toBe('order_tax-g1');

  const moved = { body: { evidence: 'sha256:other' } };
  expect(await refused('dee', 'POST', '/releases/vat-fix@1/activate', moved)).toMatchObject({
    status: 409,
    code: 'EVIDENCE_MOVED',
  });
  const key = { 'idempotency-key': 'cut' };
  const [active, twin] = await Promise.all(
    [0, 1].map(() =>
      call('dee', 'POST', '/releases/vat-fix@1/activate', release, { headers: { ...key } }),
    ),
  );
  expect(active).toMatchObject({ state: 'ACTIVE', serving: true });
  expect(twin).toEqual(active);
  await world.work('vat-fix@1');

  const rest = await read(`limit=4&cursor=${first.nextCursor}`);
  expect(rest.generation).toBe('order_tax-g1');
  const old = [...first.rows, ...rest.rows];
  expect(old.map((row) => row.line)).toEqual(['l1', 'l2', 'l3', 'l4', 'l5', 'l6']);
  expect(new Set(old.map((row) => row.tax))).toEqual(new Set(['1.75']));
  const now = await send<{ rows: { tax: string }[] }>('GET', '/datasets/order_tax/rows', {
    token: tokens.reader,
  });
  expect(now.headers.get('x-interlock-generation')).toBe('vat-fix-g2');
  expect(now.body.rows.map((row) => row.tax)).toEqual([
    '1.75',
    '1.75',
    '2.00',
    '2.00',
    '2.00',
    '1.75',
  ]);
});

it('says figures of each generation, and what is gone', async () => {
  const at = '/datasets/order_tax';
  const partitions = (generation: string) =>
    call('reader', 'GET', `${at}/partitions?generation=${generation}`, answers.partition.array());
  const [old, now] = [await partitions('order_tax-g1'), await partitions('vat-fix-g2')];
  expect(old).toHaveLength(6);
  const differing = old.flatMap((p, i) => (p.root === now[i]?.root ? [] : [p.start]));
  expect(differing).toEqual([4, 5, 6].map((n) => `2011-01-0${n}T00:00:00Z`));

  const rollup = (query: string) => call('reader', 'GET', `${at}/rollup?${query}`, answers.rollup);
  expect((await rollup('')).metrics).toEqual({ tax: '11.25', lines: '6' });
  expect((await rollup('generation=order_tax-g1')).metrics).toEqual({ tax: '10.50', lines: '6' });
  expect((await rollup(`from=${range.from}&to=${range.to}`)).metrics).toEqual({
    tax: '6.00',
    lines: '3',
  });
  expect(await refused('reader', 'GET', `${at}/rollup?from=2011-01-04T01:00:00Z`)).toMatchObject({
    status: 422,
    code: 'RANGE_NOT_ON_PARTITION_EDGE',
    pointer: '/from',
  });
  for (const path of [`${at}/rows?generation=nothing`, `${at}/partitions?generation=nothing`]) {
    expect(await refused('reader', 'GET', path)).toMatchObject({
      status: 410,
      code: 'GENERATION_GONE',
    });
  }
  const leases = `${at}/leases`;
  const lease = await call('reader', 'POST', leases, answers.lease, { body: { seconds: 60 } });
  expect(lease.generation).toBe('vat-fix-g2');
  expect((await send('DELETE', `/leases/${lease.id}`, { token: tokens.reader })).status).toBe(204);
  expect(await refused('reader', 'GET', `${at}/rows?lease=${lease.id}`)).toMatchObject({
    status: 410,
    code: 'LEASE_ENDED',
  });
  expect(await refused('reader', 'GET', `${at}/rows?from=2011-01-04T00:00:00`)).toMatchObject({
    status: 422,
    code: 'AMBIGUOUS_TIME',
    pointer: '/from',
  });
});

it('streams progress, and ends when the reader may not read any more', async () => {
  const made = await provisionToken(t.db, { person: 'gus', roles: ['auditor'], requestId: 'g' });
  const response = await serve('/releases/{release}/events').GET(
    new Request('http://localhost/api/v1/releases/vat-fix@1/events', {
      headers: { authorization: `Bearer ${made.token}` },
    }),
  );
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  let text = '';
  const until = async (wanted: string) => {
    while (!text.includes(wanted)) {
      const { done, value } = await reader.read();
      if (done) break;
      text += Buffer.from(value).toString();
    }
  };
  await until('event: progress');
  await until('"state":"ACTIVE"');
  await move('dee', 'rollback', { reason: 'to see it' });
  await until('"working":true');
  expect(text).toContain('"working":true');
  await call('root', 'PUT', '/people/gus', answers.person, { body: { roles: [] } });
  while (!(await reader.read()).done);
  await world.work('vat-fix@1');
  const back = await call('eve', 'GET', '/releases/vat-fix@1', release);
  expect(back).toMatchObject({ state: 'ROLLED_BACK', serving: false });
});

it('keeps the whole story in the audit chain', async () => {
  const list = await call(
    'eve',
    'GET',
    '/audit?dataset=order_tax&limit=200',
    listOf(answers.auditRow),
  );
  const verbs = new Set(list.items.map((row) => (row as { verb: string }).verb));
  for (const verb of ['pin', 'build', 'seal', 'approve', 'activate', 'rollback']) {
    expect(verbs).toContain(`release.${verb}`);
  }
  expect(await call('eve', 'GET', '/audit/verify', answers.auditVerdict)).toMatchObject({
    ok: true,
  });
});
