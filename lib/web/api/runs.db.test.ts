import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type * as z from 'zod';
import { affected, one } from '@/lib/db/client';
import { lastRunOf } from '@/lib/queries/runs';
import { publish } from '@/lib/services/publication';
import { walkRun } from '@/lib/services/steps/run-walk';
import type { TestDatabase } from '@/lib/testing/database';
import { openShop } from '@/lib/testing/shop';
import { as } from '@/lib/testing/world';
import { listOf } from '@/lib/web/api/fields';
import * as answers from '@/lib/web/api/run-answers';
import { send, tokensOf } from '@/lib/web/api/test-client';
import { useWebDatabase } from '@/lib/web/db';

let t: TestDatabase;
let tokens: Record<string, string> = {};
beforeAll(async () => {
  const shop = await openShop({ policy: { runs: { secondPersonOver: 4 } } });
  t = shop.t;
  useWebDatabase(t.connect('web'));
  tokens = await tokensOf(t.db, { ana: 'owner', dee: 'oncall', eve: 'auditor' });
});
afterAll(() => t.close());

const path = '/datasets/order_tax/runs';
const at = (n: number) => `2011-01-0${n}T00:00:00Z`;
const post = (person: string, to: string, body: unknown, headers: Record<string, string> = {}) =>
  send('POST', to, { token: tokens[person], body, headers });
function parsed<S extends z.ZodType>(
  schema: S,
  answer: { status: number; body: unknown },
  status = 200,
): z.output<S> {
  expect(answer).toMatchObject({ status });
  return schema.parse(answer.body);
}

it('a run is asked for, walked, listed and shown', async () => {
  await publish(as(t.db, 'ana'), {
    dataset: 'order_tax',
    from: at(5),
    to: at(6),
    sentTo: 'office',
  });
  const asked = parsed(
    answers.run,
    await post('ana', `${path}?wait=0`, { from: at(4), to: at(7), owner: 'repair' }),
    201,
  );
  expect(asked).toMatchObject({
    dataset: 'order_tax',
    kind: 'adhoc',
    state: 'planned',
    green: null,
    range: { from: at(4), to: at(7) },
    owner: 'repair',
    by: 'ana',
    planned: [at(4), at(5), at(6)],
    done: [],
    answers: null,
  });
  // the answer is there as soon as the run has ended
  const waiting = send('GET', `/runs/${asked.id}?wait=30`, { token: tokens.eve });
  expect(await walkRun(t.db, asked.id)).toBe('ended');
  expect(parsed(answers.run, await waiting)).toMatchObject({
    state: 'done',
    green: false,
    done: [at(4), at(6)],
    skipped: [[at(5), 'sealed']],
    rows: '2',
    figures: [{ start: at(4), changed: false, rows: '1' }, { start: at(6) }],
  });
  const list = await send('GET', `${path}?limit=1&state=done&kind=adhoc`, { token: tokens.eve });
  expect(parsed(listOf(answers.runItem), list)).toMatchObject({
    items: [{ id: asked.id, green: false, counts: { done: 2, skipped: 1 } }],
    nextCursor: null,
  });
  const newest = await lastRunOf(t.db, 'order_tax', { from: at(4), to: at(6) });
  expect([...newest].map(([start, { state }]) => [start, state])).toEqual([
    [at(4), 'done'],
    [at(5), 'skipped'],
  ]);
});

it('what is so is told before, and answers against it are refused whole', async () => {
  const told = await send('GET', `${path}/questions?from=${at(4)}&to=${at(7)}`, {
    token: tokens.eve,
  });
  expect(parsed(answers.runQuestions, told)).toMatchObject({
    partitions: { count: 3 },
    published: { count: 1, recipients: ['office'] },
    overwritable: { replaced: 2 },
    secondPersonNeeded: false,
  });
  const against = { overwritable: false, earlierComplete: true, publishedSeen: false };
  const refused = await post('ana', path, { from: at(4), to: at(7), answers: against });
  expect(refused).toMatchObject({
    status: 409,
    body: { code: 'NOT_OVERWRITABLE', blockers: [{}, { code: 'PUBLISHED_NOT_SEEN' }] },
  });
  const half = await post('ana', path, { from: at(4), to: at(7), answers: { overwritable: true } });
  expect(half).toMatchObject({ status: 422, body: { pointer: '/answers/earlierComplete' } });
  expect(await post('eve', path, { from: at(4), to: at(7) })).toMatchObject({ status: 403 });
  expect((await send('GET', '/runs/4711', { token: tokens.eve })).status).toBe(404);
  expect((await send('GET', '/runs/x', { token: tokens.eve })).status).toBe(404);
});

it('a large one is confirmed by another, cancelled with a reason, and done again', async () => {
  const large = parsed(answers.run, await post('ana', path, { from: at(2), to: at(7) }), 201);
  expect(large).toMatchObject({ state: 'second_person', secondNeeded: true });
  expect(await post('ana', `/runs/${large.id}/confirm`, {})).toMatchObject({
    status: 409,
    body: { code: 'SELF_APPROVAL' },
  });
  const confirmed = await post('dee', `/runs/${large.id}/confirm`, {});
  expect(parsed(answers.run, confirmed)).toMatchObject({ state: 'planned', secondBy: 'dee' });
  expect((await post('dee', `/runs/${large.id}/cancel`, {})).status).toBe(422);
  const cancelled = await post('dee', `/runs/${large.id}/cancel`, { reason: 'too early' });
  expect(parsed(answers.run, cancelled)).toMatchObject({
    state: 'cancelled',
    why: 'cancelled by dee: too early',
  });
  const again = await post('dee', `/runs/${large.id}/retry?wait=0`, {});
  expect(parsed(answers.run, again, 201)).toMatchObject({
    retryOf: large.id,
    state: 'second_person',
    planned: [2, 3, 4, 5, 6].map(at),
  });
});

it('is made once under one key, and a first try that died is found', async () => {
  const body = { from: at(7), to: at(8) };
  const headers = { 'idempotency-key': 'k1' };
  const to = `${path}?wait=0`;
  const first = await post('ana', to, body, headers);
  await affected(
    t.db,
    sql`update control.idempotency set status = null, created_at = created_at - interval '1 hour',
        answer = jsonb_build_object('tries', jsonb_build_array((
          select request_id from control.audit_event where verb = 'dataset.run' order by id desc limit 1)))
      where route = ${`POST /api/v1${path}`}`,
  );
  const again = await post('ana', to, body, headers);
  expect(again).toMatchObject({ status: 201, body: first.body });
  const { n } = await one<{ n: number }>(
    t.db,
    sql`select count(*)::int as n from control.run where range_from = ${at(7)}`,
  );
  expect(n).toBe(1);
});
