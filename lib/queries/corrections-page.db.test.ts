import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  correctionFacets,
  lastCorrections,
  publishedBrief,
  sealedSummary,
} from '@/lib/queries/corrections-page';
import { publish } from '@/lib/services/publication';
import { correct } from '@/lib/testing/corrections';
import type { TestDatabase } from '@/lib/testing/database';
import { day, openShop } from '@/lib/testing/shop';
import { as } from '@/lib/testing/world';

let t: TestDatabase;
const huge = '9007199254740993123456789.001';

beforeAll(async () => {
  ({ t } = await openShop());
  expect(await publishedBrief(t.db, 'order_tax')).toEqual({
    sealed: 0,
    corrections: 0,
    pending: 0,
    pendingSince: null,
    last: null,
  });
  for (const [from, to, sentTo] of [
    [3, 5, 'tax office'],
    [4, 6, 'bank'],
  ] as const) {
    await publish(as(t.db, 'ana'), {
      dataset: 'order_tax',
      from: day(from, 0),
      to: day(to, 0),
      sentTo,
    });
  }
  await correct(t.db, { start: day(3, 0), rows: 2, sums: { net: '150.000' } });
  await correct(t.db, { start: day(3, 0), sums: { net: huge }, reason: 'again', by: 'dee' });
});
afterAll(() => t.close());

describe('the corrections page', () => {
  it('sums sealed partitions exactly, as published and as of now', async () => {
    expect(await sealedSummary(t.db, 'order_tax', {})).toMatchObject({
      partitions: 3,
      corrected: 1,
      corrections: 2,
      pending: 0,
      pendingSince: null,
      published: { rows: '3', sums: { net: '300.000' } },
      asOfNow: { rows: '4', sums: { net: '9007199254740993123456989.001' } },
    });
    const later = await sealedSummary(t.db, 'order_tax', { from: day(4, 0), to: day(5, 0) });
    expect(later).toMatchObject({ partitions: 1, corrections: 0, asOfNow: { rows: '1' } });
  });

  it('knows of no figure where nothing is sealed', async () => {
    const none = { from: day(7, 0), to: day(8, 0) };
    expect(await sealedSummary(t.db, 'order_tax', none)).toMatchObject({
      partitions: 0,
      published: { rows: '0', sums: { net: '0' }, partials: { tax: '0' } },
    });
  });

  it('has the newest correction of each partition', async () => {
    const found = await lastCorrections(t.db, 'order_tax', [day(3, 0), day(4, 0)]);
    expect([...found.keys()]).toEqual([day(3, 0)]);
    expect(found.get(day(3, 0))).toMatchObject({ reason: 'again', by: 'dee' });
    expect(await lastCorrections(t.db, 'order_tax', [])).toEqual(new Map());
  });

  it('offers the datasets and people that there are', async () => {
    expect(await correctionFacets(t.db)).toMatchObject({
      datasets: [{ name: 'order_tax', zone: 'Europe/London', unit: 'day', sealed: 3 }],
      releases: [],
      people: ['ana', 'dee'],
    });
  });

  it('says in short what was published last', async () => {
    expect(await publishedBrief(t.db, 'order_tax')).toMatchObject({
      sealed: 3,
      corrections: 2,
      last: { from: day(4, 0), to: day(6, 0), sentTo: 'bank', document: null, by: 'ana' },
    });
  });
});
