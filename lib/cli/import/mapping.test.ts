import { describe, expect, it } from 'vitest';
import { MappingError, parseMapping } from '@/lib/cli/import/mapping';

const read = (text: string) => parseMapping(text, 'map.yaml');

function faults(text: string): string[] {
  try {
    read(text);
  } catch (error) {
    if (error instanceof MappingError) return error.message.split('\n');
    throw error;
  }
  return [];
}

describe('the mapping file', () => {
  it('may be empty', () => {
    expect(read('')).toEqual({
      encoding: 'utf-8',
      delimiter: ',',
      quote: '"',
      disambiguation: 'reject',
      columns: {},
      revision: 1,
      op: 'upsert',
    });
  });

  it('reads every field', () => {
    const text = `
      format: csv
      zone: europe/london
      columns:
        net: Net
        at: { from: At, type: timestamptz, format: D/M/YYYY H:mm, disambiguation: later }
        customer: { from: CustomerID, empty: null, trim: true }
        kind: { const: sale }
      key: [InvoiceNo, $file, $line, { const: x }]
      eventId: [$key, $revision]
      revision: { from: UpdatedAt, type: timestamptz }
      op: { when: { column: Status, startsWith: [D, X] }, then: delete, else: upsert }`;
    expect(read(text)).toMatchObject({
      zone: 'Europe/London',
      columns: { net: { from: 'Net' }, customer: { from: 'CustomerID', empty: null, trim: true } },
      key: ['InvoiceNo', '$file', '$line', { const: 'x' }],
      revision: { from: 'UpdatedAt', type: 'timestamptz' },
      // biome-ignore lint/suspicious/noThenProperty: a word of the mapping file, and never a function
      op: { when: { column: 'Status', startsWith: ['D', 'X'] }, then: 'delete', else: 'upsert' },
    });
    expect(
      read('{"op": {"when": {"column": "s", "equals": ""}, "then": "delete", "else": "upsert"}}'),
    ).toMatchObject({ op: { when: { column: 's', equals: [''] } } });
  });

  it.each([
    ['zone: Europe/Londn', /zone: There is no time zone "Europe\/Londn"/],
    ['colums: {}', /^map.yaml: colums is not known here/],
    ['columns: { net: { frm: Net } }', /columns\.net\.frm is not known here/],
    ['columns: { net: { from: Net, const: 1 } }', /columns\.net: takes either from or const/],
    ['columns: { at: { format: hh:mm } }', /columns\.at\.format: is no time pattern: unknown part/],
    ['key: []', /key: /],
    ['key: [1]', /key\.0: must be a column, \$file, \$line or/],
    ['revision: 0', /revision: Too small/],
    ['revision: first', /revision: must be a positive integer/],
    ['revision: { from: v, type: text }', /revision\.type: /],
    ['revision: { file: "(" }', /revision\.file: must be a regular expression/],
    ['op: remove', /op: /],
    [
      'op: { when: { column: s }, then: delete, else: upsert }',
      /op\.when: takes one of startsWith and equals/,
    ],
    ['delimiter: ";;"', /delimiter: must be one ASCII character/],
    ['delimiter: "\\n"', /delimiter: must be one ASCII character/],
    ['delimiter: "|"\nquote: "|"', /quote: must not be the delimiter/],
    ['encoding: utf-16', /encoding: /],
    ['- a\n- b', /the mapping: /],
    ['key: [a\nop: upsert', /line 2/],
  ])('says what is wrong with %j', (text, message) => {
    expect(faults(text).join('\n')).toMatch(message);
    expect(faults(text).every((line, i) => i > 0 || line.startsWith('map.yaml: '))).toBe(true);
  });

  it('names every fault', () => {
    expect(faults('zone: nowhere\nop: remove\nkey: []')).toHaveLength(3);
  });
});
