import { sql } from 'drizzle-orm';
import { notFound } from 'next/navigation';
import { encode } from 'next-auth/jwt';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { one } from '@/lib/db/client';
import { Refused, toWait } from '@/lib/domain/refusal';
import { ensurePersona } from '@/lib/services/people/personas';
import { type TestDatabase, testDatabase } from '@/lib/testing/database';
import { action } from '@/lib/web/action';
import { useWebDatabase } from '@/lib/web/db';

const secret = 'a secret of this test only';
vi.stubEnv('AUTH_SECRET', secret);
vi.stubEnv('LOG_LEVEL', 'silent');

const asked = vi.hoisted(() => ({
  headers: new Headers(),
  session: undefined as string | undefined,
}));
vi.mock('next/headers', () => ({
  headers: async () => asked.headers,
  cookies: async () => ({
    get: () => (asked.session === undefined ? undefined : { value: asked.session }),
  }),
}));

let t: TestDatabase;
beforeAll(async () => {
  t = await testDatabase();
  useWebDatabase(t.connect('web'));
  for (const persona of ['owner', 'approver'] as const) await ensurePersona(t.db, persona);
});
afterAll(() => t.close());

beforeEach(async () => {
  asked.headers = new Headers({ origin: 'http://localhost:3000', host: 'localhost:3000' });
  asked.session = await encode({ token: { name: 'owner', sid: 's1' }, secret });
});

const ran: unknown[] = [];
const pause = action(
  'release.pause',
  z.strictObject({ release: z.string(), reason: z.string().min(3) }),
  async (ctx, input) => {
    ran.push(input);
    return ctx.actor;
  },
);
const input = { release: 'x@1', reason: 'lunch' };

async function codeOf(answer: ReturnType<typeof pause>): Promise<string> {
  const result = await answer;
  return result.ok ? 'ok' : result.problem.code;
}

describe('action', () => {
  it('calls its verb as the person of the session, with the roles of now', async () => {
    expect(await pause(input)).toEqual({
      ok: true,
      value: { person: 'owner', roles: ['owner'], via: 'console', session: 'session:s1' },
    });
    expect(ran).toEqual([input]);
  });

  it('refuses nobody, a forged session and a person who is gone, and counts them', async () => {
    const others = [
      undefined,
      'nonsense',
      await encode({ token: { name: 'owner' }, secret: 'somebody else’s secret' }),
      await encode({ token: { name: 'ghost' }, secret }),
      await encode({ token: { name: 'owner' }, secret, maxAge: -60 }),
    ];
    for (const session of others) {
      asked.session = session;
      expect(await codeOf(pause(input))).toBe('UNAUTHENTICATED');
    }
    const { count } = await one<{ count: number }>(
      t.db,
      sql`select sum(count)::int as count from control.stranger_call where door = 'action'`,
    );
    expect(count).toBe(others.length);
  });

  it('refuses another site’s page, and one that does not say', async () => {
    for (const origin of [
      'https://evil.example',
      'null',
      null,
      'http://localhost:3001',
      'localhost:3000',
      'http://localhost:3000.evil.example',
      'http://localhost:3000@evil.example',
      'http://user:localhost@evil.example:3000',
      'file://localhost:3000',
      'http://',
      'http://localhost:3000, https://evil.example',
      '%00',
    ]) {
      asked.headers = new Headers({ host: 'localhost:3000', ...(origin ? { origin } : {}) });
      expect(await codeOf(pause(input))).toBe('FORBIDDEN');
    }
  });

  it('refuses a wrong role with a row, before it looks at the input', async () => {
    asked.session = await encode({ token: { name: 'approver' }, secret });
    expect(await codeOf(pause({ nonsense: true } as never))).toBe('FORBIDDEN');
    const row = await one(
      t.db,
      sql`select actor, verb, outcome from control.audit_event order by id desc limit 1`,
    );
    expect(row).toEqual({ actor: 'approver', verb: 'release.pause', outcome: 'refused' });
  });

  it('says what is wrong with an input, and lists all blockers of a refusal', async () => {
    const bad = await pause({ release: 'x@1', reason: '', more: 1 } as never);
    expect(bad).toMatchObject({
      ok: false,
      problem: { status: 422, issues: [{ pointer: '/reason' }, { pointer: '/more' }] },
    });
    const refused = action('release.pause', z.unknown(), async () => {
      throw new Refused([toWait('WORKING'), toWait('DRAINING')]);
    });
    expect(await refused({})).toMatchObject({
      ok: false,
      problem: { status: 409, code: 'WORKING', blockers: [{ kind: 'wait' }, { kind: 'wait' }] },
    });
  });

  it('takes what JSON can say and PostgreSQL can hold, and nothing else', async () => {
    ran.length = 0;
    const cyclic: Record<string, unknown> = { release: 'x@1' };
    cyclic.reason = cyclic;
    const wide = { list: [] as unknown[] };
    // each level twice the one before: small to send, endless to walk
    for (let i = 0, inner: unknown = 1; i < 60; i++) {
      inner = [inner, inner];
      wide.list = inner as unknown[];
    }
    const free = action('release.pause', z.unknown(), async (_, given) => ran.push(given));
    for (const bad of [
      { ...input, reason: 'a\0b' },
      { ...input, release: 'x@1\0' },
      { ...input, reason: '\ud800' },
      { ...input, 'a\0b': 1 },
      cyclic,
      wide,
      new Map([['release', 'x@1']]),
      { ...input, reason: new Date() },
      { ...input, reason: 1n },
      { ...input, reason: Symbol('x') },
      { ...input, reason: () => 'lunch' },
      { ...input, reason: new Uint8Array(3) },
      JSON.parse(`${'['.repeat(100)}${']'.repeat(100)}`),
    ]) {
      expect(await codeOf(free(bad) as never)).toBe('INVALID_INPUT');
    }
    expect(ran).toEqual([]);
    asked.session = await encode({ token: { name: 'approver' }, secret });
    expect(await codeOf(pause({ ...input, release: 'x@1\0' }))).toBe('FORBIDDEN');
  });

  it('never throws raw, and lets redirects through', async () => {
    const broken = action('release.pause', z.unknown(), async () => {
      throw new Error('secret detail of the inside');
    });
    const answer = await broken({});
    expect(answer).toMatchObject({ ok: false, problem: { code: 'INTERNAL', status: 500 } });
    expect(JSON.stringify(answer)).not.toContain('secret detail');
    const lost = action('release.pause', z.unknown(), async () => notFound());
    await expect(lost({})).rejects.toThrow('NEXT_HTTP_ERROR_FALLBACK;404');
  });
});
