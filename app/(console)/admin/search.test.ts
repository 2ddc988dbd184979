import { expect, it } from 'vitest';
import { adminHref, adminSearch } from './search';

it('reads an address, and what is none of ours as nothing said', () => {
  expect(adminSearch({})).toMatchObject({ tab: 'people', text: undefined, role: undefined });
  expect(adminSearch({ tab: 'tokens', person: 'ana', revoked: '1', role: 'king' })).toEqual({
    tab: 'tokens',
    text: undefined,
    role: undefined,
    person: 'ana',
    revoked: '1',
    ended: undefined,
  });
});

it('keeps filters within a tab and leaves them behind on the way to another', () => {
  const now = adminSearch({ text: 'an', role: 'owner' });
  expect(adminHref(now, { cursor: 'c' })).toBe('/admin?text=an&role=owner&cursor=c');
  expect(adminHref(now, { role: undefined })).toBe('/admin?text=an');
  expect(adminHref(now, { tab: 'tokens', person: 'ana' })).toBe('/admin?tab=tokens&person=ana');
  expect(adminHref(adminSearch({ tab: 'sources' }), { tab: 'people' })).toBe('/admin');
  const budgets = adminSearch({ tab: 'budgets' });
  expect(adminHref(budgets, { cursor: 'c' })).toBe('/admin?tab=budgets&cursor=c');
});
