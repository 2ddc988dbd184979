import { createHash } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type * as z from 'zod';
import { affected } from '@/lib/db/client';
import { digestOf } from '@/lib/digest/canonical';
import { addDecimals } from '@/lib/domain/decimal';
import { correct } from '@/lib/testing/corrections';
import type { TestDatabase } from '@/lib/testing/database';
import { line, openShop, type Shop } from '@/lib/testing/shop';
import * as answers from '@/lib/web/api/answers';
import { publications } from '@/lib/web/api/endpoints/publications';
import * as published from '@/lib/web/api/publication-answers';
import { send, tokensOf } from '@/lib/web/api/test-client';
import { EXPORT_TAG } from '@/lib/web/corrections-export';
import { useWebDatabase } from '@/lib/web/db';

let t: TestDatabase;
let shop: Shop;
let tokens: Record<string, string> = {};
beforeAll(async () => {
  shop = await openShop();
  t = shop.t;
  useWebDatabase(t.connect('web'));
  tokens = await tokensOf(t.db, { ana: 'owner', dee: 'oncall', eve: 'auditor', reader: 'reader' });
});
afterAll(() => t.close());

const path = '/datasets/order_tax';
const at = (n: number) => `2011-01-0${n}T00:00:00Z`;
const post = (person: string, noun: string, body: unknown, headers: Record<string, string> = {}) =>
  send('POST', `${path}/${noun}`, { token: tokens[person], body, headers });
const get = async <S extends z.ZodType>(schema: S, noun: string, person = 'eve') => {
  const { status, body } = await send('GET', `${path}/${noun}`, { token: tokens[person] });
  expect([noun, status]).toEqual([noun, 200]);
  return schema.parse(body) as z.output<S>;
};
const rollups = (query = '') => get(answers.rollup, `rollup?${query}`, 'reader');

/** Undoes what `recover` needs undone: the answer was lost, the audit row was written. */
const loseAnswer = (noun: string, verb: string) =>
  affected(
    t.db,
    sql`update control.idempotency set status = null, created_at = created_at - interval '1 hour',
        answer = jsonb_build_object('tries', jsonb_build_array((
          select request_id from control.audit_event where verb = ${verb} order by id desc limit 1)))
      where route = ${`POST /api/v1${path}/${noun}`}`,
  );

describe('publishing', () => {
  const range = { from: at(4), to: '2011-01-06T01:00:00+01:00' };

  it('seals, once under one key, and a first try whose answer was lost is found', async () => {
    const body = { ...range, sentTo: '  ', document: 'return-1' };
    const headers = { 'idempotency-key': 'p1' };
    const first = await post('ana', 'publications', body, headers);
    expect(first.status).toBe(201);
    expect(published.publication.parse(first.body)).toMatchObject({
      range: { from: at(4), to: at(6) },
      sentTo: 'not said',
      document: 'return-1',
      sealed: [at(4), at(5)],
      already: [],
      rows: 2,
      by: 'ana',
    });
    await loseAnswer('publications', 'dataset.publish');
    const again = await post('ana', 'publications', body, headers);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect([again.status, again.body]).toEqual([201, first.body]);
    const { items } = (
      await send<{ items: unknown[] }>('GET', `${path}/publications`, {
        token: tokens.eve,
      })
    ).body;
    expect(items.map((each) => published.publicationItem.parse(each).partitions)).toEqual([2]);
  });

  it('is refused off the edges, empty, unnamed, and to whom it is not', async () => {
    const off = await post('ana', 'publications', { from: at(4), to: '2011-01-05T07:00:00Z' });
    expect(off).toMatchObject({
      status: 422,
      body: { code: 'RANGE_NOT_ON_PARTITION_EDGE', pointer: '/to' },
    });
    for (const [body, code, pointer] of [
      [{ from: at(5), to: at(5) }, 'EMPTY_RANGE', undefined],
      [{ from: at(5) }, 'REQUIRED', '/to'],
      [{ from: '2011-01-05', to: at(6) }, 'AMBIGUOUS_TIME', '/from'],
      [{ ...range, unseal: true }, 'UNKNOWN_FIELD', '/unseal'],
      [{ ...range, sentTo: 'x'.repeat(501) }, 'INVALID_INPUT', '/sentTo'],
    ] as const) {
      const answer = await post('ana', 'publications', body);
      expect(answer).toMatchObject({ status: 422, body: { code } });
      if (pointer !== undefined) expect(answer.body.pointer).toBe(pointer);
    }
    expect(await post('eve', 'publications', range)).toMatchObject({ status: 403 });
    const nowhere = { token: tokens.ana, body: range };
    expect((await send('POST', '/datasets/nothing/publications', nowhere)).status).toBe(404);
  });

  it('is seen in the partitions, beside claims', async () => {
    await post('dee', 'claims', { from: at(5), to: at(7), owner: 'nightly' });
    const partitions = await get(answers.partition.array(), 'partitions');
    expect(partitions.map(({ sealed, claimedBy }) => [sealed, claimedBy])).toEqual([
      [false, null],
      [false, null],
      [true, null],
      [true, 'nightly'],
      [false, 'nightly'],
      [false, null],
      [false, null],
    ]);
    expect(partitions.map(({ published, root }) => published === root)).toEqual(
      [2, 3, 4, 5, 6, 7, 8].map((n) => n === 4 || n === 5),
    );
    await send('DELETE', `${path}/claims`, {
      token: tokens.dee,
      body: { from: at(5), to: at(7), owner: 'nightly' },
    });
  });
});

