import { describe, expect, it } from 'vitest';
import type { ShadowReadView } from '@/lib/queries/reports';
import { comparedWords, differenceTable } from './shadow-result';

type Compared = NonNullable<ShadowReadView['compared']>;

const side = (rows: string) => ({ generation: 'g', rows, root: 'sha256:00', millis: 1 });
const compared = (more: Partial<Compared> & { was?: string; is?: string }): Compared => ({
  old: side(more.was ?? '11'),
  new: side(more.is ?? '11'),
  columns: more.columns ?? ['month', 'tax'],
  differing: more.differing ?? '0',
  sample: more.sample ?? [],
  eventsApart: '0',
});

describe('what a reading came to', () => {
  it.each([
    [{}, '11 rows, the same on both'],
    [{ was: '1', is: '1' }, '1 row, the same on both'],
    [{ was: '0', is: '0' }, 'no rows on either'],
    [{ differing: '3' }, '3 of 11 rows differ'],
    [{ differing: '1' }, '1 of 11 rows differs'],
    [{ differing: '1', was: '10' }, '1 row differs; 10 on the old, 11 on the new'],
    // one row gone and one come
    [{ differing: '2', was: '1', is: '1' }, '2 rows differ; 1 on the old, 1 on the new'],
  ])('%j: %s', (more, words) => {
    expect(comparedWords(compared(more))).toBe(words);
  });
});

describe('the rows that differ', () => {
  it('stand old beside new, and what is equal stands once', () => {
    const table = differenceTable(
      'Europe/London',
      compared({
        columns: ['month', 'lines', 'tax'],
        differing: '2',
        sample: [
          {
            old: ['2011-06-30 23:00:00+00', '3', '1.75'],
            new: ['2011-06-30 23:00:00+00', '3', '2.00'],
          },
          { old: null, new: ['2011-12-01 00:00:00+00', '3', null] },
        ],
      }),
    );
    expect(table).toEqual({
      once: [
        { name: 'month', number: false },
        { name: 'lines', number: true },
      ],
      compared: [{ name: 'tax', number: true }],
      rows: [
        {
          key: '0',
          class: 'changed',
          once: ['2011-07-01 00:00 BST', '3'],
          old: ['1.75'],
          control: null,
          new: ['2.00'],
          rules: [],
        },
        {
          key: '1',
          class: 'added',
          once: ['2011-12-01 00:00 GMT', '3'],
          old: null,
          control: null,
          new: [null],
          rules: [],
        },
      ],
    });
  });

  it('are compared whole where each is on one side only', () => {
    const {
      once,
      compared: columns,
      rows,
    } = differenceTable(
      'UTC',
      compared({
        columns: ['country'],
        differing: '2',
        sample: [
          { old: ['UK'], new: null },
          { old: null, new: ['EIRE'] },
        ],
      }),
    );
    expect(once).toEqual([]);
    expect(columns).toEqual([{ name: 'country', number: false }]);
    expect(rows.map((row) => [row.class, row.old, row.new])).toEqual([
      ['removed', ['UK'], null],
      ['added', null, ['EIRE']],
    ]);
  });
});
