import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import {
  type DatasetSpec,
  datasetBodySchema,
  fixedDifferences,
  loweredBy,
  parseDatasetBody,
} from './dataset';
import type { Invalid } from './refusal';

const BODY = {
  source: 'retail',
  columns: [
    { name: 'line', type: 'text' },
    { name: 'invoiced_at', type: 'timestamptz' },
    { name: 'net', type: 'numeric(14,3)' },
  ],
  key: ['line'],
  businessTime: 'invoiced_at',
  timezone: 'europe/london',
  partition: 'day',
  transform: { sql: ' select line, invoiced_at, quantity * unit_price as net from source ' },
  conserved: [
    { name: 'net', old: 'sum(net)', new: 'sum(net)', source: 'sum(quantity * unit_price)' },
  ],
  rollups: [{ metric: 'lines', sql: 'count(*)' }],
  policy: { approvals: { cutover: 2, rollback: 1 } },
};

const WHOLE = { grain: 'partition', sourceTime: 'at', key: ['line', 'invoiced_at'] };

const issues = (value: unknown) => {
  try {
    parseDatasetBody(value);
    return [];
  } catch (error) {
    return (error as Invalid).issues.map((i) => `${i.pointer} ${i.code}`);
  }
};

describe('a dataset', () => {
  it('is read into canonical form', () => {
    const spec = parseDatasetBody(BODY);
    expect(spec).toMatchObject({
      timezone: 'Europe/London',
      grain: 'row',
      columns: [
        { name: 'line', nullable: false },
        { name: 'invoiced_at', nullable: false },
        { name: 'net', nullable: true },
      ],
      transform: { sql: 'select line, invoiced_at, quantity * unit_price as net from source' },
      policy: {
        approvals: { cutover: 2, rollback: 1 },
        leaseSeconds: 900,
        rollbackWindowSeconds: 86_400,
        executorMayApprove: false,
        requireDrill: false,
        drillMaxAgeHours: 168,
      },
    });
  });

  it('has a policy of one signature where none is given', () => {
    const { policy: _, conserved: __, rollups: ___, ...rest } = BODY;
    expect(parseDatasetBody(rest)).toMatchObject({
      conserved: [],
      rollups: [],
      policy: { approvals: { cutover: 1, rollback: 1 }, leaseSeconds: 900 },
    });
  });

  it.each<[string, unknown, string[]]>([
    [
      'grain partition without what it needs',
      { ...BODY, grain: 'partition' },
      ['/key INVALID_INPUT', '/sourceTime INVALID_INPUT'],
    ],
    ['another grain', { ...BODY, grain: 'table' }, ['/grain INVALID_INPUT']],
    ['a source time in grain row', { ...BODY, sourceTime: 'x' }, ['/sourceTime INVALID_INPUT']],
    [
      'a drill that may be of any age',
      { ...BODY, policy: { requireDrill: true, drillMaxAgeHours: 0 } },
      ['/policy/drillMaxAgeHours INVALID_INPUT'],
    ],
    [
      'no signatures',
      { ...BODY, policy: { approvals: { cutover: 0 } } },
      ['/policy/approvals/cutover INVALID_INPUT'],
    ],
    ['an unknown zone', { ...BODY, timezone: 'Mars/Olympus' }, ['/timezone INVALID_INPUT']],
    ['a bare offset', { ...BODY, timezone: '+01:00' }, ['/timezone INVALID_INPUT']],
    ['an unknown unit', { ...BODY, partition: 'year' }, ['/partition INVALID_INPUT']],
    ['a time that is no column', { ...BODY, businessTime: 'at' }, ['/businessTime INVALID_INPUT']],
    [
      'two sums of a name',
      { ...BODY, conserved: [BODY.conserved[0], BODY.conserved[0]] },
      ['/conserved/1/name INVALID_INPUT'],
    ],
    ['an empty transform', { ...BODY, transform: { sql: '  ' } }, ['/transform/sql INVALID_INPUT']],
    [
      'a stranger in the policy',
      { ...BODY, policy: { approval: 1 } },
      ['/policy/approval UNKNOWN_FIELD'],
    ],
  ])('%s is refused at its pointer', (_, value, expected) => {
    expect(issues(value)).toEqual(expected);
  });

  it('names all faults at once', () => {
    expect(issues({ ...BODY, grain: 'partition', partition: 'year', key: 'line' })).toEqual([
      '/key INVALID_INPUT',
      '/partition INVALID_INPUT',
    ]);
  });

  it('of grain partition names the time of its facts, and has its own in the key', () => {
    const spec = parseDatasetBody({ ...BODY, ...WHOLE });
    expect(spec).toMatchObject({ grain: 'partition', sourceTime: 'at' });
  });

  it('has a JSON schema', () => {
    expect(z.toJSONSchema(datasetBodySchema, { io: 'input' })).toMatchObject({ type: 'object' });
  });
});

describe('a later declaration', () => {
  it('changes the policy only', () => {
    const before = parseDatasetBody(BODY);
    const same = parseDatasetBody({ ...BODY, policy: { approvals: { cutover: 3 } } });
    expect(fixedDifferences(before, same)).toEqual([]);
    const other = parseDatasetBody({ ...BODY, partition: 'hour', transform: { sql: 'select 1' } });
    expect(fixedDifferences(before, other)).toEqual(['partition', 'transform']);
    const [placed, elsewhere] = ['at', 'told_at'].map((sourceTime) =>
      parseDatasetBody({ ...BODY, ...WHOLE, sourceTime }),
    ) as [DatasetSpec, DatasetSpec];
    expect(fixedDifferences(placed, elsewhere)).toEqual(['sourceTime']);
  });

  it('names what it lowers', () => {
    const before = parseDatasetBody(BODY).policy;
    const after = parseDatasetBody({
      ...BODY,
      policy: { executorMayApprove: true, rollbackWindowSeconds: 10, leaseSeconds: 5 },
    }).policy;
    expect(loweredBy(before, after)).toEqual([
      'approvals/cutover',
      'executorMayApprove',
      'rollbackWindowSeconds',
    ]);
    expect(loweredBy(after, before)).toEqual([]);
  });
});
