import { describe, expect, it } from 'vitest';
import {
  atCutover,
  containsMark,
  draftSpan,
  linkBlockers,
  type Repairing,
  touchesMark,
} from './contamination';

const at = (day: number) => `2011-01-${String(day).padStart(2, '0')}T00:00:00Z`;
const span = (from: number, to: number) => ({ from: at(from), to: at(to) });

describe('a range and a mark', () => {
  it.each([
    ['equal', span(4, 8), true, true],
    ['within', span(5, 6), true, true],
    ['out at the front', span(3, 6), false, true],
    ['out at the back', span(6, 9), false, true],
    ['around it', span(3, 9), false, true],
    ['just before it', span(2, 4), false, false],
    ['just after it', span(8, 9), false, false],
  ])('%s', (_, mark, contained, touched) => {
    expect(containsMark(span(4, 8), mark)).toBe(contained);
    expect(touchesMark(span(4, 8), mark)).toBe(touched);
  });

  it('has no end where the range is open', () => {
    const open = { from: at(4), to: null };
    expect(containsMark(open, span(20, 25))).toBe(true);
    expect(containsMark(open, span(3, 25))).toBe(false);
    expect(touchesMark(open, span(3, 25))).toBe(true);
    expect(touchesMark(open, span(2, 4))).toBe(false);
  });

  it('are compared as instants, not as text', () => {
    const range = { from: at(4), to: '2011-01-08T00:00:00.5Z' };
    expect(containsMark(range, span(4, 8))).toBe(true);
    expect(containsMark(span(4, 8), range)).toBe(false);
  });
});

it('a cutover lifts what is linked to its release by name and lies within its range', () => {
  const release = { name: 'vat-fix', range: span(4, 8) };
  const becomes = (from: number, to: number, repairedBy: string | null) =>
    atCutover({ ...span(from, to), repairedBy }, release);
  expect(becomes(4, 6, 'vat-fix')).toBe('lifted');
  expect(becomes(4, 9, 'vat-fix')).toBe('outside');
  expect(becomes(4, 6, 'other')).toBe('other');
  expect(becomes(4, 6, null)).toBe('unlinked');
});

describe('linking', () => {
  const mark = { dataset: 'order_tax', ...span(4, 8) };
  const release: Repairing = {
    reference: 'vat-fix@2',
    dataset: 'order_tax',
    state: 'DRAFT',
    range: span(4, 8),
    cutOver: false,
  };
  const codes = (more: Partial<Repairing>) =>
    linkBlockers(mark, { ...release, ...more }, '/release').map((b) => b.code);

  it('takes a release that rebuilds the whole of it, or does not say yet what it rebuilds', () => {
    expect(codes({})).toEqual([]);
    expect(codes({ range: { from: at(1), to: null } })).toEqual([]);
    expect(codes({ range: null })).toEqual([]);
  });

  it('says what speaks against it, the nearest reason alone', () => {
    expect(codes({ dataset: 'stock', range: span(5, 6), cutOver: true })).toEqual([
      'OTHER_DATASET',
    ]);
    expect(codes({ state: 'ACTIVE', cutOver: true, range: span(5, 6) })).toEqual(['CUTOVER_OVER']);
    expect(codes({ range: span(5, 8) })).toEqual(['RANGE_NOT_COVERED']);
  });

  it('names both ranges where one does not contain the other', () => {
    const [blocker] = linkBlockers(mark, { ...release, range: span(5, 8) }, '/release');
    expect(blocker?.message).toContain(`[${at(5)}, ${at(8)})`);
    expect(blocker?.message).toContain(`[${at(4)}, ${at(8)})`);
    expect(blocker).toMatchObject({ pointer: '/release', link: '/releases/vat-fix@2' });
  });
});

it('a draft’s range is read as far as it is one', () => {
  expect(draftSpan('2011-01-04T01:00:00+01:00', at(8))).toEqual(span(4, 8));
  expect(draftSpan(at(4), 'open')).toEqual({ from: at(4), to: null });
  expect(draftSpan(at(4), null)).toBeNull();
  expect(draftSpan('soon', at(8))).toBeNull();
});
