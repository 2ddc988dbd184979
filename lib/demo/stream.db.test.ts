import { sql } from 'drizzle-orm';
import pino from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { affected, type Database, json, one, rows } from '@/lib/db/client';
import type { Role } from '@/lib/domain/permissions';
import { Forbidden, NotFound } from '@/lib/domain/refusal';
import { demoStream } from '@/lib/runner/demo-stream';
import type { Ctx } from '@/lib/services/context';
import { streamState, switchStream } from '@/lib/services/demo';
import { demoSettings } from '@/lib/services/demo/setting';
import { appendEvents, applySource } from '@/lib/services/source';
import { type TestDatabase, testDatabase } from '@/lib/testing/database';
import { till } from './cast';
import { shopHistory } from './shop/history';
import { turn } from './shop/live';
import { orders } from './story/datasets';
import { streamTurn } from './stream';

let t: TestDatabase;
beforeAll(async () => {
  t = await testDatabase();
  await applySource(as('fay', ['admin']), orders);
  const events = shopHistory()
    .slice(0, 3_000)
    .map(({ event }) => event);
  await appendEvents(till(t.db), { source: orders.name, events });
});
afterAll(() => t.close());

const as = (person: string, roles: Role[]): Ctx => ({
  db: t.db,
  actor: { person, roles, via: 'console', session: null },
  requestId: `test-${person}`,
});

async function put(name: string, value: object) {
  await affected(
    t.db,
    sql`insert into control.setting (name, value, changed_at, changed_by)
      values (${name}, ${json(value)}, clock_timestamp() - interval '1 hour', 'system')
      on conflict (name) do update set value = excluded.value, changed_at = excluded.changed_at,
        changed_by = excluded.changed_by`,
  );
}
const log = () =>
  rows<{ eventId: string; key: string; revision: number; op: string; effective: boolean }>(
    t.db,
    sql`select event_id as "eventId", key, revision::int as revision, op, effective
      from control.source_event`,
  );
const logged = async () => (await log()).length;
const turnRow = () =>
  one<{ next: number; left: number }>(
    t.db,
    sql`select (value ->> 'next')::int as next, (value ->> 'left')::int as left
      from control.setting where name = ${demoSettings.turn}`,
  );

beforeEach(async () => {
  await put(demoSettings.seeded, { version: 1 });
  await put(demoSettings.stream, { on: true });
  await put(demoSettings.turn, { next: 1, left: 100 });
});

describe('the live stream', () => {
  it('takes no turn where there is no demo, or it is still being made', async () => {
    await affected(t.db, sql`delete from control.setting where name = ${demoSettings.seeded}`);
    const before = await logged();
    expect(await streamTurn(t.db, 0)).toBeNull();
    expect(await streamState(t.db)).toBeNull();
    await affected(t.db, sql`delete from control.setting`);
    expect(await streamTurn(t.db, 0)).toBeNull();
    expect(await logged()).toBe(before);
  });

  it('takes no turn while it is off', async () => {
    await put(demoSettings.stream, { on: false });
    const before = await logged();
    expect(await streamTurn(t.db, 0)).toBeNull();
    expect(await turnRow()).toEqual({ next: 1, left: 100 });
    expect(await logged()).toBe(before);
  });

  it('takes a turn once, however many runners look at the same time', async () => {
    const n = Array.from({ length: 100 }, (_, i) => i + 1_000).find((i) => turn(i).kind === 'new');
    await put(demoSettings.turn, { next: n, left: 100 });
    const told = turn(n as number);
    const before = await logged();
    const runners = [t.connect('runner'), t.connect('runner')];
    const taken = await Promise.all(
      Array.from({ length: 16 }, (_, i) => streamTurn(runners[i % 2] as Database, 60_000)),
    );
    const count = told.kind === 'new' ? told.events.length : 0;
    expect(taken.filter((each) => each !== null)).toEqual([
      expect.objectContaining({ accepted: count, duplicates: 0, stale: 0 }),
    ]);
    expect(await turnRow()).toEqual({ next: (n as number) + 1, left: 99 });
    expect(await logged()).toBe(before + count);
  });

  it('tells of lines that are there: changes, cancellations and deletes', async () => {
    const known = new Set((await log()).map(({ eventId }) => eventId));
    await put(demoSettings.turn, { next: 1, left: 1_000 });
    for (let n = 1; n <= 80; n++) await streamTurn(t.db, 0);
    expect(await turnRow()).toEqual({ next: 81, left: 920 });
    const told = (await log()).filter(({ eventId }) => !known.has(eventId));
    const kinds = told.map(({ op, revision, key }) =>
      op === 'delete' ? op : revision > 1 ? 'change' : key.startsWith('C') ? 'cancel' : 'new',
    );
    expect([...new Set(kinds)].sort()).toEqual(['cancel', 'change', 'delete', 'new']);
    expect(told.filter(({ effective }) => !effective)).toEqual([]);
  });

  it('switches itself off when its turns are used up, and says so in the audit chain', async () => {
    await put(demoSettings.turn, { next: 2_000, left: 1 });
    expect(await streamTurn(t.db, 0)).not.toBeNull();
    expect(await streamState(t.db)).toMatchObject({ on: false, by: 'runner' });
    expect(await streamTurn(t.db, 0)).toBeNull();
    const audit = await one(
      t.db,
      sql`select actor, after, outcome from control.audit_event
        where verb = 'demo.stream' order by id desc limit 1`,
    );
    expect(audit).toEqual({ actor: 'runner', after: { on: false }, outcome: 'done' });
  });

  it('flows from a runner process until that stops', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    try {
      await put(demoSettings.turn, { next: 3_000, left: 100 });
      const stream = demoStream(t.db, pino({ level: 'silent' }));
      vi.advanceTimersByTime(1_000);
      await vi.waitFor(async () => expect(await turnRow()).toEqual({ next: 3_001, left: 99 }), {
        timeout: 10_000,
      });
      stream.stop();
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });
});

describe('the switch', () => {
  it('is for those who may, and each switching is in the audit chain', async () => {
    await put(demoSettings.turn, { next: 1, left: 3 });
    await expect(switchStream(as('cyd', ['approver']), { on: false })).rejects.toBeInstanceOf(
      Forbidden,
    );
    expect(await switchStream(as('dee', ['oncall']), { on: false })).toEqual({ on: false });
    expect(await streamState(t.db)).toMatchObject({ on: false, by: 'dee' });
    expect(await switchStream(as('ana', ['owner']), { on: true })).toEqual({ on: true });
    expect(await switchStream(as('fay', ['admin']), { on: true })).toEqual({ on: true });
    expect(await streamState(t.db)).toMatchObject({ on: true, by: 'ana' });
    expect((await turnRow()).left).toBe(40_000);
    const found = await rows<{ actor: string; outcome: string }>(
      t.db,
      sql`select actor, outcome from control.audit_event
        where verb = 'demo.stream' and actor <> 'runner' order by id`,
    );
    expect(found).toEqual([
      { actor: 'cyd', outcome: 'refused' },
      { actor: 'dee', outcome: 'done' },
      { actor: 'ana', outcome: 'done' },
    ]);
  });

  it('is not there where there is no demo', async () => {
    await affected(t.db, sql`delete from control.setting where name = ${demoSettings.seeded}`);
    await expect(switchStream(as('fay', ['admin']), { on: true })).rejects.toBeInstanceOf(NotFound);
  });
});
