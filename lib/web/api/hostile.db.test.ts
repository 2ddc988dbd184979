import { randomBytes } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { one } from '@/lib/db/client';
import { ROLES } from '@/lib/domain/permissions';
import { provisionToken } from '@/lib/services/people/tokens';
import type { TestDatabase } from '@/lib/testing/database';
import { doorTrace } from '@/lib/testing/doors';
import { fix, openShop } from '@/lib/testing/shop';
import { event, orders } from '@/lib/testing/world';
import { type Calls, callsBy } from '@/lib/web/api/hostile-calls';
import { endpoints } from '@/lib/web/api/registry';
import { useWebDatabase } from '@/lib/web/db';

vi.stubEnv('AUTH_SECRET', 'a secret of this test only');
vi.stubEnv('LOG_LEVEL', 'silent');

let t: TestDatabase;
let release: string;
let token: string;
let call: Calls['call'];
let refused: Calls['refused'];

beforeAll(async () => {
  const shop = await openShop();
  t = shop.t;
  useWebDatabase(t.connect('web'));
  release = await shop.w.draft(fix());
  const made = await provisionToken(t.db, { person: 'all', roles: ROLES, requestId: 'set-up' });
  token = made.token;
  ({ call, refused } = callsBy(token));
});
afterAll(() => t.close());

const unchanged = async (run: () => Promise<void>) => {
  const before = await doorTrace(t.db);
  await run();
  expect(await doorTrace(t.db)).toEqual(before);
};

const random = (length: number) => randomBytes(length).toString('hex').slice(0, length);
const lines = 'a line\n'.repeat(10_000);

describe('bodies', () => {
  const written = endpoints.filter((e) => e.body !== undefined);
  const pathOf = (path: string) =>
    path.replace(/\{(\w+)\}/g, (_, name: string) => {
      const names: Record<string, string> = { release, dataset: 'order_tax', source: 'orders' };
      return names[name] ?? 'ana';
    });
  const texts: Record<string, string> = {
    'objects 10,000 deep': `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`,
    'lists 10,000 deep': `{"roles":${'['.repeat(10_000)}${']'.repeat(10_000)}}`,
    'no JSON': '{"a":',
    'a list': '[]',
    'a text': '"x"',
    NUL: '{"reason":"a\\u0000b"}',
    'NUL in a name': '{"a\\u0000b":1}',
    'half a pair': '{"reason":"\\ud800"}',
    'beyond 2^53': '{"count":9007199254740993}',
    'beyond a double': '{"count":1e400}',
    'a member twice': '{"reason":"one","reason":"two"}',
    'a member twice, written otherwise': '{"reason":"one","r\\u0065ason":"two"}',
    'a bad escape before a number': '{"\\x":9007199254740993}',
    'what has a prototype': '{"__proto__":{"roles":["admin"]},"constructor":{"name":"x"}}',
    'no texts where texts are': '{"release":{"toString":1,"valueOf":1},"name":{"toString":1}}',
    'an unknown field': '{"nobody":"knows"}',
  };

  it.each(Object.entries(texts))('%s: refused at each endpoint that takes a body', (_, text) =>
    unchanged(async () => {
      for (const { method, path } of written) {
        expect((await refused(method, pathOf(path), { text })).status).not.toBe(404);
      }
    }),
  );

  it('that are no UTF-8 are refused', () =>
    unchanged(async () => {
      for (const bytes of [
        [0xff, 0xfe],
        [0xc0, 0x80],
        [0xed, 0xa0, 0x80],
      ]) {
        const body = Buffer.concat([Buffer.from('{"x":"'), Buffer.from(bytes), Buffer.from('"}')]);
        const { serve } = await import('@/lib/web/api/serve');
        const request = new Request('http://localhost/api/v1/people/ana', {
          method: 'PUT',
          headers: { authorization: `Bearer ${token}` },
          body,
        });
        const answer = await serve('/people/{person}').PUT(request);
        expect([answer.status, (await answer.json()).code]).toEqual([422, 'INVALID_INPUT']);
      }
    }));

  it('with a text of 10,000 lines where a name or a word belongs', () =>
    unchanged(async () => {
      for (const [method, path, body] of [
        ['PUT', '/people/ana', { roles: [], displayName: lines }],
        ['PUT', '/people/ana', { roles: [lines] }],
        ['PUT', '/people/ana', { roles: [], email: lines }],
        ['POST', '/transforms/check', { dataset: 'order_tax', sql: lines }],
        ['POST', '/transforms/check', { dataset: lines, sql: 'select 1' }],
        ['POST', `/releases/${release}/pause`, { reason: lines }],
        ['POST', `/releases/${release}/approve`, { evidence: lines }],
        ['POST', '/releases', fix({ owner: lines })],
        ['POST', '/releases', fix({ release: lines })],
        ['POST', '/releases', fix({ expectedDiff: [{ rule: lines, where: 'true', columns: [] }] })],
        [
          'POST',
          '/sources/orders/events',
          { events: [{ ...event({ line: lines, at: '2011-01-05T00:00:00Z' }) }] },
        ],
        ['POST', '/sources/orders/events', { events: lines.split('\n').slice(0, 10_001) }],
      ] as const) {
        await refused(method, path, { body });
      }
    }));

  it('a text of 10,000 lines in a column of text is a fact like any other, kept whole', async () => {
    const body = { events: [event({ line: 'long', at: '2011-01-05T00:00:00Z', country: lines })] };
    expect((await call('POST', '/sources/orders/events', { body })).status).toBe(200);
    const { same } = await one<{ same: boolean }>(
      t.db,
      sql`select payload ->> 'country' = ${lines} as same from control.source_event
        where event_id = 'long-r1'`,
    );
    expect(same).toBe(true);
  });
});

