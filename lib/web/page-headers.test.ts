import { afterEach, expect, it, vi } from 'vitest';

const load = async (address: string) => {
  vi.resetModules();
  vi.stubEnv('AUTH_URL', address);
  return import('@/lib/web/page-headers');
};
afterEach(() => vi.unstubAllEnvs());

it('lets only scripts with the nonce run, and nobody frame a page', async () => {
  const headers = (await load('')).pageHeaders('abc');
  expect(headers['content-security-policy']).toBe(
    [
      "default-src 'self'",
      "script-src 'self' 'nonce-abc' 'strict-dynamic'",
      "style-src 'self' 'unsafe-inline'",
      "img-src 'self' data: blob:",
      "font-src 'self'",
      "connect-src 'self'",
      "object-src 'none'",
      "base-uri 'none'",
      "form-action 'self'",
      "frame-ancestors 'none'",
    ].join('; '),
  );
  expect(headers).toMatchObject({
    'x-frame-options': 'DENY',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'same-origin',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
  });
  expect(headers['permissions-policy']).toContain('camera=()');
});

it('binds to https only where people come by https', async () => {
  const plain = await load('http://localhost:3000');
  expect(plain.pageHeaders('abc')).not.toHaveProperty('strict-transport-security');
  expect(plain.pageHeaders('abc')['content-security-policy']).not.toContain('upgrade-insecure');
  const secure = await load('https://interlock.example');
  expect(secure.pageHeaders('abc')).toMatchObject({
    'strict-transport-security': 'max-age=31536000',
    'content-security-policy': expect.stringContaining('; upgrade-insecure-requests'),
  });
  expect(secure.strictTransport()).toEqual({ 'strict-transport-security': 'max-age=31536000' });
});
