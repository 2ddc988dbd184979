import { sql } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { rows } from '@/lib/db/client';
import { previewPlan, previewSpec } from '@/lib/services/release';
import {
  activeGeneration,
  built,
  candidateOf,
  cutOver,
  generationState,
  type Item,
  openItems,
  priceRelease,
} from '@/lib/testing/items';
import { refusalOf } from '@/lib/testing/refusal';

let shop: Awaited<ReturnType<typeof openItems>>;
beforeEach(async () => {
  shop = await openItems({
    transform: { sql: 'select code, at, value from source where value > 0' },
  });
});
afterEach(() => shop.t.close());

const doubled = 'select code, at, value * 2 as value from source';
const rules = [
  { rule: 'doubled', where: 'new.value = old.value * 2', columns: ['value'] },
  { rule: 'let in', where: 'old.code is null', columns: ['code'] },
];
const one = (id: string, at: string, value = '1'): Item => ({ id, code: id, at, value });
const planOf = (release: string) =>
  rows<{ start: string; end: string }>(
    shop.t.db,
    sql`select start_at as start, end_at as "end" from control.release_partition p
      join control.release x on x.id = p.release where x.name || '@' || x.revision = ${release} order by 1`,
  );
const served = async () => generationState(shop.t.db, await activeGeneration(shop.t.db));

describe('a range of two days', () => {
  const range = { from: '2025-07-01T00:00:00Z', to: '2025-07-03T00:00:00Z' };

  it('is two partitions: a row stamped exactly its end is in none, a microsecond earlier in the last', async () => {
    await shop.append([
      one('first', '2025-07-01T00:00:00Z'),
      one('before', '2025-06-30T23:59:59.999999Z'),
      one('last', '2025-07-02T23:59:59.999999Z'),
      one('end', '2025-07-03T00:00:00Z'),
    ]);
    await shop.w.live('prices');
    const release = await built(
      shop.w,
      priceRelease('july', doubled, { range, expectedDiff: rules }),
    );
    expect(await planOf(release)).toEqual([
      { start: '2025-07-01T00:00:00Z', end: '2025-07-02T00:00:00Z' },
      { start: '2025-07-02T00:00:00Z', end: '2025-07-03T00:00:00Z' },
    ]);
    const receipts = await rows(
      shop.t.db,
      sql`select rows_out as n from control.receipt order by start_at`,
    );
    expect(receipts).toEqual([{ n: '1' }, { n: '1' }]);
    // the same instants by catch-up
    await shop.append([
      one('last2', '2025-07-02T23:59:59.999999Z'),
      one('end2', '2025-07-03T00:00:00Z'),
    ]);
    await shop.w.live('prices');
    await shop.w.work(release);
    expect((await generationState(shop.t.db, await candidateOf(shop.t.db, release))).rows).toEqual([
      'first first 2025-07-01 2',
      'last last 2025-07-02 2',
      'last2 last2 2025-07-02 2',
    ]);
    await cutOver(shop.w, release);
    await shop.append([
      one('end3', '2025-07-03T00:00:00Z'),
      one('last3', '2025-07-02T23:59:59.999999Z'),
    ]);
    await shop.w.live('prices');
    expect((await served()).rows).toEqual([
      'before before 2025-06-30 1',
      'end end 2025-07-03 1',
      'end2 end2 2025-07-03 1',
      'end3 end3 2025-07-03 1',
      'first first 2025-07-01 2',
      'last last 2025-07-02 2',
      'last2 last2 2025-07-02 2',
      'last3 last3 2025-07-02 2',
    ]);
  });

  it('is the same in the preview and at the pin, and a plan that is another one by then is refused', async () => {
    const release = await shop.w.draft(priceRelease('july', doubled, { range }));
    const shown = await previewPlan(shop.t.db, release);
    expect(shown.partitions.map(({ start, end, hours }) => [start, end, hours])).toEqual([
      ['2025-07-01T00:00:00Z', '2025-07-02T00:00:00Z', 24],
      ['2025-07-02T00:00:00Z', '2025-07-03T00:00:00Z', 24],
    ]);
    const refused = await refusalOf(
      shop.w.move('ana', 'pin', release, { planDigest: 'sha256:other' }),
    );
    expect(refused).toEqual({
      status: 409,
      code: 'CHANGED_SINCE_SEEN',
      codes: ['CHANGED_SINCE_SEEN'],
    });
    await shop.w.move('ana', 'pin', release, { planDigest: shown.planDigest });
    expect((await previewPlan(shop.t.db, release)).planDigest).toBe(shown.planDigest);
  });

  it('that is empty, turned round or off its edges is refused with the draft', async () => {
    const draft = (from: string, to: string) =>
      refusalOf(previewSpec(shop.t.db, priceRelease('july', doubled, { range: { from, to } })));
    expect((await draft(range.from, range.from)).code).toBe('EMPTY_RANGE');
    expect((await draft(range.to, range.from)).code).toBe('EMPTY_RANGE');
    expect((await draft('2025-07-01T01:00:00Z', range.to)).code).toBe(
      'RANGE_NOT_ON_PARTITION_EDGE',
    );
  });
});

