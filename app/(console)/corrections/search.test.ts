import { describe, expect, it } from 'vitest';
import { readEnds } from './ends';
import { correctionsHref, correctionsSearch } from './search';

describe('the address of the corrections page', () => {
  it('is read back as it was written', () => {
    const search = correctionsSearch({
      tab: 'history',
      dataset: 'order_tax',
      from: '2011-01-04',
      kind: 'cutover',
      read: 'now',
    });
    const href = correctionsHref(search, { by: 'dee' });
    const again = Object.fromEntries(new URL(href, 'http://localhost').searchParams);
    expect(correctionsSearch(again)).toEqual({ ...search, by: 'dee' });
  });

  it('leaves out what goes without saying, and what is nothing it knows', () => {
    const search = correctionsSearch({ tab: 'other', kind: 'else', read: 'both', dataset: '' });
    expect(correctionsHref(search, {})).toBe('/corrections');
  });
});

describe('readEnds', () => {
  it('reads clocks of the zone and instants, and says what is wrong', () => {
    const read = (from: string, to?: string) => readEnds('Europe/London', { from, to });
    expect(read('2011-07-04').from).toEqual({
      text: '2011-07-04 00:00 BST',
      instant: '2011-07-03T23:00:00Z',
      error: undefined,
    });
    expect(read('2011-01-04T00:00:00Z').from.text).toBe('2011-01-04 00:00 GMT');
    expect(read('soon').from).toMatchObject({ text: 'soon', instant: undefined });
    expect(read('soon').from.error).toBeDefined();
    expect(read('2011-01-04').to).toEqual({ text: '', instant: undefined, error: undefined });
  });
});
