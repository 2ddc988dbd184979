import { describe, expect, it } from 'vitest';
import { BadLine } from '@/lib/cli/import/bad-line';
import { eventBuilder, type FileFacts } from '@/lib/cli/import/event-builder';
import type { ExactJson } from '@/lib/cli/import/exact-json';
import { JsonNumber } from '@/lib/cli/import/exact-json';
import { MappingError, parseMapping } from '@/lib/cli/import/mapping';
import { type NamedSource, namedSourceSchema } from '@/lib/cli/import/source-shape';

const source: NamedSource = namedSourceSchema.parse({
  name: 'retail',
  columns: [
    { name: 'line', type: 'text' },
    { name: 'quantity', type: 'integer' },
    { name: 'price', type: 'numeric(12,3)' },
    { name: 'at', type: 'timestamptz', nullable: false },
    { name: 'customer', type: 'text' },
    { name: 'note', type: 'jsonb' },
  ],
  key: ['line'],
  eventTime: 'at',
});

const row = {
  line: 'a',
  quantity: '3',
  price: '2.5',
  at: '2011-06-01T00:00:00Z',
  customer: '',
  note: '',
};
const csv: FileFacts = { name: '2011-06-01.csv', format: 'csv', columns: Object.keys(row) };

function build(
  map: string,
  values: Record<string, ExactJson> = row,
  {
    file = csv,
    position = 7,
    of = source,
  }: { file?: FileFacts; position?: number; of?: NamedSource } = {},
) {
  const builder = eventBuilder(parseMapping(map, 'map.yaml'), of, file);
  const get = (name: string) => values[name];
  return JSON.parse(builder.build({ file: file.name, position, get }).json);
}

function bad(map: string, values: Record<string, ExactJson>): { code: string; message: string } {
  try {
    build(map, { ...row, ...values });
  } catch (error) {
    if (error instanceof BadLine) return { code: error.code, message: error.message };
    throw error;
  }
  throw new Error('the line is good');
}

