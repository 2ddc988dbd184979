import { describe, expect, it } from 'vitest';
import {
  columnFaults,
  columnListSchema,
  columnTypeOf,
  columnTypeText,
  decideNullable,
  isKeyType,
  readColumnType,
} from './column';
import { issuesOf } from './zod-issues';

describe('types', () => {
  it.each([
    ['text', 'text'],
    ['INT', 'integer'],
    ['int8', 'bigint'],
    ['numeric', 'numeric'],
    ['decimal(14, 2)', 'numeric(14,2)'],
    ['numeric( 14 ,3 )', 'numeric(14,3)'],
    ['numeric(5)', 'numeric(5,0)'],
    ['float8', 'double precision'],
    ['double  precision', 'double precision'],
    ['timestamp with time zone', 'timestamptz'],
    ['bool', 'boolean'],
  ])('%s is %s', (text, spelling) => {
    const type = readColumnType(text);
    expect(type && columnTypeText(type)).toBe(spelling);
  });

  it.each([
    '',
    'varchar(10)',
    'timestamp',
    'json',
    'numeric(0,0)',
    'numeric(1001,2)',
    'numeric(2,3)',
    'numeric(2,-1)',
    'text[]',
    'text; drop',
    'toString',
    'real',
  ])('%j is none', (text) => {
    expect(readColumnType(text)).toBeNull();
    expect(() => columnTypeOf(text)).toThrow(RangeError);
  });

  it('may be part of a key where equal values have one text', () => {
    expect(['text', 'numeric(4,2)', 'uuid', 'timestamptz'].every(isKeyType)).toBe(true);
    expect(['jsonb', 'double precision'].some(isKeyType)).toBe(false);
  });
});

describe('lists', () => {
  const list = [
    { name: 'line', type: 'text' },
    { name: 'at', type: 'timestamptz' },
    { name: 'extra', type: 'jsonb', nullable: true },
    { name: 'net', type: 'decimal(14, 3)', nullable: false },
  ];

  it('are read into canonical types, with nullable decided', () => {
    const columns = columnListSchema.parse(list);
    expect(decideNullable(columns, ['line', 'at'])).toEqual([
      { name: 'line', type: 'text', nullable: false },
      { name: 'at', type: 'timestamptz', nullable: false },
      { name: 'extra', type: 'jsonb', nullable: true },
      { name: 'net', type: 'numeric(14,3)', nullable: false },
    ]);
  });

  it('refuse doubles, strangers and unknown fields at their place', () => {
    const result = columnListSchema.safeParse([
      { name: 'a', type: 'text' },
      { name: 'a', type: 'text' },
      { name: 'B', type: 'varchar', primary: true },
    ]);
    const found = result.error ? issuesOf(result.error) : [];
    expect(found.map((i) => `${i.pointer} ${i.code}`)).toEqual([
      '/2/name INVALID_NAME',
      '/2/type INVALID_INPUT',
      '/2/primary UNKNOWN_FIELD',
    ]);
    const twice = columnListSchema.safeParse([
      { name: 'a', type: 'text' },
      { name: 'a', type: 'text' },
    ]);
    expect(twice.error && issuesOf(twice.error)[0]?.pointer).toBe('/1/name');
    expect(columnListSchema.safeParse([]).success).toBe(false);
  });

  it('name what a key or a time cannot be', () => {
    const columns = columnListSchema.parse(list);
    const faults = columnFaults(columns, ['line', 'line', 'gone', 'extra'], {
      field: 'eventTime',
      name: 'net',
    });
    expect(faults.map((f) => f.path.join('/'))).toEqual(['key/1', 'key/2', 'key/3', 'eventTime']);
    const nullable = columnListSchema.parse([{ name: 'k', type: 'text', nullable: true }]);
    expect(columnFaults(nullable, ['k'], null)[0]?.message).toMatch(/never NULL/);
    expect(columnFaults(columns, ['line'], { field: 'eventTime', name: 'at' })).toEqual([]);
  });
});
