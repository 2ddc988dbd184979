import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { affected, one } from '@/lib/db/client';
import { addDecimals, compareDecimals } from '@/lib/domain/decimal';
import { type CorrectionFilter, correctionList, correctionView } from '@/lib/queries/corrections';
import { partitionHistory } from '@/lib/queries/corrections-history';
import { datasetPartitions } from '@/lib/queries/dataset-partitions';
import {
  lastPublication,
  publicationList,
  publicationView,
  sealedPartitions,
} from '@/lib/queries/publications';
import { publish } from '@/lib/services/publication';
import { correct, note } from '@/lib/testing/corrections';
import type { TestDatabase } from '@/lib/testing/database';
import { openShop } from '@/lib/testing/shop';
import { as } from '@/lib/testing/world';

let t: TestDatabase;
const at = (n: number) => `2011-01-0${n}T00:00:00Z`;
const huge = (cents: number) => `9007199254740993123456789.${String(cents).padStart(3, '0')}`;

beforeAll(async () => {
  ({ t } = await openShop());
  await publish(as(t.db, 'ana'), {
    dataset: 'order_tax',
    from: at(3),
    to: at(5),
    sentTo: 'tax office',
    document: 'return 2011-01',
  });
  await publish(as(t.db, 'dee'), { dataset: 'order_tax', from: at(4), to: at(7), sentTo: 'bank' });
});
afterAll(() => t.close());

async function all(filter: CorrectionFilter, limit: number, between: () => Promise<unknown>) {
  const seen: string[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await correctionList(t.db, filter, { limit, cursor });
    expect(page.items.length).toBeLessThanOrEqual(limit);
    seen.push(...page.items.map(({ id }) => id));
    if (page.nextCursor === null) return seen;
    cursor = page.nextCursor;
    await between();
  }
}

describe('publications', () => {
  it('are listed newest first, with what each of them sealed', async () => {
    const first = await publicationList(t.db, 'order_tax', { limit: 1 });
    expect(first.items).toMatchObject([
      {
        range: { from: at(4), to: at(7) },
        sentTo: 'bank',
        document: null,
        partitions: 2,
        by: 'dee',
      },
    ]);
    const cursor = first.nextCursor ?? undefined;
    const second = await publicationList(t.db, 'order_tax', { limit: 1, cursor });
    expect(second).toMatchObject({
      items: [{ sentTo: 'tax office', document: 'return 2011-01', partitions: 2 }],
      nextCursor: null,
    });
    expect(await publicationView(t.db, first.items[0]?.id ?? '')).toMatchObject({
      sealed: [at(5), at(6)],
      already: [at(4)],
      rows: 2,
    });
    const range = { dataset: 'order_tax', from: at(4), to: at(7) };
    expect(await lastPublication(t.db, { ...range, by: 'dee' })).toMatchObject({ sentTo: 'bank' });
    expect(await lastPublication(t.db, { ...range, by: 'ana' })).toBeNull();
    await expect(publicationList(t.db, 'nothing', { limit: 1 })).rejects.toThrow('no dataset');
  });

  it('seal partitions, and the list of partitions says so', async () => {
    const { id } = await one<{ id: string }>(
      t.db,
      sql`select active_generation as id from control.registry where dataset = 'order_tax'`,
    );
    const partitions = await datasetPartitions(t.db, id);
    expect(partitions.filter((p) => p.sealed).map((p) => p.start)).toEqual([3, 4, 5, 6].map(at));
    for (const { sealed, published, root } of partitions) {
      expect(published).toBe(sealed ? root : null);
    }
  });
});

