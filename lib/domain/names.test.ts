import { describe, expect, it } from 'vitest';
import {
  digestSchema,
  formatReleaseRef,
  generationNameSchema,
  labelSchema,
  metricNameSchema,
  parseName,
  readColumnName,
  readDatasetName,
  readPerson,
  readReleaseName,
  readReleaseNameOrRef,
  readReleaseRef,
  readSourceName,
  snapshotNameSchema,
} from './names';
import { Invalid } from './refusal';

const HOSTILE = [
  '',
  ' ',
  'a b',
  'a\n',
  '\na',
  'a\0',
  'a"b',
  "a'b",
  'a;drop table x',
  'a --',
  '../etc',
  'a/b',
  'a\\b',
  'A',
  'Ünï',
  'аdmin',
  'a\u200b',
  '1a',
  '_a',
  '-a',
  'a.b',
  'a%',
  '$(x)',
  '<script>',
  '__proto__',
  'a'.repeat(65),
  'constructor()',
  7,
  null,
  undefined,
  {},
  ['a'],
  true,
];

describe('names that reach SQL, URLs and shells', () => {
  it.each(HOSTILE)('%j is none', (value) => {
    for (const read of [readSourceName, readDatasetName, readColumnName, readReleaseName]) {
      expect(read(value)).toMatchObject({ ok: false, code: 'INVALID_NAME' });
    }
  });

  it('fit 63 bytes with our prefixes', () => {
    const longest = 'a'.repeat(48);
    expect(readSourceName(longest).ok).toBe(true);
    expect(readSourceName(`${longest}a`).ok).toBe(false);
    expect(readDatasetName(longest).ok).toBe(true);
    expect(readColumnName('a'.repeat(59)).ok).toBe(true);
    expect(readColumnName('a'.repeat(60)).ok).toBe(false);
  });

  it('do not take what is PostgreSQL’s or ours', () => {
    expect(readSourceName('pg_catalog').ok).toBe(false);
    expect(readDatasetName('pg_toast').ok).toBe(false);
    expect(readDatasetName('pgx').ok).toBe(true);
    expect(readColumnName('_key').ok).toBe(false);
    expect(readColumnName('ctid').ok).toBe(false);
    expect(readColumnName('pg_value').ok).toBe(true);
    expect(readColumnName('select').ok).toBe(true);
  });

  it('say the rule, and the name on one line', () => {
    const read = readDatasetName('Order\nTax');
    expect(read.ok ? '' : read.message).toBe(
      '"Order\\nTax" is not a name for a dataset: a small letter, then small letters, digits and _, 48 characters at most.',
    );
    const long = readReleaseName('x'.repeat(5000));
    expect(long.ok ? '' : long.message.length).toBeLessThan(250);
  });
});

describe('releases', () => {
  it('are read and written as name@revision', () => {
    expect(readReleaseRef('order-tax-fix@3')).toEqual({
      ok: true,
      value: { name: 'order-tax-fix', revision: 3 },
    });
    expect(formatReleaseRef({ name: 'a', revision: 12 })).toBe('a@12');
    expect(readReleaseNameOrRef('vat-fix')).toEqual({
      ok: true,
      value: { name: 'vat-fix', revision: null },
    });
    expect(readReleaseNameOrRef('vat-fix@2')).toMatchObject({ value: { revision: 2 } });
  });

  it.each([
    'a',
    'a@',
    'a@0',
    'a@01',
    'a@-1',
    'a@1.5',
    'a@1e3',
    'a@9999999999',
    '@1',
    'A@1',
    'a@1@2',
    'a@1\n',
  ])('%j is no revision', (text) => {
    expect(readReleaseRef(text)).toMatchObject({ ok: false, code: 'INVALID_NAME' });
  });

  it('have generations of their own', () => {
    expect(generationNameSchema.safeParse('tax-fix-g3').success).toBe(true);
    expect(generationNameSchema.safeParse('Tax').success).toBe(false);
  });
});

describe('persons', () => {
  it('are one person in any case', () => {
    expect(readPerson('Ana')).toEqual({ ok: true, value: 'ana' });
    expect(readPerson('Cyd.Smith@Example.com')).toEqual({
      ok: true,
      value: 'cyd.smith@example.com',
    });
  });

  it.each([
    '',
    'a b',
    'a@b',
    'a@-b.c',
    '@x.com',
    'a@x..com',
    'a@x.com\n',
    'é',
    'runner',
    'System',
    5,
  ])('%j is none', (value) => {
    expect(readPerson(value)).toMatchObject({ ok: false, code: 'INVALID_NAME' });
  });
});

describe('other names', () => {
  it('headings are one visible line', () => {
    expect(labelSchema.safeParse('tax ≥ 0 on sales').success).toBe(true);
    for (const text of ['', ' a', 'a\nb', 'a\u2028b', 'a\u0000', '\u202eevil', 'x'.repeat(81)]) {
      expect(labelSchema.safeParse(text).success).toBe(false);
    }
  });

  it('metrics, snapshots and digests have their forms', () => {
    expect(metricNameSchema.safeParse('net').success).toBe(true);
    expect(metricNameSchema.safeParse('net:x').success).toBe(false);
    expect(snapshotNameSchema.safeParse('orders:snapshot-8841').success).toBe(true);
    expect(snapshotNameSchema.safeParse('orders').success).toBe(false);
    expect(digestSchema.safeParse(`sha256:${'0f'.repeat(32)}`).success).toBe(true);
    expect(digestSchema.safeParse(`sha256:${'0F'.repeat(32)}`).success).toBe(false);
    expect(digestSchema.safeParse('sha256:…').success).toBe(false);
  });

  it('from a URL are 422 at their pointer', () => {
    expect(parseName(readDatasetName, 'order_tax')).toBe('order_tax');
    expect(() => parseName(readDatasetName, 'x y', '/dataset')).toThrow(Invalid);
  });
});
