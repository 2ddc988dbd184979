import { sql } from 'drizzle-orm';
import { encode } from 'next-auth/jwt';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { one, rows } from '@/lib/db/client';
import { ROLES, type Role, rolesFor } from '@/lib/domain/permissions';
import { provisionToken } from '@/lib/services/people/tokens';
import { type TestDatabase, testDatabase } from '@/lib/testing/database';
import * as answers from '@/lib/web/api/answers';
import { endpoints } from '@/lib/web/api/registry';
import { send } from '@/lib/web/api/test-client';
import { useWebDatabase } from '@/lib/web/db';
import { countAttempt, failedTokens } from '@/lib/web/rate-limit';

const secret = 'a secret of this test only';
vi.stubEnv('AUTH_SECRET', secret);
vi.stubEnv('LOG_LEVEL', 'silent');

let t: TestDatabase;
const tokens = {} as Record<Role, string>;

beforeAll(async () => {
  t = await testDatabase();
  useWebDatabase(t.connect('web'));
  for (const role of ROLES) {
    const made = await provisionToken(t.db, {
      person: `p-${role}`,
      roles: [role],
      requestId: 'set-up',
    });
    tokens[role] = made.token;
  }
});
afterAll(() => t.close());

const columns = [
  { name: 'id', type: 'text' },
  { name: 'at', type: 'timestamptz' },
  { name: 'amount', type: 'numeric(14,3)' },
];
const source = { columns, key: ['id'], eventTime: 'at', shards: 2 };
const event = (id: string, more: Record<string, unknown> = {}) => ({
  eventId: `e-${id}`,
  revision: 1,
  op: 'upsert',
  payload: { id, at: '2011-01-04T00:00:00Z', amount: '1.5' },
  ...more,
});

const audited = () =>
  one<{ count: number }>(t.db, sql`select count(*)::int as count from control.audit_event`);