describe('corrections', () => {
  it('have exact differences, and add up over a chain', async () => {
    const steps = [huge(1), huge(250), huge(249)];
    for (const [i, net] of steps.entries()) {
      await correct(t.db, {
        start: at(3),
        rows: i,
        sums: { net },
        partials: { tax: net, lines: '1' },
      });
    }
    const { items } = await correctionList(t.db, { from: at(3), to: at(4) }, { limit: 10 });
    expect(items.map(({ delta }) => delta.sums.net)).toEqual([
      '-0.001',
      '0.249',
      '9007199254740993123456689.001',
    ]);
    expect(items[0]).toMatchObject({
      dataset: 'order_tax',
      partition: {
        start: at(3),
        end: at(4),
        label: '[2011-01-03 00:00 GMT, 2011-01-04 00:00 GMT) Europe/London',
      },
      kind: 'amend',
      published: {
        rows: 1,
        sums: { net: '100.000' },
        sentTo: 'tax office',
        document: 'return 2011-01',
      },
      before: { rows: 1, sums: { net: huge(250) } },
      after: { rows: 2, sums: { net: huge(249) } },
      delta: { rows: 1, partials: { tax: '-0.001', lines: '0' } },
      release: null,
      receipt: null,
      signatures: [],
      generation: 'order_tax-g1',
      reason: 'late orders',
      by: 'ana',
    });
    const history = await partitionHistory(t.db, 'order_tax', at(3));
    expect(history.corrections.map(({ id }) => id)).toEqual(items.map(({ id }) => id).reverse());
    expect(history.addsUp).toBe(true);
    expect(history.asOfNow.sums).toEqual({ net: huge(249) });
    const sum = items.map(({ delta }) => delta.sums.net ?? '').reduce(addDecimals);
    expect(compareDecimals(sum, history.delta.sums.net ?? '')).toBe(0);
    expect(history.published.sums).toEqual({ net: '100.000' });
    expect(await correctionView(t.db, items[1]?.id ?? '')).toEqual(items[1]);
  });

  it('page by page are given once each, whatever is added meanwhile', async () => {
    for (let i = 0; i < 11; i++) await correct(t.db, { start: at(5), reason: `r${i}`, by: 'dee' });
    const { items } = await correctionList(t.db, {}, { limit: 1_000 });
    const ids = items.map(({ id }) => id);
    const more = () => correct(t.db, { start: at(6), by: 'bo' });
    expect(await all({}, 4, more)).toEqual(ids);
    expect(await all({ by: 'dee' }, 3, more)).toHaveLength(11);
    expect(await all({ release: 'vat-fix@1' }, 3, more)).toEqual([]);
    expect(await all({ dataset: 'nothing' }, 3, more)).toEqual([]);
    expect(await all({ kind: 'cutover' }, 3, more)).toEqual([]);
    expect(await all({ from: at(5), to: at(6), kind: 'amend' }, 5, more)).toHaveLength(11);
  });

  it('take hostile text for text', async () => {
    const text = `'); drop table control.correction; -- \u202e\n"x",=1+1`;
    const id = await correct(t.db, { start: at(4), reason: text });
    expect((await correctionView(t.db, id)).reason).toBe(text);
    expect((await correctionList(t.db, { by: text, release: text }, { limit: 1 })).items).toEqual(
      [],
    );
    await expect(correctionList(t.db, {}, { limit: 1, cursor: text })).rejects.toThrow('cursor');
    await expect(correctionView(t.db, '999999')).rejects.toThrow('no correction');
  });
});

