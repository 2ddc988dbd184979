import { expect, it } from 'vitest';
import { grouped, matching, type PaletteItem } from './command-items';

const item = (id: string, title: string, group: string, hint?: string): PaletteItem => ({
  id,
  title,
  group,
  hint,
  href: `/${id}`,
});
const items = [
  item('a', 'late-vat@1', 'Releases', 'refunds'),
  item('b', 'vat-fix@3', 'Releases', 'order_tax · Reconciled'),
  item('c', 'Datasets', 'Pages'),
];

it('finds every word in title or hint, and puts titles that begin with the query first', () => {
  expect(matching(items, 'vat').map((i) => i.id)).toEqual(['b', 'a']);
  expect(matching(items, 'reconciled order').map((i) => i.id)).toEqual(['b']);
  expect(matching(items, 'nothing')).toEqual([]);
  expect(matching(items, '  ')).toHaveLength(3);
});

it('groups in order of appearance and shows one thing once', () => {
  const again = [...items, item('b', 'vat-fix@3', 'Recent')];
  expect(grouped(again).map(([group, members]) => [group, members.map((m) => m.id)])).toEqual([
    ['Releases', ['a', 'b']],
    ['Pages', ['c']],
  ]);
});
