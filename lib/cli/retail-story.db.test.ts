import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { parse } from 'csv-parse/sync';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { eventMaker } from '@/lib/cli/import/event-maker';
import { openRecords } from '@/lib/cli/import/file-records';
import { findInputs, readUnpacked } from '@/lib/cli/import/inputs';
import { parseMapping } from '@/lib/cli/import/mapping';
import { namedSourceSchema } from '@/lib/cli/import/source-shape';
import { one, rows } from '@/lib/db/client';
import { sourceBodySchema } from '@/lib/domain/source';
import { applyDataset } from '@/lib/services/dataset';
import { applySource } from '@/lib/services/source';
import { type TestDatabase, testDatabase } from '@/lib/testing/database';
import { as, castPeople, World } from '@/lib/testing/world';

const root = fileURLToPath(new URL('../..', import.meta.url));
const data = path.join(root, '../shared/data/online-retail/by-day');
const example = (name: string) =>
  readFileSync(path.join(root, 'examples/online-retail', name), 'utf8');

/** One order line as the CSV has it, in whole thousandths of a pound. */
interface CsvLine {
  key: string;
  at: string;
  quantity: bigint;
  price: bigint;
}

const thousandths = (text: string) => {
  const [whole = '0', fraction = ''] = text.split('.');
  return BigInt(whole) * 1000n + BigInt(fraction.padEnd(3, '0').slice(0, 3));
};

/** London's clock of these months as UTC: an hour ahead since it was changed on 27 March at 01:00. */
const instantOf = (clock: string) => {
  const asUtc = Date.parse(`${clock.replace(' ', 'T')}Z`);
  const ahead = clock >= '2011-03-27 01:00' ? 3_600_000 : 0;
  return new Date(asUtc - ahead).toISOString().replace('.000Z', 'Z');
};

/** Half away from zero, as PostgreSQL rounds numerics: thousandths × rate (per thousand) in pence. */
const taxPence = (net: bigint, rate: bigint) => {
  const scaled = net * rate; // millionths of a pound
  const size = scaled < 0n ? -scaled : scaled;
  const pence = (size + 5_000n) / 10_000n;
  return scaled < 0n ? -pence : pence;
};

const rise = '2011-01-04T00:00:00Z';
/** Midnight of 1 July in London. */
const end = '2011-06-30T23:00:00Z';
const net = (line: CsvLine) => line.quantity * line.price;

/** The figures that must be served, from the lines alone: net in thousandths, tax in pence. */
function expected(lines: Iterable<CsvLine>, repaired: boolean) {
  let count = 0;
  let total = 0n;
  let tax = 0n;
  for (const line of lines) {
    count += 1;
    total += net(line);
    tax += taxPence(net(line), repaired && line.at >= rise ? 200n : 175n);
  }
  return { count, net: total, tax };
}

