import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  blocksAlways,
  CHECKS,
  classOf,
  conservedCheck,
  contractCheck,
  coversColumns,
  DIFF_CLASSES,
  DIFF_KINDS,
  needsAcceptance,
  type RowFacts,
} from './diff-class';

const SAME: RowFacts = {
  kind: 'same',
  rule: null,
  drifts: false,
  controlError: false,
  unfaithful: false,
  quarantined: false,
};

describe('the class of a row', () => {
  it.each<[Partial<RowFacts>, string | null]>([
    [{}, null],
    [{ kind: 'changed', rule: 'vat-20' }, 'explained'],
    [{ kind: 'changed' }, 'unexplained'],
    [{ kind: 'added' }, 'unexplained'],
    [{ kind: 'removed', rule: 'gone' }, 'explained'],
    [{ drifts: true }, 'drift'],
    [{ drifts: true, kind: 'changed', rule: 'vat-20' }, 'explained'],
    [{ drifts: true, kind: 'changed' }, 'unexplained'],
    [{ kind: 'added', controlError: true }, 'control_error'],
    [{ kind: 'added', controlError: true, rule: 'division by zero' }, 'explained'],
    [{ unfaithful: true }, 'unexplained'],
    [{ unfaithful: true, kind: 'changed', rule: 'vat-20' }, 'unexplained'],
    [{ quarantined: true, kind: 'removed' }, 'quarantined'],
  ])('%j is %s', (facts, expected) => {
    expect(classOf({ ...SAME, ...facts })).toBe(expected);
  });

  it('never calls a changed row explained without a rule, nor an unfaithful one', () => {
    const facts = fc.record({
      kind: fc.constantFrom(...DIFF_KINDS),
      rule: fc.option(fc.constant('r')),
      drifts: fc.boolean(),
      controlError: fc.boolean(),
      unfaithful: fc.boolean(),
      quarantined: fc.boolean(),
    });
    fc.assert(
      fc.property(facts, (row) => {
        const found = classOf(row);
        if (found === 'explained') expect(row.rule !== null && !row.unfaithful).toBe(true);
        if (found === null) expect(row.kind === 'same' && !row.drifts).toBe(true);
      }),
    );
  });

  it('blocks for good, needs acceptance, or does neither', () => {
    expect(DIFF_CLASSES.filter(blocksAlways)).toEqual(['unexplained', 'control_error']);
    expect(DIFF_CLASSES.filter(needsAcceptance)).toEqual(['drift', 'quarantined']);
  });
});

describe('rules and checks', () => {
  it('a rule covers only its own columns', () => {
    expect(coversColumns(['tax', 'gross'], ['tax'])).toBe(true);
    expect(coversColumns(['tax', 'gross'], [])).toBe(true);
    expect(coversColumns(['tax'], ['tax', 'net'])).toBe(false);
  });

  it('checks have their names', () => {
    expect(new Set(CHECKS).size).toBe(CHECKS.length);
    expect(conservedCheck('net')).toBe('conserved:net');
    expect(contractCheck('not_null(tax)')).toBe('contract:not_null(tax)');
  });
});
