import { sql } from 'drizzle-orm';
import { afterEach, describe, expect, it } from 'vitest';
import { rows } from '@/lib/db/client';
import { blockersOf, diffPage, findRelease } from '@/lib/services/release';
import {
  activeGeneration,
  built,
  candidateOf,
  cutOver,
  generationState,
  openItems,
  priceRelease,
} from '@/lib/testing/items';
import { reconcile } from './reconcile';

let shop: Awaited<ReturnType<typeof openItems>>;
afterEach(() => shop.t.close());

const conserved = [
  {
    name: 'total',
    old: 'sum(value)',
    new: 'sum(value)',
    source: 'sum(100 / value) filter (where value <> 0)',
  },
];
const checks = (name: string) =>
  rows<{ name: string; verdict: string; figure: string }>(
    shop.t.db,
    sql`select c.name, c.verdict, c.figure from control.check_result c
      join control.reconciliation r on r.id = c.reconciliation join control.release x on x.id = r.release
      where x.name = ${name} and r.id = (select max(id) from control.reconciliation where release = x.id)
      order by c.position`,
  );
const sealBlockers = async (release: string) =>
  (await blockersOf(shop.t.db, await findRelease(shop.t.db, release))).seal?.map((b) => b.code);

/** The old transform divides by the value; one item of three has none. */
async function broken(dataset: Record<string, unknown> = {}) {
  shop = await openItems({
    transform: { sql: 'select code, at, 100 / value as value from source' },
    ...dataset,
  });
  await shop.append([
    { id: 'a', code: 'A', value: '50' },
    { id: 'b', code: 'B', value: '0' },
    { id: 'c', code: 'C', value: '20' },
  ]);
  await shop.w.live('prices');
}
const repaired = 'select code, at, 100 / nullif(value, 0) as value from source';
const rule = {
  rule: 'erred before',
  where: 'old.code is null and new.value is null',
  columns: ['code'],
};

describe('a release that repairs a transform which errs', () => {
  it('shows the key as a row of its own class, and the rest of its chunk compared', async () => {
    await broken();
    expect(await generationState(shop.t.db, await activeGeneration(shop.t.db))).toMatchObject({
      quarantine: ['b ROW_ERROR'],
    });
    const release = await built(shop.w, priceRelease('unexpected', repaired));
    const { items } = await diffPage(shop.t.db, { release });
    expect(items).toEqual([
      {
        key: 'B',
        class: 'control_error',
        rule: null,
        kind: 'added',
        changed: ['code'],
        drift: false,
        partition: '2011-01-05T00:00:00Z',
        old: null,
        control: null,
        new: { code: 'B', at: '2011-01-05T12:00:00Z', value: null },
      },
    ]);
    expect((await diffPage(shop.t.db, { release, class: 'control_error' })).items).toHaveLength(1);
    expect((await diffPage(shop.t.db, { release, class: 'unexplained' })).items).toEqual([]);
    expect((await checks('unexpected')).filter((c) => c.verdict === 'failed')).toEqual([
      { name: 'expected_diff', verdict: 'failed', figure: '1 unexplained of 1 changed' },
      { name: 'key_set', verdict: 'failed', figure: '1 added, 0 removed, 1 unexplained' },
    ]);
    expect(await sealBlockers(release)).toEqual(['UNEXPLAINED_DIFF', 'CHECK_FAILED']);
  });

  it('passes where a rule expects it, and nothing is in quarantine afterwards', async () => {
    await broken();
    const release = await built(
      shop.w,
      priceRelease('expected', repaired, { expectedDiff: [rule] }),
    );
    expect((await checks('expected')).filter((c) => c.verdict !== 'passed')).toEqual([]);
    await cutOver(shop.w, release);
    expect(await generationState(shop.t.db, await activeGeneration(shop.t.db))).toEqual({
      rows: ['a A 2011-01-05 2', 'b B 2011-01-05', 'c C 2011-01-05 5'],
      quarantine: [],
    });
  });

  it('keeps its conserved sums: what the old transform could not compute is no loss', async () => {
    await broken({ conserved });
    const repairedToZero =
      'select code, at, coalesce(100 / nullif(value, 0), 7) as value from source';
    const release = await built(
      shop.w,
      priceRelease('conserving', repairedToZero, {
        expectedDiff: [{ ...rule, where: 'old.code is null' }],
        conserved: [{ name: 'total', old: 'sum(value)', new: 'sum(value)' }],
      }),
    );
    expect(await sealBlockers(release)).toEqual([]);
    const [total] = (await checks('conserving')).filter((c) => c.name === 'conserved:total');
    expect(total?.figure.replaceAll(/\.0+/g, '')).toBe(
      'control 7, new 14, 7 without control errors',
    );
    // and is not made to lie by it: another row that changes is still a difference
    await shop.w.move('ana', 'abandon', release);
    const wrong = await built(
      shop.w,
      priceRelease(
        'lossy',
        "select code, at, case code when 'A' then 1 else coalesce(100 / nullif(value, 0), 7) end as value from source",
        {
          expectedDiff: [{ rule: 'any', where: 'true', columns: ['code', 'value'] }],
          conserved: [{ name: 'total', old: 'sum(value)', new: 'sum(value)' }],
        },
      ),
    );
    expect(await sealBlockers(wrong)).toEqual(['CONSERVED_DIFFERENCE']);
  });

  it('that errs itself keeps the key in quarantine, in its own class, until it is accepted', async () => {
    await broken();
    const release = await built(
      shop.w,
      priceRelease('still', 'select code, at, 200 / value as value from source', {
        expectedDiff: [{ rule: 'doubled', where: 'new.value = old.value * 2', columns: ['value'] }],
      }),
    );
    expect(await sealBlockers(release)).toEqual(['QUARANTINED']);
    expect(await generationState(shop.t.db, await candidateOf(shop.t.db, release))).toEqual({
      rows: ['a A 2011-01-05 4', 'c C 2011-01-05 10'],
      quarantine: ['b ROW_ERROR'],
    });
    await cutOver(shop.w, release);
    expect(
      (await generationState(shop.t.db, await activeGeneration(shop.t.db))).quarantine,
    ).toEqual(['b ROW_ERROR']);
  });
});

