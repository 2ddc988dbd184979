import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readArray, writeArray } from '@/lib/db/array-literal';

const text = (value: string) => value;

describe('array literals', () => {
  it('come back as they were, whatever the text', () => {
    const texts = fc.array(fc.option(fc.string({ unit: 'binary' })));
    fc.assert(
      fc.property(texts, (values) => {
        expect(readArray(writeArray(values), text)).toEqual(values);
      }),
    );
  });

  it.each([
    ['{}', []],
    ['{NULL,"NULL",null,a}', [null, 'NULL', 'null', 'a']],
    [
      '{{1,2},{3,NULL}}',
      [
        ['1', '2'],
        ['3', null],
      ],
    ],
    ['[0:1]={7,8}', ['7', '8']],
    ['{"a\\"b","c\\\\","{}",","}', ['a"b', 'c\\', '{}', ',']],
  ])('reads %s', (literal, values) => {
    expect(readArray(literal, text)).toEqual(values);
  });

  it('reads elements by their type, and never NULL', () => {
    expect(readArray('{1,NULL}', Number)).toEqual([1, null]);
  });
});