describe('amending', () => {
  it('records what live events would have changed, and serves what was published', async () => {
    const before = await rollups();
    expect(before).toMatchObject({
      metrics: { tax: '122.50', lines: '7' },
      asOfNow: { tax: '122.50', lines: '7' },
      corrections: { partitions: 0, pending: 0 },
    });
    await shop.w.append([line(4, { revision: 2, price: '98765432109.01' })]);
    await shop.w.append([line(5, { revision: 2, op: 'delete' })]);
    await shop.w.live();
    const pending = await rollups();
    expect(pending).toMatchObject({ metrics: before.metrics, asOfNow: before.asOfNow });
    expect(pending.corrections).toEqual({ partitions: 0, pending: 2 });
    const history = await get(published.partitionHistory, `partitions/${at(4)}/history`);
    expect(history.pending).toMatchObject({ count: 1, events: [{ kind: 'changed' }] });

    const body = { partition: '2011-01-04T01:00:00+01:00', reason: 'price corrected' };
    const headers = { 'idempotency-key': 'a1' };
    const made = await post('dee', 'amendments', body, headers);
    expect(made.status).toBe(201);
    const correction = published.correction.parse(made.body);
    expect(correction).toMatchObject({
      partition: { start: at(4) },
      kind: 'amend',
      before: { rows: 1, sums: { net: '100.000' } },
      after: { rows: 1, sums: { net: '98765432109.010' } },
      delta: { rows: 0, sums: { net: '98765432009.010' } },
      by: 'dee',
    });
    await loseAnswer('amendments', 'dataset.amend');
    const again = await post('dee', 'amendments', body, headers);
    expect([again.status, again.body]).toEqual([201, made.body]);
    await post('ana', 'amendments', { partition: at(5), reason: 'returned' });

    const now = await rollups('by=partition');
    expect(now.metrics).toEqual(before.metrics);
    expect(now.corrections).toEqual({ partitions: 2, pending: 0 });
    expect(now.asOfNow?.lines).toBe('6');
    expect(now.asOfNow?.tax).toBe(
      addDecimals(
        addDecimals(before.metrics.tax ?? '', '-35.00'),
        correction.after.partials.tax ?? '',
      ),
    );
    expect(now.perPartition?.map(({ sealed }) => sealed)).toEqual(
      [2, 3, 4, 5, 6, 7, 8].map((n) => n === 4 || n === 5),
    );
    const parts = now.perPartition ?? [];
    expect(parts.map((p) => p.metrics.tax ?? '0').reduce(addDecimals)).toBe(now.metrics.tax);
    expect(parts.map((p) => p.asOfNow?.tax ?? '0').reduce(addDecimals)).toBe(now.asOfNow?.tax);
    const some = await rollups(`from=${at(5)}&to=${at(6)}`);
    expect(some).toMatchObject({
      metrics: { lines: '1' },
      asOfNow: { lines: '0', tax: null },
      corrections: { partitions: 1, pending: 0 },
    });
    expect(some.perPartition).toBeUndefined();
  });

  it('is refused without a reason, and for what is not sealed', async () => {
    for (const reason of [undefined, '', ' \n']) {
      const answer = await post('ana', 'amendments', { partition: at(4), reason });
      expect(answer).toMatchObject({
        status: 422,
        body: { code: 'COMMENT_REQUIRED', pointer: '/reason' },
      });
    }
    const open = await post('ana', 'amendments', { partition: at(7), reason: 'x' });
    expect(open).toMatchObject({ status: 409, body: { code: 'NOT_SEALED' } });
    expect(open.body.blockers).toMatchObject([{ code: 'NOT_SEALED', kind: 'fix' }]);
  });
});

