import { createRequire } from 'node:module';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { rolesOf } from '@/lib/services/people/authenticate';
import { type TestDatabase, testDatabase } from '@/lib/testing/database';
import { useWebDatabase } from '@/lib/web/db';
import { countAttempt, signIns } from '@/lib/web/rate-limit';
import { readSession } from '@/lib/web/session-cookie';

vi.stubEnv('AUTH_SECRET', 'a secret of this test only');
vi.stubEnv('LOG_LEVEL', 'silent');
vi.stubEnv('INTERLOCK_DEMO', '1');
vi.stubEnv('NEXTAUTH_URL', 'http://localhost:3000');

// next-auth requires this at each call, from outside the test runner's modules
const jar = new Map<string, string>();
Object.assign(createRequire(import.meta.url)('next/headers'), {
  headers: async () => new Headers({ host: 'localhost:3000' }),
  cookies: async () => ({ getAll: () => [...jar].map(([name, value]) => ({ name, value })) }),
});

let t: TestDatabase;
beforeAll(async () => {
  t = await testDatabase();
  useWebDatabase(t.connect('web'));
});
afterAll(() => t.close());

async function auth(path: string, form?: Record<string, string>, headers = {}) {
  const { authHandlers } = await import('@/lib/web/auth-handlers');
  const request = new Request(`http://localhost:3000/api/auth/${path}`, {
    method: form ? 'POST' : 'GET',
    headers: {
      ...(form ? { 'content-type': 'application/x-www-form-urlencoded' } : {}),
      ...headers,
    },
    ...(form ? { body: new URLSearchParams({ ...form, json: 'true' }).toString() } : {}),
  });
  const context = { params: Promise.resolve({ nextauth: path.split('/') }) };
  const response = await authHandlers[form ? 'POST' : 'GET'](request, context);
  for (const cookie of response.headers.getSetCookie()) {
    const [pair = ''] = cookie.split(';');
    const at = pair.indexOf('=');
    jar.set(pair.slice(0, at), decodeURIComponent(pair.slice(at + 1)));
  }
  return response;
}

async function signIn(persona: string, callbackUrl = '/releases/x@1') {
  const { csrfToken } = (await (await auth('csrf')).json()) as { csrfToken: string };
  return auth('callback/demo', { persona, csrfToken, callbackUrl });
}

describe('signing in', () => {
  it('as a persona makes it, and a session that only names it', async () => {
    const response = await signIn('approver2');
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ url: '/releases/x@1' });
    const cookie = response.headers.getSetCookie().find((c) => c.includes('session-token')) ?? '';
    expect(cookie).toMatch(/HttpOnly/i);
    expect(cookie).toMatch(/SameSite=Lax/i);
    const session = await readSession(jar.get('next-auth.session-token'));
    expect(session?.person).toBe('approver2');
    expect(session?.id).toMatch(/^session:[0-9a-f-]{36}$/);
    expect(await rolesOf(t.db, 'approver2')).toEqual(['approver']);
    const shown = await (await auth('session')).json();
    expect(shown).toMatchObject({ user: { name: 'approver2' } });
    expect(JSON.stringify(shown)).not.toContain('"approver"');
  });

  it('never leads to another site', async () => {
    for (const away of ['https://evil.example/', '//evil.example', '/\\evil.example']) {
      expect(await (await signIn('owner', away)).json()).toEqual({ url: '/' });
    }
  });

  it('takes nobody else, and needs its own form', async () => {
    expect((await signIn('root')).status).toBe(401);
    jar.clear();
    const forged = await auth('callback/demo', { persona: 'owner', csrfToken: 'x' });
    expect(jar.has('next-auth.session-token')).toBe(false);
    expect(forged.status).toBe(200);
  });

  it('ends with signing out', async () => {
    await signIn('owner');
    expect(jar.get('next-auth.session-token')).toBeTruthy();
    const { csrfToken } = (await (await auth('csrf')).json()) as { csrfToken: string };
    const response = await auth('signout', { csrfToken, callbackUrl: '/sign-in' });
    expect(await response.json()).toEqual({ url: '/sign-in' });
    expect(await readSession(jar.get('next-auth.session-token'))).toBeNull();
  });

  it('is not for pages of other sites, whatever they know', async () => {
    jar.clear();
    const { csrfToken } = (await (await auth('csrf')).json()) as { csrfToken: string };
    for (const from of [
      { origin: 'https://evil.example', host: 'localhost:3000' },
      { origin: 'null', host: 'localhost:3000' },
      { 'sec-fetch-site': 'cross-site' },
    ]) {
      const fields = { persona: 'owner', csrfToken };
      expect((await auth('callback/demo', fields, from)).status).toBe(403);
      expect((await auth('signout', { csrfToken }, from)).status).toBe(403);
    }
    expect(jar.has('next-auth.session-token')).toBe(false);
  });

  it('is never framed, sniffed or kept', async () => {
    const { headers } = await auth('csrf');
    expect(Object.fromEntries(headers)).toMatchObject({
      'cache-control': 'no-store',
      'content-security-policy': expect.stringContaining("frame-ancestors 'none'"),
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
    });
    expect(headers.getSetCookie().length).toBeGreaterThan(0);
  });

  it('is limited in size and in attempts', async () => {
    const large = await auth('callback/demo', { persona: 'x'.repeat(100_000) });
    expect(large.status).toBe(413);
    const headers = { 'x-forwarded-for': '192.0.2.9' };
    for (let i = 0; i < signIns.perMinute; i++) countAttempt(signIns, new Headers(headers));
    for (const path of ['callback/demo', 'signin/demo']) {
      const over = await auth(path, { persona: 'nobody' }, headers);
      expect(over.status).toBe(429);
      expect(Number(over.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(await over.json()).toMatchObject({ code: 'RATE_LIMITED' });
    }
    const elsewhere = { 'x-forwarded-for': '192.0.2.10' };
    expect((await auth('callback/demo', { persona: 'nobody' }, elsewhere)).status).not.toBe(429);
  });
});
