import { describe, expect, it } from 'vitest';
import { compareReports, plainRow } from './report';

const types = ['text', 'numeric'];

describe('the results of a report on two generations', () => {
  it('are the same whatever their order and the scale of their numerics', () => {
    const old = [
      ['a', '1.50'],
      ['b', null],
    ];
    const fresh = [
      ['b', null],
      ['a', '1.5'],
    ];
    expect(compareReports(types, [0], old, fresh)).toEqual([]);
    expect(compareReports(types, null, old, fresh)).toEqual([]);
    expect(plainRow(['1.50', '1.50'], ['text', 'numeric'])).toEqual(['1.50', '1.5']);
    expect(plainRow(['NaN', '0.00'], ['numeric', 'numeric'])).toEqual(['NaN', '0']);
  });

  it('differ row by row of one key, and where one side has none', () => {
    const old = [
      ['a', '1'],
      ['b', '2'],
      ['c', '3'],
    ];
    const fresh = [
      ['a', '1'],
      ['b', '2.01'],
      ['d', null],
    ];
    expect(compareReports(types, [0], old, fresh)).toEqual([
      { old: ['b', '2'], new: ['b', '2.01'] },
      { old: null, new: ['d', null] },
      { old: ['c', '3'], new: null },
    ]);
  });

  it('without a key are held against each other as often as a row comes', () => {
    const old = [
      ['a', '1'],
      ['a', '1'],
      ['a', '1'],
    ];
    const fresh = [
      ['a', '1.0'],
      ['b', '1'],
    ];
    expect(compareReports(types, null, old, fresh)).toEqual([
      { old: null, new: ['b', '1'] },
      { old: ['a', '1'], new: null },
      { old: ['a', '1'], new: null },
    ]);
  });

  it('of one row are compared as such', () => {
    expect(compareReports(['bigint'], [], [['1']], [['2']])).toEqual([{ old: ['1'], new: ['2'] }]);
    expect(compareReports(['bigint'], [], [['1']], [['1']])).toEqual([]);
  });

  it('tell NULL from the text that looks like it', () => {
    expect(compareReports(['text'], null, [[null]], [['null']])).toHaveLength(2);
  });
});