describe('the history of a partition', () => {
  it('names every publication that covered it, and whose figures stand', async () => {
    const { publications, published } = await partitionHistory(t.db, 'order_tax', at(4));
    expect(publications).toMatchObject([
      { sentTo: 'tax office', range: { from: at(3), to: at(5) }, sealed: true, by: 'ana' },
      { sentTo: 'bank', range: { from: at(4), to: at(7) }, sealed: false, by: 'dee' },
    ]);
    expect(published).toMatchObject({ generation: 'order_tax-g1', rows: 1 });
  });

  it('says where a chain does not add up', async () => {
    await correct(t.db, { start: at(5), before: { rows: 77 } });
    expect((await partitionHistory(t.db, 'order_tax', at(5))).addsUp).toBe(false);
  });

  it('knows no partition that was not published', async () => {
    for (const start of [at(7), '2011-01-03T00:00:00.000001Z']) {
      await expect(partitionHistory(t.db, 'order_tax', start)).rejects.toThrow(
        'no sealed partition',
      );
    }
  });

  it('counts as pending what the last correction does not contain', async () => {
    const { progress } = await one<{ progress: string[] }>(
      t.db,
      sql`select progress from control.published_partition where start_at = ${at(6)}`,
    );
    const behind = (n: number) => String(BigInt(progress[0] ?? '0') + BigInt(n));
    // the line of the 6th, by the key that the log knows it by
    const held = await one<{ key: string }>(
      t.db,
      sql`select x._source_key as key from ds_order_tax.rows x where x._partition = ${at(6)} limit 1`,
    );
    const values = ['l6', day6, 'UK', '7.000', '1.23'];
    await note(t.db, { start: at(6), offset: behind(1), sourceKey: 'new', values });
    await note(t.db, { start: at(6), offset: behind(2), sourceKey: held.key, values });
    await note(t.db, { start: at(6), offset: behind(3), sourceKey: held.key, values: null });
    await note(t.db, { start: at(6), offset: progress[0] ?? '', sourceKey: 'contained', values });
    const before = await partitionHistory(t.db, 'order_tax', at(6));
    expect(before.pending.count).toBe(3);
    expect(before.pending.since).toBe(before.pending.events[0]?.at);
    expect(before.pending.events.map(({ kind, offset }) => [kind, offset])).toEqual([
      ['added', behind(1)],
      ['changed', behind(2)],
      ['removed', behind(3)],
    ]);
    expect(before.pending.events[0]).toMatchObject({
      key: 'new',
      values: { line: 'l6', invoiced_at: day6, country: 'UK', net: '7.000', tax: '1.23' },
    });
    expect(before.pending.events[2]).toMatchObject({ key: null, values: null });

    await correct(t.db, {
      start: at(6),
      progress: progress.map((p, i) => (i === 0 ? behind(2) : p)),
    });
    const { pending } = await partitionHistory(t.db, 'order_tax', at(6));
    expect(pending.events.map(({ offset }) => offset)).toEqual([behind(3)]);
    for (let i = 0; i < 60; i++) {
      await note(t.db, { start: at(6), offset: behind(4 + i), sourceKey: `k${i}`, values });
    }
    const many = await partitionHistory(t.db, 'order_tax', at(6));
    expect([many.pending.count, many.pending.events.length]).toEqual([61, 50]);
  });
});

const day6 = '2011-01-06T12:00:00Z';

describe('sealed partitions', () => {
  it('stand as published and as of now side by side', async () => {
    const seen = [];
    for (let cursor: string | undefined; ; ) {
      const page = await sealedPartitions(t.db, 'order_tax', { limit: 1, cursor });
      seen.push(...page.items);
      if (page.nextCursor === null) break;
      cursor = page.nextCursor;
    }
    expect(seen.map(({ partition }) => partition.start)).toEqual([3, 4, 5, 6].map(at));
    expect(seen[0]).toMatchObject({
      publication: { sentTo: 'tax office' },
      published: { rows: 1, sums: { net: '100.000' } },
      asOfNow: { rows: 2, sums: { net: huge(249) } },
      delta: { rows: 1, sums: { net: '9007199254740993123456689.249' } },
      corrections: 3,
      pending: { count: 0, since: null },
    });
    expect(seen[3]?.pending.count).toBe(61);
    const some = await sealedPartitions(t.db, 'order_tax', { from: at(4), to: at(6), limit: 9 });
    expect(some.items.map(({ partition }) => partition.start)).toEqual([at(4), at(5)]);
    await expect(sealedPartitions(t.db, 'nothing', { limit: 1 })).rejects.toThrow('no dataset');
  });
});

it('what was recorded cannot be changed', async () => {
  for (const table of ['publication', 'published_partition', 'pending_correction', 'correction']) {
    await expect(
      affected(t.db, sql`delete from control.${sql.identifier(table)}`),
    ).rejects.toThrow();
  }
});
