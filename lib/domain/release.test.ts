import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { mergePatch } from './json';
import { type Invalid, Invalid as InvalidError } from './refusal';
import {
  canonicalSpec,
  carriesFrom,
  contractName,
  diffSpecs,
  notEnforced,
  parseRelease,
  releaseSchema,
} from './release';

const DIGEST = `sha256:${'ab'.repeat(32)}`;
const LEAST = {
  release: 'order-tax-fix@3',
  dataset: 'order_tax',
  range: { from: '2025-07-01T00:00:00Z', to: '2026-07-01T00:00:00Z' },
  source: { name: 'orders' },
  transform: { new: { sql: 'select 1 from source' } },
  targetGeneration: 'tax-fix-g3',
};
const FULL = {
  schema: 'dataBackfillRelease.v1',
  ...LEAST,
  timezone: 'UTC',
  partition: 'day',
  source: { name: 'orders', pin: 'SNAPSHOT', snapshot: 'orders:snapshot-8841' },
  transform: { old: DIGEST, new: DIGEST, commit: '4f2a91c', lock: DIGEST },
  columns: DIGEST,
  writeMode: 'REPLACE_RANGE',
  deletes: 'ABSENCE_IS_DELETE',
  sealedPartitions: 'CORRECT',
  expected: { partitions: 365, rows: { min: 1, max: 900000 }, root: null },
  conserved: [
    {
      name: 'net',
      old: 'sum(net_amount)',
      new: 'sum(net_amount)',
      source: 'sum(quantity * unit_price)',
    },
  ],
  contract: [
    { check: 'not_null', column: 'tax_amount' },
    { check: 'null_ratio', column: 'customer', max: 0.3 },
    { check: 'sql', name: 'tax ≥ 0 on sales', where_bad: 'net_amount > 0 and tax_amount < 0' },
  ],
  expectedDiff: [
    {
      rule: 'vat-20',
      where: 'new.tax_amount = round(old.net_amount * 0.20, 2)',
      columns: ['tax_amount', 'gross_amount'],
    },
  ],
  budget: {
    concurrency: 4,
    sourceRowsPerSecond: 200000,
    warehouseSeconds: 3600,
    maxLiveLagSeconds: 120,
    maxBufferedEvents: 500000,
    maxSealedSeconds: 900,
  },
  stopLoss: { failedPartitions: 3, unexplainedRows: 1 },
  approvals: { cutover: 2, rollback: 1, basis: 'final' },
  owner: 'ana',
  deadline: '2026-08-01T00:00:00Z',
};

const issues = (value: unknown) => {
  try {
    parseRelease(value);
    return [];
  } catch (error) {
    expect(error).toBeInstanceOf(InvalidError);
    return (error as Invalid).issues.map((i) => `${i.pointer} ${i.code}`);
  }
};

