import { afterAll, beforeAll, expect, it } from 'vitest';
import * as z from 'zod';
import { readInShadow } from '@/lib/services/reports';
import type { TestDatabase } from '@/lib/testing/database';
import { fix, openShop, type Shop } from '@/lib/testing/shop';
import { report, shadow } from '@/lib/web/api/report-answers';
import { send, tokensOf } from '@/lib/web/api/test-client';
import { useWebDatabase } from '@/lib/web/db';

let t: TestDatabase;
let shop: Shop;
let release = '';
let tokens: Record<string, string> = {};
beforeAll(async () => {
  shop = await openShop();
  t = shop.t;
  useWebDatabase(t.connect('web'));
  tokens = await tokensOf(t.db, { ana: 'owner', bo: 'approver', eve: 'auditor', reader: 'reader' });
  release = await shop.w.rehearsed(fix());
});
afterAll(() => t.close());

const of = '/datasets/order_tax/reports';
const byLine = { name: 'Tax by line', sql: 'select line, tax from order_tax' };
const post = (person: string, where: string, body: unknown, key?: string) =>
  send('POST', where, {
    token: tokens[person],
    body,
    headers: key === undefined ? {} : { 'idempotency-key': key },
  });
const get = (where: string, person = 'eve') => send('GET', where, { token: tokens[person] });
const items = z.object({ items: z.array(shadow) });

it('a report is saved once under one key, listed, and refused with its place', async () => {
  const first = await post('ana', of, byLine, 'r1');
  expect(first.status).toBe(201);
  const made = report.parse(first.body);
  expect(made).toMatchObject({ ...byLine, dataset: 'order_tax', limitSeconds: 30, endedAt: null });
  expect((await post('ana', of, byLine, 'r1')).body).toEqual(first.body);
  expect((await get(of)).body).toEqual({ items: [first.body] });

  const wrong = await post('ana', of, { name: 'x', sql: 'select line,\n now() from order_tax' });
  expect(wrong.status).toBe(422);
  expect(wrong.body).toMatchObject({
    code: 'TRANSFORM_NOT_DETERMINISTIC',
    issues: [{ pointer: '/sql', line: 2, column: 2 }],
  });
  expect((await post('bo', of, byLine)).status).toBe(403);
  expect((await get(of, 'reader')).status).toBe(403);
});

it('is read in shadow when asked for, and the answer says what differs', async () => {
  const path = `/releases/${release}/shadow`;
  expect((await post('eve', path, {})).status).toBe(403);
  const asked = await post('bo', path, {});
  expect(asked.status).toBe(202);
  const [waiting] = items.parse(asked.body).items;
  expect(waiting).toMatchObject({ read: { state: 'ASKED', askedBy: 'bo' } });
  await readInShadow(t.db, waiting?.read?.id ?? '');
  const [found] = items.parse((await get(path)).body).items;
  expect(found?.read).toMatchObject({
    state: 'COMPARED',
    compared: {
      columns: ['line', 'tax'],
      differing: '4',
      sample: [
        { old: ['l4', '17.50'], new: ['l4', '20.00'] },
        { old: ['l5', '17.50'], new: ['l5', '20.00'] },
        { old: ['l6', '17.50'], new: ['l6', '20.00'] },
        { old: ['l7', '17.50'], new: ['l7', '20.00'] },
      ],
    },
  });
});

it('and ended; what was read of it stays', async () => {
  const [saved] = z.object({ items: z.array(report) }).parse((await get(of)).body).items;
  const ended = await post('ana', `/reports/${saved?.id}/end`, {});
  expect([ended.status, report.parse(ended.body).endedAt]).toEqual([200, expect.any(String)]);
  expect((await post('ana', `/reports/${saved?.id}/end`, {})).body).toMatchObject({
    blockers: [{ code: 'REPORT_ENDED' }],
  });
  expect((await get(of)).body).toEqual({ items: [] });
  const { body } = await get(`/releases/${release}/shadow`);
  expect(items.parse(body).items).toMatchObject([{ read: { state: 'COMPARED' } }]);
  const none = await post('bo', `/releases/${release}/shadow`, {});
  expect([none.status, none.body]).toMatchObject([409, { blockers: [{ code: 'NO_REPORTS' }] }]);
});