describe('a release that repairs keys', () => {
  it.each([
    [
      'that collided',
      [
        { id: 'a', code: 'A' },
        { id: 'b', code: 'A' },
      ],
      ['a', 'b'],
    ],
    [
      'that were NULL',
      [
        { id: 'a', code: null },
        { id: 'b', code: 'B' },
      ],
      ['a'],
    ],
  ] as const)('%s passes with a rule, and all of them are rows', async (_, list, repairedKeys) => {
    shop = await openItems();
    await shop.append(list.map((one) => ({ ...one })));
    await shop.w.live('prices');
    const text = 'select id as code, at, value from source';
    const found = await built(shop.w, priceRelease('unsaid', text));
    const differing = (await diffPage(shop.t.db, { release: found })).items;
    expect(differing.filter((row) => row.class === 'control_error').map((row) => row.key)).toEqual(
      repairedKeys,
    );
    await shop.w.move('ana', 'abandon', found);
    const release = await built(
      shop.w,
      priceRelease('repaired', text, {
        expectedDiff: [
          { rule: 'keyed by id', where: 'old.code is null or new.code is null', columns: ['code'] },
        ],
      }),
    );
    expect((await checks('repaired')).filter((c) => c.verdict !== 'passed')).toEqual([]);
    await cutOver(shop.w, release);
    expect(await generationState(shop.t.db, await activeGeneration(shop.t.db))).toEqual({
      rows: ['a a 2011-01-05 1', 'b b 2011-01-05 1'],
      quarantine: [],
    });
  });
});

describe('a rehearsal beside live writing', () => {
  it('takes no row for a double that moved across its edge while it looked', async () => {
    shop = await openItems();
    await shop.append([
      { id: 'a', code: 'A', at: '2011-01-05T12:00:00Z' },
      { id: 'b', code: 'B', at: '2011-01-20T12:00:00Z' },
    ]);
    await shop.w.live('prices');
    const release = await built(
      shop.w,
      priceRelease('beside', 'select code, at, value from source'),
    );
    // the live generation is ahead of the candidate: one row left the range, another took its key
    await shop.append([
      { id: 'a', code: 'A', at: '2011-01-20T12:00:00Z', revision: 2 },
      { id: 'b', code: 'B', at: '2011-01-05T12:00:00Z', revision: 2 },
    ]);
    await shop.w.live('prices');
    const { id } = await findRelease(shop.t.db, release);
    expect((await reconcile(shop.t.db, id, 'rehearsal', 'test')).verdict).toBe('passed');
    await shop.w.work(release);
    expect((await reconcile(shop.t.db, id, 'rehearsal', 'test')).verdict).toBe('passed');
  });
});

describe('a fact outside the range that the new transform cannot compute', () => {
  it('is the old generation’s, and keeps nothing from being compared', async () => {
    // the time is computed, so that every fact is looked at for every partition
    const timed = (value: string) =>
      `select code, to_timestamp(seconds) as at, ${value} as value from source`;
    const second = (day: number) => Date.UTC(2011, 0, day, 12) / 1000;
    shop = await openItems({ transform: { sql: timed('value') } });
    await shop.append([
      { id: 'a', code: 'A', seconds: second(5), value: '50' },
      { id: 'far', code: 'F', at: '2011-01-25T12:00:00Z', seconds: second(25), value: '0' },
    ]);
    await shop.w.live('prices');
    const release = await built(
      shop.w,
      priceRelease('inverse', timed('100 / value'), {
        expectedDiff: [
          { rule: 'inverse', where: 'new.value = 100 / old.value', columns: ['value'] },
        ],
      }),
    );
    expect(await sealBlockers(release)).toEqual([]);
    expect(await generationState(shop.t.db, await candidateOf(shop.t.db, release))).toEqual({
      rows: ['a A 2011-01-05 2'],
      quarantine: [],
    });
    expect(
      (await diffPage(shop.t.db, { release })).items.map((row) => [row.key, row.class]),
    ).toEqual([['A', 'explained']]);
  });
});