describe('the event of a record', () => {
  it('takes columns by name, with exact values', () => {
    expect(build('')).toEqual({
      eventId: 'a@1',
      revision: 1,
      op: 'upsert',
      payload: {
        line: 'a',
        quantity: 3,
        price: '2.500',
        at: '2011-06-01T00:00:00Z',
        customer: '',
        note: null,
      },
    });
  });

  it('makes one key of several parts that no other list of parts gives', () => {
    expect(build('key: [line, $file, $line]').payload.line).toBe('a:2011-06-01.csv:7');
    const key = (line: string, other: string) =>
      build('key: [line, customer]', { ...row, line, customer: other }).payload.line;
    expect(key('a:b', 'c')).toBe('a%3Ab:c');
    expect(key('a', 'b:c')).toBe('a:b%3Ac');
    expect(key('a%3Ab', 'c')).toBe('a%253Ab:c');
    expect(build('key: [line]', { ...row, line: 'a:b' }).payload.line).toBe('a:b');
  });

  it('gives each of several key columns its part', () => {
    const of = { ...source, key: ['line', 'quantity'] };
    const event = build('key: [customer, $line]', { ...row, customer: 'c' }, { of });
    expect(event).toMatchObject({ eventId: '["c","7"]@1', payload: { line: 'c', quantity: 7 } });
    expect(() => build('key: [customer]', row, { of })).toThrow(/has 1 parts, the source has 2/);
  });

  it('refuses a key with an empty part', () => {
    expect(bad('key: [customer, $line]', {})).toEqual({
      code: 'NULL_KEY',
      message: 'line: customer is empty, and it is part of the key',
    });
  });

  it('makes what is empty NULL, the text that the mapping says, or keeps it', () => {
    const customer = (rule: string, value = '') =>
      build(`columns: { customer: ${rule} }`, { ...row, customer: value }).payload.customer;
    expect(customer('{ empty: null }')).toBeNull();
    expect(customer('{ empty: none }')).toBe('none');
    expect(customer('customer')).toBe('');
    expect(customer('{ empty: null }', '  ')).toBe('  ');
    expect(customer('{ empty: null, trim: true }', '  ')).toBeNull();
    expect(customer('{ trim: true }', ' x ')).toBe('x');
  });

  it('refuses what does not fit, and says what and why', () => {
    expect(bad('', { quantity: '3.5' }).message).toMatch(/quantity: "3.5" is not a whole number/);
    expect(bad('', { quantity: '2147483648' }).message).toMatch(/does not fit into integer/);
    expect(bad('', { price: '1,234.50' }).message).toMatch(/price/);
    expect(bad('', { price: '2.5555' }).message).toMatch(/more than 3 decimals/);
    expect(bad('', { at: '' }).code).toBe('REQUIRED');
    expect(bad('', { customer: 'a\0b' }).message).toMatch(/customer/);
    expect(bad('', { note: '{"a":' }).message).toMatch(/note: .* is not JSON/);
    expect(bad('', { note: '{"a":9007199254740993}' }).message).toMatch(
      /would not be kept exactly/,
    );
    expect(bad('', { line: '' })).toMatchObject({ code: 'REQUIRED' });
    expect(build('columns: { line: { empty: "" } }', { ...row, line: '' }).payload.line).toBe('');
    const two = bad('', { quantity: 'x', price: 'y' }).message;
    expect(two).toMatch(/quantity/);
    expect(two).toMatch(/price/);
  });

  it('wants a zone for times without an offset', () => {
    const at = '2011-06-01 10:00:00';
    expect(bad('', { at })).toEqual({
      code: 'AMBIGUOUS_TIME',
      message: `at: "${at}" has no offset from UTC; name its zone in the mapping`,
    });
    const time = (map: string, value: string) => build(map, { ...row, at: value }).payload.at;
    expect(time('zone: Europe/London', at)).toBe('2011-06-01T09:00:00Z');
    expect(time('{ zone: UTC, columns: { at: { zone: Asia/Tokyo } } }', at)).toBe(
      '2011-06-01T01:00:00Z',
    );
    expect(time('zone: Europe/London', '2011-06-01T10:00:00+02:00')).toBe('2011-06-01T08:00:00Z');
    expect(
      time('{ zone: Europe/London, columns: { at: { format: D/M/YYYY H:mm } } }', '1/6/2011 9:05'),
    ).toBe('2011-06-01T08:05:00Z');
    expect(bad('zone: Europe/London', { at: '2011-03-27 01:30:00' }).code).toBe('AMBIGUOUS_TIME');
    expect(time('{ zone: Europe/London, disambiguation: earlier }', '2011-10-30 01:30:00')).toBe(
      '2011-10-30T00:30:00Z',
    );
    expect(bad('zone: Europe/London', { at: 'yesterday' }).message).toMatch(/is not an instant/);
  });

  it('reads operations and revisions by rule', () => {
    const op = 'op: { when: { column: customer, startsWith: C }, then: delete, else: upsert }';
    expect(build(op, { ...row, customer: 'C1', quantity: 'not read' })).toEqual({
      eventId: 'a@1',
      revision: 1,
      op: 'delete',
      key: 'a',
      eventTime: '2011-06-01T00:00:00Z',
    });
    expect(build(op, { ...row, customer: 'C1', at: '' })).not.toHaveProperty('eventTime');
    expect(build(op).op).toBe('upsert');
    expect(build('op: delete')).not.toHaveProperty('payload');

    expect(build('revision: $line').revision).toBe(7);
    expect(build('revision: { from: quantity }').eventId).toBe('a@3');
    expect(build('revision: { from: at, type: timestamptz }').revision).toBe(1306886400000000);
    expect(build('revision: { file: (\\d+)-(\\d+)-(\\d+) }').revision).toBe(20110601);
    expect(() => build('revision: { file: nothing }')).toThrow(MappingError);
    expect(bad('revision: { from: quantity }', { quantity: '0' }).message).toMatch(
      /no positive integer/,
    );
    expect(bad('revision: { from: quantity }', { quantity: '' }).message).toMatch(
      /quantity is empty/,
    );
  });

  it('makes event ids of parts', () => {
    expect(build('eventId: [$file, $line]').eventId).toBe('2011-06-01.csv:7');
    expect(build('eventId: [$key, $revision, $op]').eventId).toBe('a:1:upsert');
    expect(bad('', { line: 'x'.repeat(300) }).message).toMatch(/event id/i);
  });

  it('keeps the digits of numbers in JSON, and jsonb as it is', () => {
    const file: FileFacts = { name: 'x.jsonl', format: 'jsonl', columns: null };
    const values = {
      line: 'a',
      quantity: new JsonNumber('3'),
      price: new JsonNumber('12345678.125'),
      at: row.at,
      note: { a: [new JsonNumber('1.5'), 'x', null] },
    };
    expect(build('', values, { file }).payload).toMatchObject({
      price: '12345678.125',
      quantity: 3,
      customer: null,
      note: { a: [1.5, 'x', null] },
    });
    // A text is a text in JSON, even where it looks like JSON.
    expect(build('', { ...values, note: '[1]' }, { file }).payload.note).toBe('[1]');
    expect(build('', { ...row, note: '[1]' }).payload.note).toEqual([1]);
  });

  it('takes constants, the file and the position as columns', () => {
    const columns =
      'columns: { customer: { from: $file }, quantity: { from: $line }, price: { const: 1.25 } }';
    expect(build(columns).payload).toMatchObject({
      customer: '2011-06-01.csv',
      quantity: 7,
      price: '1.250',
    });
    expect(() => build('columns: { quantity: { const: x } }')).toThrow(/columns\.quantity\.const/);
    expect(() => build('columns: { at: { const: null } }')).toThrow(/columns\.at\.const/);
  });

  it('refuses a mapping that does not fit the source or the file', () => {
    expect(() => build('columns: { nett: Net }')).toThrow(
      /columns\.nett: the source has no such column/,
    );
    expect(() => build('columns: { price: Net }')).toThrow(
      /it has no column "Net" \(columns\.price\)/,
    );
    expect(() => build('key: [Invoice]')).toThrow(/it has no column "Invoice" \(key\)/);
    expect(() => build('columns: { price: { type: bigint } }')).toThrow(
      /the source declares numeric/,
    );
    expect(() => build('columns: { price: { type: money } }')).toThrow(/is not a column type/);
    expect(() => build('{ key: [line], columns: { line: customer } }')).toThrow(/key says already/);
    const twice = { ...csv, columns: [...Object.keys(row), 'price'] };
    expect(() => build('', row, { file: twice })).toThrow(/has the column "price" twice/);
    const without = { ...csv, columns: ['line', 'quantity', 'at'] };
    expect(build('', row, { file: without }).payload.price).toBe('2.500');
    expect(() => build('', row, { file: { ...csv, columns: ['line'] } })).toThrow(/no column "at"/);
  });
});
