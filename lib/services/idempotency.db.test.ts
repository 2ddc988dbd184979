import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { affected, rows } from '@/lib/db/client';
import { Refused, toFix } from '@/lib/domain/refusal';
import type { Ctx } from '@/lib/services/context';
import { type IdempotentCall, once, type StoredAnswer } from '@/lib/services/idempotency';
import { type TestDatabase, testDatabase } from '@/lib/testing/database';

let t: TestDatabase;
beforeAll(async () => {
  t = await testDatabase();
});
afterAll(() => t.close());

let request = 0;
const as = (person: string): Ctx => ({
  db: t.db,
  actor: { person, roles: [], via: 'api', session: null },
  requestId: `request-${++request}`,
});
const call = (key: string, more: Partial<IdempotentCall> = {}): IdempotentCall => ({
  route: 'POST /x',
  key,
  bodyDigest: 'sha256:0',
  ...more,
});
const answering = (body: string, status = 200): StoredAnswer => ({
  status,
  body,
  headers: { etag: '"1"' },
});
const never = async (): Promise<StoredAnswer> => {
  throw new Error('was run a second time');
};

describe('once', () => {
  it('gives the first answer again, byte for byte', async () => {
    const body = '{"b":1,  "a":"\\u0000é"}';
    const first = await once(as('ana'), call('k1'), async () => answering(body, 201));
    expect(first).toEqual({ answer: answering(body, 201), replayed: false });
    const second = await once(as('ana'), call('k1'), never);
    expect(second).toEqual({ answer: answering(body, 201), replayed: true });
  });

  it('is scoped to person, route and body', async () => {
    const run = async () => answering('{}');
    await once(as('ana'), call('k2'), run);
    for (const [person, more] of [
      ['cyd', {}],
      ['ana', { route: 'POST /y' }],
      ['ana', { bodyDigest: 'sha256:1' }],
    ] as const) {
      expect((await once(as(person), call('k2', more), run)).replayed).toBe(false);
    }
    expect((await once(as('ana'), call('k2'), never)).replayed).toBe(true);
  });

  it('never keeps what was refused', async () => {
    const refused = new Refused(toFix('HELD'));
    const refuse = async () => {
      throw refused;
    };
    await expect(once(as('ana'), call('k3'), refuse)).rejects.toBe(refused);
    await expect(once(as('ana'), call('k3'), refuse)).rejects.toBe(refused);
    const later = await once(as('ana'), call('k3'), async () => answering('{"ok":1}'));
    expect(later.replayed).toBe(false);
  });

  it('lets the second of two at once wait for the first', async () => {
    let go = () => {};
    const held = new Promise<void>((resolve) => {
      go = resolve;
    });
    let runs = 0;
    const run = async () => {
      runs += 1;
      await held;
      return answering('{"n":1}');
    };
    const first = once(as('ana'), call('k4'), run);
    while (runs === 0) await new Promise((resolve) => setImmediate(resolve));
    const second = once(as('ana'), call('k4'), never);
    go();
    expect(await first).toMatchObject({ replayed: false });
    expect(await second).toMatchObject({ replayed: true, answer: { body: '{"n":1}' } });
    expect(runs).toBe(1);
  });

  it('keeps a secret only sealed', async () => {
    const seal = {
      close: (body: string) => [...body].reverse().join(''),
      open: (body: string) => [...body].reverse().join(''),
    };
    await once(as('ana'), call('k5', { seal }), async () => answering('ilk_secret'));
    const kept = await rows<{ text: string }>(
      t.db,
      sql`select answer::text as text from control.idempotency where answer::text like '%terces%'`,
    );
    expect(kept).toHaveLength(1);
    expect((await once(as('ana'), call('k5', { seal }), never)).answer.body).toBe('ilk_secret');
  });
});

describe('a first try that died', () => {
  const dead = async (key: string) => {
    const ctx = as('ana');
    // a run that never ends is a process that was killed: its claim stays behind
    void once(ctx, call(key), () => new Promise(() => {}));
    for (;;) {
      const aged = await affected(
        t.db,
        sql`update control.idempotency set created_at = clock_timestamp() - interval '1 hour'
          where status is null and answer -> 'tries' ->> -1 = ${ctx.requestId}`,
      );
      if (aged === 1) return ctx.requestId;
    }
  };

  it('is recovered where it had committed', async () => {
    const id = await dead('k6');
    const recover = async (requestId: string) =>
      requestId === id ? answering('{"was":"done"}') : null;
    const again = await once(as('ana'), call('k6', { recover }), never);
    expect(again).toMatchObject({ replayed: true, answer: { body: '{"was":"done"}' } });
    expect((await once(as('ana'), call('k6'), never)).answer.body).toBe('{"was":"done"}');
  });

  it('is run again where it had not', async () => {
    await dead('k7');
    const again = await once(as('ana'), call('k7', { recover: async () => null }), async () =>
      answering('{"now":1}'),
    );
    expect(again).toMatchObject({ replayed: false, answer: { body: '{"now":1}' } });
  });
});