describe('who calls', () => {
  it('nobody, a bad token and a revoked one are 401, and only counted', async () => {
    const before = await audited();
    for (const headers of [
      {},
      { authorization: 'Bearer' },
      { authorization: 'Basic eDp5' },
      { authorization: `Bearer ilk_${'A'.repeat(43)}` },
      { authorization: "Bearer ilk_'; drop table control.token; --" },
    ] as Record<string, string>[]) {
      const answer = await send('GET', '/sources', { headers });
      expect(answer.status).toBe(401);
      expect(answers.problem.parse(answer.body)).toMatchObject({
        status: 401,
        code: 'UNAUTHENTICATED',
      });
      expect(answer.headers.get('content-type')).toBe('application/problem+json');
      expect(answer.headers.get('www-authenticate')).toContain('Bearer');
    }
    expect(await audited()).toEqual(before);
    const counted = await one<{ count: number }>(
      t.db,
      sql`select sum(count)::int as count from control.stranger_call where door like 'api%'`,
    );
    expect(counted.count).toBe(5);
  });

  it('too many bad tokens from one address are 429; a good one still passes', async () => {
    const bad = `ilk_${'B'.repeat(43)}`;
    const headers = { 'x-forwarded-for': '192.0.2.7' };
    const one = await send('GET', '/sources', { token: bad, headers });
    expect(one.status).toBe(401);
    for (let i = 1; i < failedTokens.perMinute; i++) {
      countAttempt(failedTokens, new Headers(headers));
    }
    const last = await send('GET', '/sources', { token: bad, headers });
    expect(last.status).toBe(429);
    expect(Number(last.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(last.body).toMatchObject({ code: 'RATE_LIMITED' });
    expect((await send('GET', '/sources', { token: tokens.admin, headers })).status).toBe(200);
  });

  it('the console’s session may read, never change', async () => {
    await send('PUT', '/people/ana', { token: tokens.admin, body: { roles: ['auditor'] } });
    const session = await encode({ token: { name: 'ana', sid: 's' }, secret });
    const headers = { cookie: `other=1; next-auth.session-token=${session}` };
    expect((await send('GET', '/audit', { headers })).status).toBe(200);
    expect((await send('PUT', '/people/ana', { headers, body: { roles: [] } })).status).toBe(401);
    for (const [name, value] of [
      ['origin', 'https://evil.example'],
      ['origin', 'null'],
      ['origin', 'localhost'],
      ['sec-fetch-site', 'cross-site'],
      ['sec-fetch-site', 'same-site'],
    ] as const) {
      const answer = await send('GET', '/audit', { headers: { ...headers, [name]: value } });
      expect([name, value, answer.status]).toEqual([name, value, 403]);
    }
    const ours: Record<string, string>[] = [
      { origin: 'http://localhost', host: 'localhost' },
      { 'sec-fetch-site': 'same-origin' },
    ];
    for (const own of ours) {
      const answer = await send('GET', '/audit', { headers: { ...headers, ...own } });
      expect(answer.status).toBe(200);
    }
    const forged = await encode({ token: { name: 'ana' }, secret: 'another secret altogether' });
    const bad = { cookie: `next-auth.session-token=${forged}` };
    expect((await send('GET', '/audit', { headers: bad })).status).toBe(401);
    await send('PUT', '/people/ana', { token: tokens.admin, body: { roles: [] } });
    expect((await send('GET', '/audit', { headers })).status).toBe(403);
  });
});

describe('every endpoint', () => {
  const concrete = (path: string) =>
    path.replace(/\{(\w+)\}/g, (_, name: string) => (name === 'release' ? 'x@1' : 'x'));
  const closed = endpoints.filter((e) => e.permission !== 'public');

  it('is closed to nobody, and to each wrong role, which is a row', {
    timeout: 120_000,
  }, async () => {
    const newest = sql`select id, actor, verb, outcome from control.audit_event`;
    let { id: last } = await one<{ id: string }>(t.db, sql`${newest} order by id desc limit 1`);
    for (const { method, path, permission } of closed) {
      if (permission === 'public') continue;
      expect((await send(method, concrete(path))).status).toBe(401);
      for (const role of ROLES.filter((each) => !rolesFor(permission).includes(each))) {
        // what the body says does not matter, even if it is no JSON
        const answer = await send(method, concrete(path), {
          token: tokens[role],
          ...(method === 'GET' ? {} : { text: '{' }),
        });
        expect([method, path, role, answer.status]).toEqual([method, path, role, 403]);
        expect(answer.body).toMatchObject({ code: 'FORBIDDEN' });
        const row = await one<{ id: string }>(t.db, sql`${newest} where id > ${last}`);
        expect(row).toMatchObject({ actor: `p-${role}`, verb: permission, outcome: 'refused' });
        last = row.id;
      }
    }
  });

  it('answers what is not there with a problem', async () => {
    for (const { method, path, permission } of closed) {
      if (permission === 'public' || method !== 'GET' || !path.includes('{')) continue;
      const role = rolesFor(permission)[0] as Role;
      // what is asked of a range has one
      const range = path.endsWith('/questions')
        ? '?from=2011-01-04T00:00:00Z&to=2011-01-05T00:00:00Z'
        : '';
      const answer = await send(method, concrete(path) + range, { token: tokens[role] });
      expect([path, answer.status, answer.body.code]).toEqual([path, 404, 'NOT_FOUND']);
    }
  });
});

describe('paths and methods', () => {
  it('an unknown path is 404, with or without a token', async () => {
    for (const path of ['/nothing', '/releases/x@1/fly', '/datasets/x/claim', '/a/b/c/d']) {
      for (const token of [undefined, tokens.admin]) {
        const answer = await send('POST', path, { token, body: {} });
        expect([path, answer.status]).toEqual([path, 404]);
        expect(answers.problem.parse(answer.body).code).toBe('NOT_FOUND');
      }
    }
  });

  it('a wrong method is 405 with Allow', async () => {
    const answer = await send('DELETE', '/sources', { token: tokens.admin });
    expect(answer.status).toBe(405);
    expect(answer.headers.get('allow')).toBe('OPTIONS, GET, HEAD');
    expect((await send('GET', '/releases/x@1/seal', { token: tokens.admin })).status).toBe(405);
    const options = await send('OPTIONS', '/people/x');
    expect(options.status).toBe(204);
    expect(options.headers.get('allow')).toBe('OPTIONS, GET, HEAD, PUT');
  });

  it('the document is open, and answers carry a request id and are never cached', async () => {
    const answer = await send('GET', '/openapi.json');
    expect(answer.status).toBe(200);
    expect(answer.body.openapi).toBe('3.1.0');
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'cross-origin-resource-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
    });
    expect(answer.headers.has('strict-transport-security')).toBe(false);
    expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  });
});

