import { expect, it } from 'vitest';
import { repairersOf } from './repairers';

it('offers each release once, by its newest revision, while its cutover is to come', () => {
  expect(
    repairersOf([
      { release: 'given-up@1', state: 'ABANDONED' },
      { release: 'vat-fix@2', state: 'BUILDING' },
      { release: 'stock-fix@1', state: 'ACTIVE' },
      { release: 'vat-fix@1', state: 'REJECTED' },
      { release: 'back@1', state: 'ROLLED_BACK' },
      { release: 'old@1', state: 'RETIRED' },
    ]).map(({ name }) => name),
  ).toEqual(['vat-fix', 'given-up', 'back']);
  expect(repairersOf([{ release: 'vat-fix@2', state: 'DRAFT' }])).toEqual([
    { name: 'vat-fix', text: 'vat-fix@2, draft' },
  ]);
});