describe('reading corrections', () => {
  it('is filtered and paged, and the history adds up', async () => {
    await correct(t.db, { start: at(4), rows: 2, reason: '=late' });
    const list = async (query: string) => {
      const page = await get(published.corrections, `corrections?${query}`);
      const { items, nextCursor } = page as {
        items: z.output<typeof published.correction>[];
        nextCursor: string | null;
      };
      return { starts: items.map(({ partition }) => partition.start), nextCursor };
    };
    expect((await list('')).starts).toEqual([at(4), at(5), at(4)]);
    expect((await list(`from=${at(5)}`)).starts).toEqual([at(5)]);
    expect((await list('by=dee&kind=amend')).starts).toEqual([at(4)]);
    expect((await list('release=vat-fix@1')).starts).toEqual([]);
    const first = await list('limit=2');
    expect((await list(`limit=2&cursor=${first.nextCursor}`)).starts).toEqual([at(4)]);
    const history = await get(published.partitionHistory, `partitions/${at(4)}/history`);
    expect(history).toMatchObject({ addsUp: true, delta: { rows: 1 } });
    expect(history.corrections).toHaveLength(2);
    const sealed = await send<{ items: unknown[] }>('GET', `${path}/sealed?limit=1`, {
      token: tokens.eve,
    });
    expect(published.sealedPartition.parse(sealed.body.items[0])).toMatchObject({ corrections: 2 });
    expect(sealed.body).toHaveProperty('nextCursor', expect.any(String));
  });

  it('of a dataset that is not there is 404', async () => {
    for (const name of ['x', "a'b", 'order_tax~drill-1']) {
      for (const { method, path: template } of publications) {
        const concrete = template.replace('{dataset}', name).replace('{start}', 'x');
        const body = { from: at(4), to: at(5), partition: at(4), reason: 'x' };
        const fields = template.endsWith('amendments') ? ['partition', 'reason'] : ['from', 'to'];
        const given = Object.fromEntries(Object.entries(body).filter(([k]) => fields.includes(k)));
        const answer = await send(method, concrete, {
          token: method === 'GET' ? tokens.eve : tokens.ana,
          ...(method === 'GET' ? {} : { body: given }),
        });
        const expected = name.includes("'") && method === 'POST' ? 422 : 404;
        expect([method, concrete, answer.status]).toEqual([method, concrete, expected]);
      }
    }
  });

  it('is refused by name', async () => {
    for (const [noun, status, code] of [
      ['partitions/2011-01-04/history', 422, 'AMBIGUOUS_TIME'],
      ["partitions/'--/history", 422, 'INVALID_INPUT'],
      [`partitions/${at(7)}/history`, 404, 'NOT_FOUND'],
      ['corrections?kind=unseal', 422, 'INVALID_INPUT'],
      ['corrections?format=xlsx', 422, 'INVALID_INPUT'],
      ['corrections?cursor=x', 422, 'INVALID_INPUT'],
      ['sealed?cursor=WyJ4Il0', 422, 'INVALID_INPUT'],
      ['rollup?by=row', 422, 'INVALID_INPUT'],
    ] as const) {
      const token = noun.startsWith('rollup') ? tokens.reader : tokens.eve;
      const answer = await send('GET', `${path}/${noun}`, { token });
      expect([noun, answer.status, answer.body.code]).toEqual([noun, status, code]);
    }
    expect((await send('GET', `${path}/corrections`, { token: tokens.reader })).status).toBe(403);
  });

  it('as a file comes with the digest of its bytes', async () => {
    const { serve } = await import('@/lib/web/api/serve');
    const file = async (format: string) => {
      const response = await serve('/datasets/{dataset}/corrections').GET(
        new Request(`http://localhost/api/v1${path}/corrections?format=${format}`, {
          headers: { authorization: `Bearer ${tokens.eve}` },
        }),
      );
      const body = Buffer.from(await response.arrayBuffer());
      const digest = createHash('sha256').update(body).digest('base64');
      expect(response.headers.get('content-digest')).toBe(`sha-256=:${digest}:`);
      expect(response.headers.get('cache-control')).toContain('no-transform');
      return { type: response.headers.get('content-type'), text: body.toString('utf8') };
    };
    const csv = await file('csv');
    expect(csv.type).toBe('text/csv; charset=utf-8');
    expect(csv.text.split('\r\n')).toHaveLength(5);
    expect(csv.text).toContain(",'=late,");
    const json = await file('json');
    const parsed = JSON.parse(json.text);
    published.corrections.parse(parsed);
    expect(parsed.digest).toBe(digestOf(EXPORT_TAG, parsed.items));
    expect(parsed.items).toHaveLength(3);
  });
});
