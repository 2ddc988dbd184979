import { NextRequest } from 'next/server';
import { expect, it, vi } from 'vitest';
import { config, proxy } from '@/proxy';

vi.stubEnv('AUTH_URL', '');

it('gives each response a nonce of its own, and the request the same', () => {
  const answer = () =>
    proxy(
      new NextRequest('http://localhost/releases?state=ACTIVE', {
        headers: { 'x-path': '/forged' },
      }),
    );
  const [one, two] = [answer(), answer()];
  const policy = one.headers.get('content-security-policy') ?? '';
  const nonce = /'nonce-([0-9a-f]{32})'/.exec(policy)?.[1];
  expect(nonce).toBeDefined();
  expect(two.headers.get('content-security-policy')).not.toBe(policy);
  expect(one.headers.get('x-middleware-request-x-nonce')).toBe(nonce);
  expect(one.headers.get('x-middleware-request-content-security-policy')).toBe(policy);
  expect(one.headers.get('x-middleware-request-x-path')).toBe('/releases?state=ACTIVE');
});

it('stands before every page, and not before the API or files', () => {
  const matcher = new RegExp(`^${config.matcher[0]}$`);
  for (const page of ['/', '/sign-in', '/releases/a@1/build', '/health', '/apiary']) {
    expect(page).toMatch(matcher);
  }
  for (const other of [
    '/api/v1/sources',
    '/api/auth/csrf',
    '/_next/static/x.js',
    '/healthz',
    '/metrics',
  ]) {
    expect(other).not.toMatch(matcher);
  }
});
