import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { parse } from 'csv-parse/sync';
import { describe, expect, it } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { eventMaker } from '@/lib/cli/import/event-maker';
import { openRecords } from '@/lib/cli/import/file-records';
import { findInputs, readUnpacked } from '@/lib/cli/import/inputs';
import { parseMapping } from '@/lib/cli/import/mapping';
import { namedSourceSchema } from '@/lib/cli/import/source-shape';
import { sourceBodySchema } from '@/lib/domain/source';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const example = (name: string) =>
  readFileSync(path.join(root, 'examples/online-retail', name), 'utf8');
const data = path.join(root, '../shared/data/online-retail/by-day');

interface Payload {
  line: string;
  description: string;
  quantity: number;
  invoiced_at: string;
  unit_price: string;
  customer: string | null;
}

const milli = (price: string) => {
  const [whole = '0', fraction = ''] = price.split('.');
  return BigInt(whole) * 1000n + BigInt(fraction.padEnd(3, '0'));
};

const mapping = parseMapping(example('map.yaml'), 'map.yaml');
const { name, ...body } = parseYaml(example('source.yaml'));
const source = namedSourceSchema.parse({ name, ...sourceBodySchema.parse(body) });

async function payloads(file: string): Promise<Payload[]> {
  const { files } = await findInputs([file], mapping.format);
  const [input] = files;
  if (!input) throw new Error('no file');
  const { columns, groups } = await openRecords(input.format, mapping, readUnpacked(file));
  const { make } = eventMaker({ source, mapping, mapped: true }, input, columns, () => {});
  const made: Payload[] = [];
  for await (const { records } of groups) {
    for (const record of records) made.push(JSON.parse(make(record)).payload);
  }
  return made;
}

// The day of quotes, a day with a pound sign, and the day before the clocks change.
const days = ['2010-12-01', '2010-12-20', '2011-03-25'];

/** Skipped where the files are not there: they are not part of the project. */
describe.skipIf(!existsSync(data))('the example mapping over the Online Retail files', () => {
  it.each(days)('gives %s whole, to the last digit', async (day) => {
    const file = path.join(data, `${day}.csv.gz`);
    const found = await payloads(file);
    const rows: Record<string, string>[] = parse(gunzipSync(readFileSync(file)), { columns: true });
    expect(found).toHaveLength(rows.length);
    const net = (list: readonly { quantity: string | number; price: string }[]) =>
      list.reduce((sum, { quantity, price }) => sum + BigInt(quantity) * milli(price), 0n);
    expect(net(found.map(({ quantity, unit_price: price }) => ({ quantity, price })))).toBe(
      net(rows.map((row) => ({ quantity: row.Quantity ?? '', price: row.UnitPrice ?? '' }))),
    );
    expect(found.map(({ description }) => description)).toEqual(rows.map((row) => row.Description));
    expect(found.filter(({ customer }) => customer === null)).toHaveLength(
      rows.filter((row) => row.CustomerID === '').length,
    );
    expect(new Set(found.map(({ line }) => line)).size).toBe(rows.length);
    expect(found.map(({ line }) => line)).toEqual(
      rows.map((row, i) => `${row.InvoiceNo}:${day}.csv:${i + 1}`),
    );
    // All of these days lie in winter, when London shows UTC.
    expect(found.map((each) => each.invoiced_at.replace('T', ' ').replace('Z', ''))).toEqual(
      rows.map((row) => row.InvoiceDate),
    );
  });
});
