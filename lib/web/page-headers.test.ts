import { expect, it, vi } from 'vitest';
import { pageHeaders } from '@/lib/web/page-headers';

it('lets only scripts with the nonce run, and nobody frame a page', () => {
  vi.stubEnv('AUTH_URL', '');
  const headers = pageHeaders('abc');
  expect(headers['content-security-policy']).toContain(
    "script-src 'self' 'nonce-abc' 'strict-dynamic';",
  );
  expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
  expect(headers).toMatchObject({
    'x-frame-options': 'DENY',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'same-origin',
  });
  expect(headers).not.toHaveProperty('strict-transport-security');
});
