import { expect, it } from 'vitest';
import { safePath } from '@/lib/web/safe-path';

it('keeps paths of this site and turns everything else into /', () => {
  const base = 'https://console.example';
  expect(safePath('/releases/a@1?tab=build#x', base)).toBe('/releases/a@1?tab=build#x');
  expect(safePath('https://console.example/audit', base)).toBe('/audit');
  for (const foreign of [
    null,
    undefined,
    '',
    'https://evil.example/',
    '//evil.example',
    '/\\evil.example',
    '/\t/evil.example',
    'javascript:alert(1)',
    'https://console.example//evil.example',
    'data:text/html,x',
    'http://[',
  ]) {
    expect(safePath(foreign, base)).toBe('/');
  }
});
