import { isDevelopment, secureCookies } from '@/lib/web/auth-settings';

/**
 * Headers of a page.
 *
 * Styles may be inline: charts and floating parts place themselves with `style` attributes, which
 * no nonce covers. In development React needs `eval` for its stacks.
 *
 * @param nonce what inline scripts of this response carry
 */
export function pageHeaders(nonce: string): Record<string, string> {
  const policy = {
    'default-src': "'self'",
    'script-src': `'self' 'nonce-${nonce}' 'strict-dynamic'${isDevelopment() ? " 'unsafe-eval'" : ''}`,
    'style-src': "'self' 'unsafe-inline'",
    'img-src': "'self' data: blob:",
    'font-src': "'self'",
    'connect-src': "'self'",
    'object-src': "'none'",
    'base-uri': "'none'",
    'form-action': "'self'",
    'frame-ancestors': "'none'",
  };
  return {
    'content-security-policy': Object.entries(policy)
      .map(([name, value]) => `${name} ${value}`)
      .concat(secureCookies() ? ['upgrade-insecure-requests'] : [])
      .join('; '),
    'x-frame-options': 'DENY',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'same-origin',
    'permissions-policy':
      'browsing-topics=(), camera=(), geolocation=(), microphone=(), payment=(), usb=()',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    ...strictTransport(),
  };
}

/** Only where people reach the console by https; other hosts of its domain are not ours to bind. */
export function strictTransport(): Record<string, string> {
  return secureCookies() ? { 'strict-transport-security': 'max-age=31536000' } : {};
}
