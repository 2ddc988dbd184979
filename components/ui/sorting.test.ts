import { describe, expect, it } from 'vitest';
import { readSorting, sortedRows, sortLink } from './sorting';

const keys = ['name', 'rows'] as const;
const hrefOf = (sort: string) => `?sort=${sort}`;

describe('a sorting in an address', () => {
  it('is read, and left out where it names no column', () => {
    expect(readSorting('rows', keys)).toEqual({ key: 'rows', down: false });
    expect(readSorting('-rows', keys)).toEqual({ key: 'rows', down: true });
    for (const text of ['', '-', '--rows', 'lag', null, undefined]) {
      expect(readSorting(text, keys)).toBeNull();
    }
  });

  it('turns round when the same head is pressed again', () => {
    expect(sortLink(null, 'rows', hrefOf)).toEqual({ href: '?sort=rows' });
    expect(sortLink({ key: 'rows', down: false }, 'rows', hrefOf)).toEqual({
      href: '?sort=-rows',
      direction: 'ascending',
    });
    expect(sortLink({ key: 'rows', down: true }, 'rows', hrefOf)).toEqual({
      href: '?sort=rows',
      direction: 'descending',
    });
    expect(sortLink({ key: 'rows', down: true }, 'name', hrefOf)).toEqual({ href: '?sort=name' });
  });
});

describe('rows', () => {
  const rows = [
    { name: 'b', rows: 9007199254740993n },
    { name: 'c', rows: null },
    { name: 'a', rows: 9007199254740992n },
    { name: 'd', rows: 10n },
  ];
  const values = {
    name: (row: (typeof rows)[number]) => row.name,
    rows: (row: (typeof rows)[number]) => row.rows,
  };
  const names = (sort: string | null) =>
    sortedRows(rows, readSorting(sort, keys), values).map(({ name }) => name);

  it('stand by exact value, those without one last either way', () => {
    expect(names('rows')).toEqual(['d', 'a', 'b', 'c']);
    expect(names('-rows')).toEqual(['b', 'a', 'd', 'c']);
    expect(names('name')).toEqual(['a', 'b', 'c', 'd']);
  });

  it('stay as they came without a sorting', () => {
    expect(names(null)).toEqual(['b', 'c', 'a', 'd']);
  });
});