describe('names', () => {
  const names = [
    `a'b`,
    'a"b',
    'a`b',
    'a;drop table control.person;--',
    'pg_catalog',
    'a'.repeat(64),
    'é',
    'оrders',
    'ｏrders',
    'a\u202eb',
    'a\u200bb',
    'a b',
    'a\nb',
    'a\\b',
    '%00',
    '%2e%2e',
    '..',
    '-',
    '',
    ' ',
    'A',
    '1a',
    random(250),
    random(3_000),
    'ctid',
    '__proto__',
    'constructor',
  ];
  /** Names that are fine for some kinds of things. */
  const fine: Record<string, string[]> = {
    column: ['pg_catalog', 'constructor'],
    person: ['A', 'pg_catalog', 'ctid', 'constructor'],
    source: ['ctid', 'constructor'],
    dataset: ['ctid', 'constructor'],
    release: ['ctid', 'constructor'],
    generation: ['pg_catalog', 'a'.repeat(64), 'ctid', 'constructor'],
  };
  const hostile = (kind: string) => names.filter((name) => !fine[kind]?.includes(name));
  const { name: _, ...source } = orders.source;
  const { name: __, ...dataset } = orders.dataset;

  it('in a path are refused wherever something would be made, and not found elsewhere', () =>
    unchanged(async () => {
      for (const { method, path, id } of endpoints.filter((e) => e.path.includes('{'))) {
        const kind = /\{(\w+)\}/.exec(path)?.[1] ?? '';
        const bodies: Record<string, unknown> = {
          putPerson: { roles: ['admin'] },
          putSource: source,
          putDataset: dataset,
        };
        // the router resolves dots and takes an empty part for another path
        for (const name of hostile(kind).filter((each) => !['', '..'].includes(each))) {
          const at = path.replace(/\{\w+\}/, encodeURIComponent(name));
          const body = method === 'GET' || method === 'DELETE' ? {} : { body: bodies[id] ?? {} };
          await refused(method, at, body);
          // the same, not encoded once more
          if (name.startsWith('%')) await refused(method, path.replace(/\{\w+\}/, name), body);
        }
      }
    }));

  it('in a body are refused at their pointer', () =>
    unchanged(async () => {
      const [first, ...rest] = source.columns;
      const [one, ...more] = dataset.columns;
      for (const name of hostile('column')) {
        const body = { ...source, columns: [{ ...first, name }, ...rest], key: [name] };
        expect((await refused('PUT', '/sources/s', { body })).body.pointer).toMatch(/^\/columns/);
        const other = { ...dataset, columns: [{ ...one, name }, ...more], key: [name] };
        expect((await refused('PUT', '/datasets/d', { body: other })).body.pointer).toMatch(
          /^\/columns/,
        );
      }
      for (const name of hostile('release')) {
        const body = fix({ release: name });
        expect((await refused('POST', '/releases', { body })).body.pointer).toBe('/release');
      }
      for (const name of hostile('dataset')) {
        const body = fix({ dataset: name });
        expect((await refused('POST', '/releases', { body })).body.pointer).toBe('/dataset');
        await refused('PUT', '/datasets/d', { body: { ...dataset, source: name } });
      }
      for (const name of hostile('generation')) {
        const body = fix({ targetGeneration: name });
        expect((await refused('POST', '/releases', { body })).body.pointer).toBe(
          '/targetGeneration',
        );
      }
      for (const name of names) {
        const body = { ...dataset, timezone: name };
        expect((await refused('PUT', '/datasets/d', { body })).body.pointer).toBe('/timezone');
      }
    }));

  it('that are refused are in the audit by as much as an index holds', async () => {
    const name = random(3_000);
    const answer = await refused('POST', '/releases', { body: fix({ release: name }) });
    expect(answer.status).toBe(422);
    const row = await one<{ subject: string; outcome: string }>(
      t.db,
      sql`select subject, outcome from control.audit_event order by id desc limit 1`,
    );
    expect(row).toEqual({ subject: name.slice(0, 300), outcome: 'refused' });
    expect((await call('GET', '/audit/verify')).body.ok).toBe(true);
  });
});