describe('an open range', () => {
  const range = { from: '2011-01-05T00:00:00Z', to: 'open' };

  it('is planned through the last row; what comes later comes by catch-up', async () => {
    await shop.append([one('a', '2011-01-04T12:00:00Z'), one('b', '2011-01-06T12:00:00Z')]);
    await shop.w.live('prices');
    const release = await built(
      shop.w,
      priceRelease('open', doubled, { range, expectedDiff: rules }),
    );
    expect((await planOf(release)).map((p) => p.start)).toEqual([
      '2011-01-05T00:00:00Z',
      '2011-01-06T00:00:00Z',
    ]);
    await shop.append([one('c', '2011-03-01T12:00:00Z'), one('d', '2011-01-04T13:00:00Z')]);
    await shop.w.live('prices');
    await cutOver(shop.w, release);
    expect(await served()).toEqual({
      rows: ['a a 2011-01-04 1', 'b b 2011-01-06 2', 'c c 2011-03-01 2', 'd d 2011-01-04 1'],
      quarantine: [],
    });
    const receipts = await rows(shop.t.db, sql`select 1 from control.receipt`);
    expect(receipts).toHaveLength(2);
  });

  it('holds facts behind its plan that only the new transform makes rows of', async () => {
    await shop.append([
      one('a', '2011-01-05T12:00:00Z'),
      one('kept out', '2011-01-20T12:00:00Z', '-3'),
      one('too far', '2201-01-01T00:00:00Z', '-3'),
    ]);
    await shop.w.live('prices');
    expect((await served()).rows).toEqual(['a a 2011-01-05 1']);
    const release = await built(
      shop.w,
      priceRelease('open', doubled, { range, expectedDiff: rules }),
    );
    expect(await planOf(release)).toHaveLength(1);
    expect(await generationState(shop.t.db, await candidateOf(shop.t.db, release))).toEqual({
      rows: ['a a 2011-01-05 2', 'kept out kept out 2011-01-20 -6'],
      quarantine: ['too far NULL_TIME'],
    });
    await cutOver(shop.w, release);
    expect((await served()).rows).toEqual(['a a 2011-01-05 2', 'kept out kept out 2011-01-20 -6']);
    const compared = await rows(
      shop.t.db,
      sql`select start_at as start, new_rows as n from control.reconciliation_partition
        where reconciliation = (select max(id) from control.reconciliation) and new_rows > 0 order by 1`,
    );
    expect(compared).toEqual([
      { start: '2011-01-05T00:00:00Z', n: '1' },
      { start: '2011-01-20T00:00:00Z', n: '1' },
    ]);
  });

  it('holds them also where the business time is computed', async () => {
    await shop.append([
      { ...one('a', '2011-01-05T12:00:00Z'), later: '2011-01-06T12:00:00Z' },
      { ...one('late', '2011-01-05T12:00:00Z', '-3'), later: '2011-01-25T12:00:00Z' },
    ]);
    await shop.w.live('prices');
    const release = await built(
      shop.w,
      priceRelease('open', 'select code, later as at, value from source', {
        range,
        expectedDiff: [{ rule: 'moved', where: 'true', columns: ['code', 'at', 'value'] }],
      }),
    );
    expect(await generationState(shop.t.db, await candidateOf(shop.t.db, release))).toEqual({
      rows: ['a a 2011-01-06 1', 'late late 2011-01-25 -3'],
      quarantine: [],
    });
  });
});