describe.skipIf(!existsSync(data))('the VAT story on the Online Retail lines', () => {
  let t: TestDatabase;
  let w: World;
  const lines = new Map<string, CsvLine>();
  const revisions = new Map<string, number>();
  let release = '';

  beforeAll(async () => {
    t = await testDatabase();
    w = new World(t.db);
    await castPeople(t.db);
  });
  afterAll(() => t.close());

  const served = async () => {
    const found = await one<{ count: number; net: string; tax: string }>(
      t.db,
      sql`select count(*)::int as count, sum(net) as net, sum(tax) as tax from read.order_tax`,
    );
    return {
      count: found.count,
      net: thousandths(found.net.replace('-', '')) * (found.net.startsWith('-') ? -1n : 1n),
      tax: BigInt(found.tax.replace('.', '')),
    };
  };

  /** Changes a line in the log and in what is expected, as one. */
  const change = async (
    changes: { key: string; at?: string; quantity?: bigint; price?: bigint; gone?: boolean }[],
  ) => {
    const events = changes.map((c) => {
      const line = lines.get(c.key) ?? { key: c.key, at: '', quantity: 0n, price: 0n };
      const next = {
        ...line,
        at: c.at ?? line.at,
        quantity: c.quantity ?? line.quantity,
        price: c.price ?? line.price,
      };
      const revision = (revisions.get(c.key) ?? 1) + 1;
      revisions.set(c.key, revision);
      if (c.gone) lines.delete(c.key);
      else lines.set(c.key, next);
      const price = `${next.price / 1000n}.${String(next.price % 1000n).padStart(3, '0')}`;
      return {
        eventId: `${c.key} r${revision}`,
        key: c.key,
        revision,
        op: c.gone ? 'delete' : 'upsert',
        ...(c.gone
          ? {}
          : {
              payload: {
                line: c.key,
                invoice: 'x',
                stock_code: 'x',
                description: null,
                quantity: Number(next.quantity),
                invoiced_at: next.at,
                unit_price: price,
                customer: null,
                country: 'United Kingdom',
              },
            }),
      };
    });
    await w.append(events, 'retail');
  };

  const pick = (from: string, to: string, n: number) =>
    [...lines.values()]
      .filter((l) => l.at >= from && l.at < to)
      .slice(0, n)
      .map((l) => l.key);

  it('takes every line of the files into the log', async () => {
    const { name, ...body } = parseYaml(example('source.yaml'));
    const mapping = parseMapping(example('map.yaml'), 'map.yaml');
    const source = namedSourceSchema.parse({ name, ...sourceBodySchema.parse(body) });
    await applySource(as(t.db, 'root'), { name, ...body });
    const bad: unknown[] = [];
    for (const file of readdirSync(data).sort()) {
      const whole = path.join(data, file);
      const { files } = await findInputs([whole], mapping.format);
      const [input] = files;
      if (!input) throw new Error(`no input ${file}`);
      const { columns, groups } = await openRecords(input.format, mapping, readUnpacked(whole));
      const { make } = eventMaker({ source, mapping, mapped: true }, input, columns, (line) =>
        bad.push(line),
      );
      const events: unknown[] = [];
      for await (const { records } of groups)
        for (const record of records) events.push(JSON.parse(make(record)));
      await w.append(events, 'retail');

      const csv: Record<string, string>[] = parse(gunzipSync(readFileSync(whole)), {
        columns: true,
      });
      for (const [i, row] of csv.entries()) {
        const key = `${row.InvoiceNo}:${file.replace('.gz', '')}:${i + 1}`;
        const at = instantOf(row.InvoiceDate ?? '');
        lines.set(key, {
          key,
          at,
          quantity: BigInt(row.Quantity ?? ''),
          price: thousandths(row.UnitPrice ?? ''),
        });
      }
    }
    expect(bad).toEqual([]);
    const logged = await one<{ n: number }>(
      t.db,
      sql`select count(*)::int as n from control.source_event`,
    );
    expect(logged.n).toBe(lines.size);
  });

  it('serves them with the bug, to the cent', async () => {
    await applyDataset(as(t.db, 'root'), parseYaml(example('dataset.yaml')));
    await w.live();
    expect(await served()).toEqual(expected(lines.values(), false));
  });

  it('builds and rehearses while changes, deletes and moves across the edge arrive', async () => {
    const spec = parseYaml(example('release.yaml'));
    release = await w.draft({
      ...spec,
      range: { from: rise, to: end },
      expected: { partitions: 178 },
      budget: { ...spec.budget, maxLiveLagSeconds: 3600 },
    });
    await w.move('ana', 'pin', release);
    await w.move('ana', 'build', release);
    const [a, b, c, d] = pick('2011-01-10T00:00:00Z', '2011-01-11T00:00:00Z', 4) as [
      string,
      string,
      string,
      string,
    ];
    const [before] = pick('2010-12-20T00:00:00Z', '2010-12-21T00:00:00Z', 1) as [string];
    await change([
      { key: a, price: 99_990n },
      { key: b, gone: true },
      { key: c, at: '2010-12-24T10:00:00Z' },
      { key: d, at: '2011-01-31T23:59:59.999999Z' },
      { key: before, at: '2011-01-04T00:00:00Z' },
      { key: 'late:1', at: '2011-01-20T09:00:00Z', quantity: -3n, price: 4_256n },
    ]);
    await w.live();
    await w.work(release);
    await w.move('ana', 'rehearse', release);
    await w.work(release);
    const failed = await rows(
      t.db,
      sql`select name, figure from control.check_result where verdict <> 'passed'`,
    );
    expect(failed).toEqual([]);
    expect(await served()).toEqual(expected(lines.values(), false));
  });

  it('explains every line of the range by the rule, and nothing else', async () => {
    const inRange = [...lines.values()].filter((l) => l.at >= rise && l.at < end);
    const changed = inRange.filter((l) => taxPence(net(l), 175n) !== taxPence(net(l), 200n)).length;
    const found = await one<{ changed: number; unexplained: number }>(
      t.db,
      sql`select changed::int, unexplained::int from control.reconciliation order by id desc limit 1`,
    );
    expect(found).toEqual({ changed, unexplained: 0 });
  });

  it('cuts over with events waiting behind the seal, to the cent', async () => {
    const [a] = pick('2011-01-12T00:00:00Z', '2011-01-13T00:00:00Z', 1) as [string];
    await change([{ key: a, quantity: 7n }]);
    await w.live();
    await w.reconciled(release);
    const atBarrier = expected(lines.values(), true);
    const [b, c] = pick('2011-01-14T00:00:00Z', '2011-01-15T00:00:00Z', 2) as [string, string];
    const [e] = pick('2010-12-21T00:00:00Z', '2010-12-22T00:00:00Z', 1) as [string];
    await change([
      { key: b, gone: true },
      { key: c, at: '2011-01-03T23:59:59.999999Z' },
      { key: e, at: '2011-01-04T00:00:00Z' },
    ]);
    await w.live();
    await w.sign(release);
    await w.move('dee', 'activate', release);
    expect(await served()).toEqual(atBarrier);
    await w.live();
    expect(await served()).toEqual(expected(lines.values(), true));
  });

  it('rolls back and keeps what came since, to the cent', async () => {
    const [a, b] = pick('2011-01-18T00:00:00Z', '2011-01-19T00:00:00Z', 2) as [string, string];
    await change([
      { key: a, gone: true },
      { key: b, price: 1_005n, quantity: 11n },
      { key: 'late:2', at: '2011-01-05T12:00:00Z', quantity: 100n, price: 125n },
      { key: 'late:3', at: '2010-12-31T12:00:00Z', quantity: 1n, price: 125n },
    ]);
    await w.live();
    expect(await served()).toEqual(expected(lines.values(), true));
    await w.move('dee', 'rollback', release);
    await w.work(release);
    expect(await w.state(release)).toBe('ROLLED_BACK');
    expect(await served()).toEqual(expected(lines.values(), false));
  });
});