describe('dataBackfillRelease.v1', () => {
  it('is read whole, and is itself when read again', () => {
    const spec = parseRelease(FULL);
    expect(spec).toEqual(FULL);
    expect(parseRelease(JSON.parse(JSON.stringify(spec)))).toEqual(spec);
  });

  it('gets its defaults', () => {
    const spec = parseRelease(LEAST);
    expect(spec).toEqual({
      schema: 'dataBackfillRelease.v1',
      ...LEAST,
      source: { name: 'orders', pin: 'SNAPSHOT' },
      writeMode: 'REPLACE_RANGE',
      deletes: 'ABSENCE_IS_DELETE',
      sealedPartitions: 'CORRECT',
      expected: {},
      contract: [],
      expectedDiff: [],
      budget: {
        concurrency: 4,
        maxSealedSeconds: 900,
        maxBufferedEvents: 500_000,
        maxLiveLagSeconds: 120,
      },
      stopLoss: { failedPartitions: 3, unexplainedRows: 1 },
      approvals: { cutover: 2, rollback: 1, basis: 'final' },
    });
    expect(parseRelease(JSON.parse(JSON.stringify(spec)))).toEqual(spec);
  });

  it('has canonical instants, an open end, a bare name', () => {
    const spec = parseRelease({
      ...LEAST,
      release: 'order-tax-fix',
      range: { from: '2025-07-01T02:00:00+02:00', to: 'open' },
    });
    expect(spec.range).toEqual({ from: '2025-07-01T00:00:00Z', to: 'open' });
    expect(spec.release).toBe('order-tax-fix');
  });

  it.each<[string, object, string[]]>([
    [
      'pin WATERMARK',
      { source: { name: 'orders', pin: 'WATERMARK' } },
      ['/source/pin NOT_AVAILABLE'],
    ],
    ['TOMBSTONE_ONLY', { deletes: 'TOMBSTONE_ONLY' }, ['/deletes NOT_AVAILABLE']],
    ['basis rehearsal', { approvals: { basis: 'rehearsal' } }, ['/approvals/basis NOT_AVAILABLE']],
  ])('%s is not available, by name', (_, change, expected) => {
    expect(issues({ ...LEAST, ...change })).toEqual(expected);
  });

  it('added columns are not available', () => {
    expect(issues({ ...LEAST, columns: { add: [{ name: 'x', type: 'text' }] } })).toContain(
      '/columns/add NOT_AVAILABLE',
    );
  });

  it.each<[string, object, string[]]>([
    [
      'a naive time',
      { range: { from: '2025-07-01T00:00:00', to: 'open' } },
      ['/range/from AMBIGUOUS_TIME'],
    ],
    ['a date', { range: { from: '2025-07-01', to: 'open' } }, ['/range/from AMBIGUOUS_TIME']],
    ['no end', { range: { from: '2025-07-01T00:00:00Z' } }, ['/range/to REQUIRED']],
    [
      'an unknown end',
      { range: { from: '2025-07-01T00:00:00Z', to: 'OPEN' } },
      ['/range/to INVALID_INPUT'],
    ],
    ['a bad name', { release: 'Order Tax' }, ['/release INVALID_NAME']],
    ['revision 0', { release: 'order@0' }, ['/release INVALID_NAME']],
    ['no transform', { transform: {} }, ['/transform/new REQUIRED']],
    ['a bad digest', { transform: { new: 'sha256:xyz' } }, ['/transform/new INVALID_INPUT']],
    ['a bad transform', { transform: { new: { sql: '' } } }, ['/transform/new/sql INVALID_INPUT']],
    ['a stranger', { rnage: 1 }, ['/rnage UNKNOWN_FIELD']],
    ['a stranger inside', { budget: { concurency: 4 } }, ['/budget/concurency UNKNOWN_FIELD']],
    ['no concurrency', { budget: { concurrency: 0 } }, ['/budget/concurrency INVALID_INPUT']],
    ['a count as text', { budget: { concurrency: '4' } }, ['/budget/concurrency INVALID_INPUT']],
    ['no signatures', { approvals: { cutover: 0 } }, ['/approvals/cutover INVALID_INPUT']],
    ['another write mode', { writeMode: 'APPEND' }, ['/writeMode INVALID_INPUT']],
    ['another schema', { schema: 'dataBackfillRelease.v2' }, ['/schema INVALID_INPUT']],
    [
      'a ratio above one',
      { contract: [{ check: 'null_ratio', column: 'a', max: 1.5 }] },
      ['/contract/0/max INVALID_INPUT'],
    ],
    [
      'an unknown check',
      { contract: [{ check: 'unique', column: 'a' }] },
      ['/contract/0/check INVALID_INPUT'],
    ],
    [
      'a rule twice',
      { expectedDiff: [FULL.expectedDiff[0], FULL.expectedDiff[0]] },
      ['/expectedDiff/1/rule INVALID_INPUT'],
    ],
    [
      'min above max',
      { expected: { rows: { min: 2, max: 1 } } },
      ['/expected/rows/min INVALID_INPUT'],
    ],
    ['a hostile owner', { owner: "ana'; drop" }, ['/owner INVALID_NAME']],
  ])('%s is refused at its pointer', (_, change, expected) => {
    expect(issues({ ...LEAST, ...change })).toEqual(expected);
  });

  it('names every missing field', () => {
    expect(issues({})).toEqual([
      '/release REQUIRED',
      '/dataset REQUIRED',
      '/range REQUIRED',
      '/source REQUIRED',
      '/transform REQUIRED',
      '/targetGeneration REQUIRED',
    ]);
  });

  it('says what it keeps and does not enforce', () => {
    expect(notEnforced(parseRelease(FULL))).toEqual([
      '/budget/sourceRowsPerSecond',
      '/budget/warehouseSeconds',
    ]);
    expect(notEnforced(parseRelease(LEAST))).toEqual([]);
  });

  it('has a JSON schema', () => {
    const schema = z.toJSONSchema(releaseSchema, { io: 'input' });
    expect(schema).toMatchObject({ type: 'object', additionalProperties: false });
    expect(schema.required).toEqual([
      'release',
      'dataset',
      'range',
      'source',
      'transform',
      'targetGeneration',
    ]);
  });

  it('names the items of its contract', () => {
    expect(parseRelease(FULL).contract.map(contractName)).toEqual([
      'not_null(tax_amount)',
      'null_ratio(customer)',
      'tax ≥ 0 on sales',
    ]);
  });
});

describe('the canonical form', () => {
  it('has nothing that was not said', () => {
    const spec = parseRelease({ ...FULL, deadline: null });
    const canonical = canonicalSpec(spec) as Record<string, unknown>;
    expect('deadline' in canonical).toBe(false);
    expect(canonical.expected).toEqual({ partitions: 365, rows: { min: 1, max: 900000 } });
    expect(canonicalSpec(parseRelease(FULL))).toEqual(
      canonicalSpec(parseRelease({ ...FULL, columns: DIGEST })),
    );
  });

  it('differs in the fields that differ', () => {
    const before = parseRelease(FULL);
    const patched = mergePatch(JSON.parse(JSON.stringify(before)), {
      range: { to: '2026-06-01T00:00:00Z' },
      deadline: null,
      contract: [],
    });
    expect(diffSpecs(before, parseRelease(patched)).map((c) => c.pointer)).toEqual([
      '/contract',
      '/deadline',
      '/range/to',
    ]);
    expect(diffSpecs(before, parseRelease(FULL))).toEqual([]);
  });

  it('tells whether a revision carries an earlier one', () => {
    const before = parseRelease(FULL);
    const next = parseRelease({ ...FULL, release: 'order-tax-fix@4', transform: LEAST.transform });
    expect(carriesFrom(before, next)).toBe(true);
    const other = parseRelease({
      ...FULL,
      release: 'order-tax-fix@4',
      range: { from: '2024-01-01T00:00:00Z', to: 'open' },
      timezone: undefined,
      partition: undefined,
      columns: undefined,
      source: { name: 'other' },
      transform: LEAST.transform,
      sealedPartitions: 'REFUSE',
      expected: {},
      conserved: undefined,
      contract: [],
      expectedDiff: [],
      budget: {},
      stopLoss: { failedPartitions: 9 },
      approvals: { cutover: 3 },
    });
    const carried = { ...other, writeMode: undefined, deletes: undefined, schema: undefined };
    expect(carriesFrom(before, other)).toBe(true);
    expect(carriesFrom(before, carried as unknown as typeof other)).toBe(false);
  });
});