describe('bodies', () => {
  const put = (text: string) => send('PUT', '/people/x', { token: tokens.admin, text });

  it('what is no JSON object, or says too much, is 422 with a pointer', async () => {
    for (const [text, pointer] of [
      ['', '/roles'],
      ['[]', ''],
      ['{"roles":', ''],
      ['{"roles":["king"]}', '/roles/0'],
      ['{"roles":[],"rolls":[]}', '/rolls'],
      ['{"roles":[],"displayName":"\\u0000"}', '/displayName'],
      [`{"roles":${'['.repeat(70)}`, ''],
    ] as const) {
      const answer = await put(text);
      expect([text.slice(0, 30), answer.status, answer.body.pointer]).toEqual([
        text.slice(0, 30),
        422,
        pointer,
      ]);
      expect(answers.problem.parse(answer.body).issues?.[0]?.pointer).toBe(pointer);
    }
  });

  it('more than 8 MiB is 413, however it is sent', async () => {
    const text = `{"roles":["${'x'.repeat(8 * 1024 ** 2)}"]}`;
    expect((await put(text)).status).toBe(413);
    let sent = 0;
    const endless = new ReadableStream({
      pull(controller) {
        sent += 64 * 1024;
        controller.enqueue(new Uint8Array(64 * 1024).fill(32));
      },
    });
    const { serve } = await import('@/lib/web/api/serve');
    const response = await serve('/people/{person}').PUT(
      new Request('http://localhost/api/v1/people/x', {
        method: 'PUT',
        headers: { authorization: `Bearer ${tokens.admin}` },
        body: endless,
        duplex: 'half',
      } as RequestInit),
    );
    expect(response.status).toBe(413);
    expect(sent).toBeLessThan(10 * 1024 ** 2);
  });

  it('`on-call` is read as oncall', async () => {
    const answer = await put('{"roles":["on-call"]}');
    expect(answers.person.parse(answer.body).roles).toEqual(['oncall']);
  });
});

describe('sources', () => {
  it('are declared, once', async () => {
    const made = await send('PUT', '/sources/orders', { token: tokens.admin, body: source });
    expect(made.status).toBe(201);
    expect(answers.source.parse(made.body)).toMatchObject({ name: 'orders', size: '0' });
    const again = await send('PUT', '/sources/orders', {
      token: tokens.admin,
      body: { name: 'orders', ...source },
    });
    expect(again.status).toBe(200);
    const other = await send('PUT', '/sources/orders', {
      token: tokens.admin,
      body: { ...source, shards: 3 },
    });
    expect(other.status).toBe(409);
    expect(other.body).toMatchObject({
      code: 'SOURCE_IS_FIXED',
      blockers: [{ code: 'SOURCE_IS_FIXED', kind: 'fix' }],
    });
    const named = await send('PUT', '/sources/orders', {
      token: tokens.admin,
      body: { name: 'x', ...source },
    });
    expect([named.status, named.body.pointer]).toEqual([422, '/name']);
  });

  it('take events, all or nothing, with strings for offsets', async () => {
    const post = (events: unknown[]) =>
      send('POST', '/sources/orders/events', { token: tokens.writer, body: { events } });
    const answer = await post([event('a'), event('b'), event('a')]);
    expect(answer.status).toBe(200);
    const { accepted, duplicates, stale, offsets } = answers.appended.parse(answer.body);
    expect([accepted, duplicates, stale]).toEqual([2, 1, 0]);
    expect(Object.values(offsets).every((offset) => typeof offset === 'string')).toBe(true);

    const bad = await post([event('c'), event('d', { revision: 0 })]);
    expect([bad.status, bad.body.pointer]).toEqual([422, '/events/1/revision']);
    const naive = await post([
      event('c', { payload: { id: 'c', at: '2011-01-04T00:00:00', amount: '1' } }),
    ]);
    expect([naive.status, naive.body.pointer]).toEqual([422, '/events/0/payload/at']);
    const conflict = await post([event('a', { payload: { id: 'a', at: null, amount: '2' } })]);
    expect([conflict.status, conflict.body.code]).toEqual([409, 'EVENT_CONFLICT']);
    const big = await send('POST', '/sources/orders/events', {
      token: tokens.writer,
      text: '{"events":[{"eventId":"x","revision":9007199254740993,"op":"delete","key":"a"}]}',
    });
    expect([big.status, big.body.pointer]).toEqual([422, '/events/0/revision']);
    const many = await post(Array.from({ length: 10_001 }, (_, i) => event(String(i))));
    expect([413, 422]).toContain(many.status);

    const view = await send('GET', '/sources/orders', { token: tokens.auditor });
    expect(answers.source.parse(view.body).size).toBe('2');
  });
});

