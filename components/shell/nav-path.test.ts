import { expect, it } from 'vitest';
import { isHere } from './nav-path';

it('a page is here with all below it, but not with what only begins alike', () => {
  expect(isHere('/releases/vat-fix@3/coverage', '/releases')).toBe(true);
  expect(isHere('/releases', '/releases')).toBe(true);
  expect(isHere('/releases-old', '/releases')).toBe(false);
});

it('the overview is only itself', () => {
  expect(isHere('/', '/')).toBe(true);
  expect(isHere('/releases', '/')).toBe(false);
});
