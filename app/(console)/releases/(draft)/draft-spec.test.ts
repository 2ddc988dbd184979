import { describe, expect, it } from 'vitest';
import { parseRelease } from '@/lib/domain/release';
import type { DraftDataset } from '@/lib/queries/draft';
import { type DraftForm, emptyForm, formOf } from './draft-form';
import { specOf, suggestionsOf } from './draft-spec';

const dataset: DraftDataset = {
  name: 'order_tax',
  source: 'orders',
  zone: 'Europe/London',
  unit: 'day',
  columns: [{ name: 'tax', type: 'numeric(14,2)' }],
  key: ['line'],
  businessTime: 'invoiced_at',
  sourceColumns: [],
  conserved: [{ name: 'net', old: 'sum(net)', new: 'sum(net)' }],
  approvals: { cutover: 2, rollback: 1 },
  activeGeneration: 'g1',
  transform: { digest: 'sha256:0', sql: 'select 1 from source' },
};

const typed: DraftForm = {
  ...emptyForm(dataset, 'ana'),
  name: 'vat-fix',
  from: '2011-01-04',
  to: '2011-07-04 00:00 BST',
  sealedPartitions: 'REFUSE',
  rules: [{ rule: 'vat-20', where: 'true', columns: ['tax'] }],
  contract: [
    { check: 'null_ratio', column: 'tax', max: '0.25', name: '', where_bad: '' },
    { check: 'sql', column: '', max: '0', name: 'no debt', where_bad: 'tax < 0' },
  ],
  rowsMax: '900,000',
  deadline: '2011-12-16 18:00',
};

describe('specOf', () => {
  it('reads what was typed into a spec that parses', () => {
    const { spec, issues, planable } = specOf(typed, dataset, 'vat-fix-g1');
    expect(issues).toEqual([]);
    expect(planable).toBe(true);
    expect(parseRelease(spec)).toMatchObject({
      release: 'vat-fix',
      range: { from: '2011-01-04T00:00:00Z', to: '2011-07-03T23:00:00Z' },
      sealedPartitions: 'REFUSE',
      source: { name: 'orders' },
      targetGeneration: 'vat-fix-g1',
      expected: { rows: { max: 900_000 } },
      contract: [
        { check: 'null_ratio', column: 'tax', max: 0.25 },
        { check: 'sql', name: 'no debt', where_bad: 'tax < 0' },
      ],
      budget: { concurrency: 4, maxSealedSeconds: 900 },
      approvals: { cutover: 2, rollback: 1 },
      owner: 'ana',
      deadline: '2011-12-16T18:00:00Z',
    });
    expect(parseRelease(spec).conserved).toBeUndefined();
  });

  it('comes back to the form that it was read from', () => {
    const spec = parseRelease(specOf(typed, dataset, 'vat-fix-g1').spec);
    const again = formOf(spec, dataset, {
      name: 'vat-fix',
      owner: 'ana',
      sql: typed.sql,
      commit: null,
    });
    expect(again).toEqual({
      ...typed,
      from: '2011-01-04 00:00 GMT',
      rowsMax: '900000',
      deadline: '2011-12-16 18:00 GMT',
      targetGeneration: 'vat-fix-g1',
      contract: again.contract,
    });
    expect(specOf(again, dataset, 'other').spec).toEqual(
      specOf({ ...typed, targetGeneration: 'vat-fix-g1' }, dataset, 'other').spec,
    );
  });

  it('names every field that it cannot read, and plans nothing without a range', () => {
    const wrong = { ...typed, from: 'soon', to: '', concurrency: 'four', rowsMin: '1.5' };
    const { issues, planable } = specOf(wrong, dataset, 'g');
    expect(issues.map((issue) => issue.pointer)).toEqual([
      '/range/from',
      '/range/to',
      '/expected/rows/min',
      '/budget/concurrency',
    ]);
    expect(planable).toBe(false);
  });

  it('is open where the range is', () => {
    const { spec } = specOf({ ...typed, open: true, to: 'whatever' }, dataset, 'g');
    expect(spec.range).toEqual({ from: '2011-01-04T00:00:00Z', to: 'open' });
  });
});

describe('suggestionsOf', () => {
  it('offers both instants of a time that comes twice', () => {
    const { issues } = specOf({ ...typed, to: '2011-10-30 01:30' }, dataset, 'g');
    expect(suggestionsOf(issues, 'Europe/London').map(({ text }) => text)).toEqual([
      '2011-10-30 01:30 BST',
      '2011-10-30 01:30 GMT',
    ]);
  });
});