describe('lists', () => {
  it('page by page give everything once', async () => {
    const seen: string[] = [];
    let cursor: string | null = '';
    for (let page = 0; cursor !== null && page < 50; page++) {
      const query: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
      const answer = await send<{ items: { id: string }[]; nextCursor: string | null }>(
        'GET',
        `/audit?limit=7&outcome=refused${query}`,
        { token: tokens.auditor },
      );
      for (const item of answer.body.items) answers.auditRow.parse(item);
      seen.push(...answer.body.items.map((item) => item.id));
      cursor = answer.body.nextCursor;
    }
    const newest = await rows<{ id: string }>(
      t.db,
      sql`select id from control.audit_event where outcome = 'refused' order by id desc limit ${seen.length}`,
    );
    expect(seen).toEqual(newest.map(({ id }) => id));
    expect(seen.length).toBeGreaterThan(14);
  });

  it('refuse a limit or a cursor that is none', async () => {
    for (const query of [
      'limit=0',
      'limit=ten',
      'cursor=x',
      'cursor=WyJ4Il0',
      'outcome=maybe',
      'verb=%00',
    ]) {
      const answer = await send('GET', `/audit?${query}`, { token: tokens.auditor });
      expect([query, answer.status]).toEqual([query, 422]);
      expect(answer.body.pointer).toBe(`/${query.split('=')[0]}`);
    }
  });

  it('the audit chains hold', async () => {
    const answer = await send('GET', '/audit/verify', { token: tokens.auditor });
    expect(answers.auditVerdict.parse(answer.body).ok).toBe(true);
  });
});

describe('repeated POSTs', () => {
  const create = (key: string, body: unknown = {}, token = tokens.admin) =>
    send<{ id: string; token: string }>('POST', '/people/ana/tokens', {
      token,
      body,
      headers: { 'idempotency-key': key },
    });

  it('get the first answer, whose secret is not kept in the clear', async () => {
    const first = await create('same');
    expect(first.status).toBe(201);
    const second = await create('same');
    expect(second.text).toBe(first.text);
    expect(second.headers.get('idempotency-replayed')).toBe('true');
    const kept = await rows(
      t.db,
      sql`select 1 from control.idempotency where answer::text like ${`%${first.body.token}%`}`,
    );
    expect(kept).toEqual([]);
    expect((await create('same', { roles: ['owner'] })).body.id).not.toBe(first.body.id);
    expect((await create('other')).body.id).not.toBe(first.body.id);
  });

  it('two at once are one', async () => {
    const [a, b] = await Promise.all([create('twice'), create('twice')]);
    expect(a.status).toBe(201);
    expect(b.text).toBe(a.text);
  });

  it('a refusal is not kept, and a key must be one', async () => {
    const gone = () =>
      send('POST', '/people/later/tokens', {
        token: tokens.admin,
        headers: { 'idempotency-key': 'k' },
      });
    expect((await gone()).status).toBe(404);
    await send('PUT', '/people/later', { token: tokens.admin, body: { roles: [] } });
    expect((await gone()).status).toBe(201);
    expect((await create('with blank')).status).toBe(422);
  });
});

describe('tokens and roles', () => {
  it('a lost role and a revoked token count at the next call', async () => {
    await send('PUT', '/people/bob', { token: tokens.admin, body: { roles: ['auditor'] } });
    const made = await send<{ id: string; token: string }>('POST', '/people/bob/tokens', {
      token: tokens.admin,
    });
    expect(answers.newToken.parse(made.body).roles).toEqual([...ROLES].sort());
    const { id, token } = made.body;
    expect((await send('GET', '/audit', { token })).status).toBe(200);
    await send('PUT', '/people/bob', { token: tokens.admin, body: { roles: ['reader'] } });
    expect((await send('GET', '/audit', { token })).status).toBe(403);
    await send('PUT', '/people/bob', { token: tokens.admin, body: { roles: ['auditor'] } });
    expect((await send('GET', '/audit', { token })).status).toBe(200);
    const seen = await send<{ tokens: { id: string }[] }>('GET', '/people/bob', { token });
    expect(seen.text).not.toContain(token);
    expect(seen.body.tokens.map((each) => each.id)).toEqual([id]);
    expect((await send('DELETE', `/tokens/${id}`, { token: tokens.admin })).status).toBe(204);
    expect((await send('GET', '/audit', { token })).status).toBe(401);
  });
});

describe('what nobody foresaw', () => {
  it('is one general sentence with the request id, and says nothing else', async () => {
    const broken = {
      ...t.db,
      execute: () => {
        throw new Error('secret detail of the inside');
      },
    };
    useWebDatabase(broken as never);
    const answer = await send('GET', '/sources', { token: tokens.admin });
    useWebDatabase(t.connect('web'));
    expect(answer.status).toBe(500);
    expect(answer.text).not.toContain('secret detail');
    expect(answer.body).toMatchObject({ code: 'INTERNAL' });
    expect(answer.body.detail).toContain(answer.headers.get('x-request-id'));
  });
});
