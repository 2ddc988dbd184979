import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { digestOf } from '@/lib/digest/canonical';
import { correctionList } from '@/lib/queries/corrections';
import { publish } from '@/lib/services/publication';
import { correct } from '@/lib/testing/corrections';
import type { TestDatabase } from '@/lib/testing/database';
import { openShop } from '@/lib/testing/shop';
import { as } from '@/lib/testing/world';
import { EXPORT_TAG, exportCorrections, streamOf } from '@/lib/web/corrections-export';

let t: TestDatabase;
const at = (n: number) => `2011-01-0${n}T00:00:00Z`;
const huge = '-9007199254740993123456789.001';
const reasons = [
  'plain',
  'a "quoted", comma',
  'two\r\nlines',
  "=cmd|' /C calc'!A0",
  '+1+1',
  '-x',
  '@sum(A1)',
  "'); drop table control.correction; --",
  '\u202eevil',
  ' ',
  'null',
];

beforeAll(async () => {
  ({ t } = await openShop());
  await publish(as(t.db, 'ana'), {
    dataset: 'order_tax',
    from: at(3),
    to: at(5),
    sentTo: '@tax office, "north"',
  });
  for (const [i, reason] of reasons.entries()) {
    await correct(t.db, { start: at(3 + (i % 2)), rows: i, sums: { net: huge }, reason });
  }
});
afterAll(() => t.close());

/** RFC 4180, told NULL from an empty text as we write them. */
function parseCsv(text: string): (string | null)[][] {
  const records: (string | null)[][] = [[]];
  const field = /("(?:[^"]|"")*"|[^",\r\n]*)(,|\r\n)/gy;
  while (field.lastIndex < text.length) {
    const match = field.exec(text);
    if (match === null) throw new Error('not CSV');
    const [, raw = '', end] = match;
    const value = raw.startsWith('"') ? raw.slice(1, -1).replaceAll('""', '"') : raw;
    records.at(-1)?.push(raw === '' ? null : value);
    if (end === '\r\n') records.push([]);
  }
  records.pop();
  return records;
}

const headerOf = (body: Uint8Array) =>
  `sha-256=:${createHash('sha256').update(body).digest('base64')}:`;

describe('as CSV', () => {
  it('is read back as it was, formulas disarmed and numbers exact', async () => {
    const made = await exportCorrections(t.db, { dataset: 'order_tax' }, 'csv');
    const body = Buffer.concat(made.parts);
    expect(made.headers).toMatchObject({
      'content-type': 'text/csv; charset=utf-8',
      'content-digest': headerOf(body),
      'content-disposition': 'attachment; filename="corrections-order_tax.csv"',
      'cache-control': 'no-store, no-transform',
    });
    expect(Buffer.from(await new Response(streamOf(made)).arrayBuffer())).toEqual(body);
    const [heading = [], ...records] = parseCsv(body.toString('utf8'));
    expect(made).toMatchObject({ count: reasons.length, cut: false });
    expect(records).toHaveLength(reasons.length);
    const { items } = await correctionList(t.db, {}, { limit: 100 });
    for (const [i, record] of records.entries()) {
      expect(record).toHaveLength(heading.length);
      const cell = (name: string) => record[heading.indexOf(name)];
      const item = items[i];
      const reason = item?.reason ?? '';
      expect(cell('reason')).toBe(
        /^[=+\-@]/.test(reason) && reason !== '+1' ? `'${reason}` : reason,
      );
      expect(cell('sent_to')).toBe('\'@tax office, "north"');
      expect(cell('document')).toBeNull();
      expect(cell('after.sums.net')).toBe(huge);
      expect(cell('delta.sums.net')).toBe(item?.delta.sums.net);
      expect(cell('delta.rows')).toBe(String(item?.delta.rows));
      expect(cell('published.root')).toBe(item?.published.root);
      expect(cell('partition_start')).toBe(item?.partition.start);
      expect(cell('partition')).toBe(item?.partition.label);
      expect(JSON.parse(cell('progress') ?? '')).toEqual(item?.progress);
      for (const name of ['release', 'receipt', 'signatures']) expect(cell(name)).toBeNull();
    }
  });

  it('of nothing is its heading', async () => {
    const made = await exportCorrections(t.db, { by: 'nobody' }, 'csv');
    expect(parseCsv(Buffer.concat(made.parts).toString())).toHaveLength(1);
    expect(made.count).toBe(0);
  });
});

describe('as JSON', () => {
  it('holds a digest of its items that can be checked later', async () => {
    const filter = { dataset: 'order_tax', from: at(3) };
    const made = await exportCorrections(t.db, filter, 'json');
    const body = Buffer.concat(made.parts);
    expect(made.headers['content-digest']).toBe(headerOf(body));
    const file = JSON.parse(body.toString('utf8'));
    expect(file).toMatchObject({ filter, count: reasons.length, cut: false });
    expect(file.items).toEqual((await correctionList(t.db, {}, { limit: 100 })).items);
    const later = JSON.parse(JSON.stringify(file, null, 2));
    expect(digestOf(EXPORT_TAG, later.items)).toBe(file.digest);
    later.items[3].reason += ' ';
    expect(digestOf(EXPORT_TAG, later.items)).not.toBe(file.digest);
  });

  it('of nothing, and of all datasets, is one too', async () => {
    const none = await exportCorrections(t.db, { kind: 'rollback' }, 'json');
    const file = JSON.parse(Buffer.concat(none.parts).toString());
    expect(file).toMatchObject({ count: 0, items: [], digest: digestOf(EXPORT_TAG, []) });
    expect(none.headers['content-disposition']).toContain('"corrections.json"');
  });

  it('says where it was cut, and has the newest', async () => {
    for (const [limit, cut] of [
      [3, true],
      [reasons.length, false],
    ] as const) {
      const made = await exportCorrections(t.db, {}, 'json', limit);
      const file = JSON.parse(Buffer.concat(made.parts).toString());
      expect([file.count, file.cut, made.headers['x-interlock-cut']]).toEqual([
        limit,
        cut,
        cut ? 'true' : undefined,
      ]);
      expect(file.items[0].reason).toBe(reasons.at(-1));
      expect(digestOf(EXPORT_TAG, file.items)).toBe(file.digest);
    }
  });
});
