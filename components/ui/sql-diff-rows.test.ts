import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { edits } from './lcs';
import { changedLines, type DiffLine, runs, sqlDiffRows } from './sql-diff-rows';
import { sqlWords } from './sql-words';

const OLD = `select
  line, invoiced_at,
  quantity * unit_price as net,
  round(quantity * unit_price
    * 0.175, 2) as tax
from source`;
const NEW = `select
  line, invoiced_at,
  quantity * unit_price as net,
  round(quantity * unit_price
    * 0.20, 2) as tax
from source
where unit_price <> 0`;

const text = (side: DiffLine | null) => side?.words.map((word) => word.text).join('') ?? null;
const marked = (side: DiffLine | null) =>
  runs(side?.words ?? [])
    .filter((run) => run.changed)
    .map((run) => run.words.map((word) => word.text).join(''));

describe('sqlDiffRows', () => {
  const rows = sqlDiffRows(OLD, NEW);

  it('pairs the changed line and marks only the changed word', () => {
    expect(rows[4]?.old).toMatchObject({ number: 5, kind: 'del' });
    expect(rows[4]?.new).toMatchObject({ number: 5, kind: 'add' });
    expect(marked(rows[4]?.old ?? null)).toEqual(['0.175']);
    expect(marked(rows[4]?.new ?? null)).toEqual(['0.20']);
  });

  it('leaves the other side empty at an added line and marks all of it as one', () => {
    expect(rows[6]?.old).toBeNull();
    expect(rows[6]?.new).toMatchObject({ number: 7, kind: 'add' });
    expect(marked(rows[6]?.new ?? null)).toEqual(['where unit_price <> 0']);
  });

  it('counts changed lines', () => {
    expect(changedLines(rows)).toBe(2);
    expect(changedLines(sqlDiffRows(OLD, OLD))).toBe(0);
  });

  it('marks the whole of two lines that have nothing in common', () => {
    const [row] = sqlDiffRows('alpha beta gamma', 'delta + epsilon');
    expect(marked(row?.old ?? null)).toEqual(['alpha beta gamma']);
    expect(marked(row?.new ?? null)).toEqual(['delta + epsilon']);
  });

  it('ignores space at line ends and a missing last newline', () => {
    expect(changedLines(sqlDiffRows('select 1  \nfrom a', 'select 1\nfrom a\n'))).toBe(0);
  });

  it('gives both texts back, line by line, whatever they are', () => {
    const sql = fc.array(fc.constantFrom('a', 'b', 'select 1', "x = 'it''s'", '', '  c, d'));
    fc.assert(
      fc.property(sql, sql, (before, after) => {
        const side = (lines: readonly string[]) => lines.join('\n').replace(/\s+$/, '');
        const all = sqlDiffRows(before.join('\n'), after.join('\n'));
        const olds = all.map((row) => text(row.old)).filter((line) => line !== null);
        const news = all.map((row) => text(row.new)).filter((line) => line !== null);
        expect(olds.join('\n')).toBe(side(before));
        expect(news.join('\n')).toBe(side(after));
      }),
    );
  });
});

it('words of a line are the line, strings and numbers whole', () => {
  expect(sqlWords("a='it''s',1.50").map((w) => w.text)).toEqual(['a', '=', "'it''s'", ',', '1.50']);
  expect(sqlWords('SELECT x').map((w) => w.keyword)).toEqual([true, false, false]);
});

describe('edits', () => {
  it('is a shortest edit that leads from one list to the other', () => {
    const list = fc.array(fc.integer({ min: 0, max: 4 }), { maxLength: 12 });
    fc.assert(
      fc.property(list, list, (before, after) => {
        const all = edits(before, after);
        const olds = all.flatMap((e) => (e.kind === 'add' ? [] : [e.old]));
        const news = all.flatMap((e) => (e.kind === 'del' ? [] : [e.new]));
        expect(olds).toEqual(before);
        expect(news).toEqual(after);
        const common = all.filter((e) => e.kind === 'same').length;
        expect(common).toBe(longestCommon(before, after));
      }),
    );
  });

  it('does not blow up on long unlike lists', () => {
    const before = Array.from({ length: 5000 }, (_, i) => i);
    const after = Array.from({ length: 5000 }, (_, i) => -i - 1);
    expect(edits(before, after)).toHaveLength(10_000);
  });
});

/** The textbook recursion, memoised: another way to the same number. */
function longestCommon(a: readonly number[], b: readonly number[]): number {
  const memo = new Map<string, number>();
  const from = (i: number, j: number): number => {
    if (i === a.length || j === b.length) return 0;
    const key = `${i},${j}`;
    const known = memo.get(key);
    if (known !== undefined) return known;
    const found = a[i] === b[j] ? 1 + from(i + 1, j + 1) : Math.max(from(i + 1, j), from(i, j + 1));
    memo.set(key, found);
    return found;
  };
  return from(0, 0);
}
