import { sql } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { one, rows } from '@/lib/db/client';
import { diffPage } from '@/lib/services/release';
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

let shop: Awaited<ReturnType<typeof openItems>>;
afterEach(() => shop.t.close());

const on = (day: number) => `2011-01-${String(day).padStart(2, '0')}T12:00:00Z`;
const edges = { from: '2011-01-05T00:00:00Z', to: '2011-01-07T00:00:00Z' };
const anything = [{ rule: 'anything', where: 'true', columns: ['code', 'at', 'value'] }];
const byLater = 'select code, later as at, value from source';

const live = async () => generationState(shop.t.db, await activeGeneration(shop.t.db));
const candidate = async (release: string) =>
  generationState(shop.t.db, await candidateOf(shop.t.db, release), '2011-01-05T00:00:00Z', null);

describe('a row that two transforms put on different sides of an edge', () => {
  /** By where the old and the new transform put it: inside the range or outside. */
  const kinds = (n: number): Item[] => [
    { id: `in${n}`, code: `I${n}`, at: on(5), later: on(6) },
    { id: `out${n}`, code: `O${n}`, at: on(3), later: on(9) },
    { id: `gone${n}`, code: `G${n}`, at: on(5), later: on(9) },
    { id: `twice${n}`, code: `T${n}`, at: on(3), later: on(5) },
  ];
  const inside = (n: number) => `in${n} I${n} 2011-01-06 1`;
  const crossing = (n: number) => [`gone${n} EDGE_CROSSING`, `twice${n} EDGE_CROSSING`];

  beforeEach(async () => {
    shop = await openItems();
  });

  it('is neither lost nor doubled: in the build, in catch-up, after the cutover, after going back', async () => {
    await shop.append(kinds(1));
    await shop.w.live('prices');
    const release = await built(
      shop.w,
      priceRelease('shift', byLater, { range: edges, expectedDiff: anything }),
    );
    expect(await candidate(release)).toEqual({ rows: [inside(1)], quarantine: crossing(1) });

    await shop.append(kinds(2));
    await shop.w.live('prices');
    await shop.w.work(release);
    const both = {
      rows: [inside(1), inside(2)],
      quarantine: [...crossing(1), ...crossing(2)].sort(),
    };
    expect(await candidate(release)).toEqual(both);

    // what catch-up made of them is what a build makes of them
    const again = await rebuilt('shift-again');
    expect(again).toEqual(both);

    const last = await built(
      shop.w,
      priceRelease('shift-last', byLater, { range: edges, expectedDiff: anything }),
    );
    await cutOver(shop.w, last);
    await shop.append(kinds(3));
    await shop.w.live('prices');
    const now = await live();
    expect(now.quarantine).toEqual([1, 2, 3].flatMap(crossing).sort());
    expect(now.rows).toEqual([
      inside(1),
      inside(2),
      inside(3),
      'out1 O1 2011-01-03 1',
      'out2 O2 2011-01-03 1',
      'out3 O3 2011-01-03 1',
    ]);
    const keys = await rows(
      shop.t.db,
      sql`select code from read.prices group by code having count(*) > 1`,
    );
    expect(keys).toEqual([]);

    await shop.w.move('dee', 'rollback', last);
    await shop.w.work(last);
    const back = await live();
    expect(back.quarantine).toEqual([]);
    expect(back.rows).toHaveLength(12);

    async function rebuilt(name: string) {
      await shop.w.move('ana', 'abandon', release);
      const other = await built(
        shop.w,
        priceRelease(name, byLater, { range: edges, expectedDiff: anything }),
      );
      const state = await candidate(other);
      await shop.w.move('ana', 'abandon', other);
      return state;
    }
  });

  it('is compared by each partition’s own old transform, also where there are several', async () => {
    await shop.append(kinds(1).slice(0, 1));
    await shop.w.live('prices');
    const first = await built(
      shop.w,
      priceRelease('first', byLater, { range: edges, expectedDiff: anything }),
    );
    await cutOver(shop.w, first);
    // the last partition's old transform places by `at`, as the new one does; the first ones' do not
    const wider = priceRelease('wider', 'select code, at, value * 2 as value from source', {
      range: { ...edges, to: '2011-01-09T00:00:00Z' },
      expectedDiff: anything,
    });
    const second = await built(shop.w, wider);
    const checks = await rows(
      shop.t.db,
      sql`select name, figure from control.check_result c join control.reconciliation r on r.id = c.reconciliation
        where r.release = (select id from control.release where name = 'wider') and name in ('drift', 'expected_diff')
          and c.verdict = 'passed' order by name`,
    );
    expect(checks).toEqual([
      { name: 'drift', figure: '0' },
      { name: 'expected_diff', figure: '0 unexplained of 2 changed' },
    ]);
    expect(await candidate(second)).toEqual({ rows: ['in1 I1 2011-01-05 2'], quarantine: [] });
    // a page of it is of one partition alone
    const { items: differing } = await diffPage(shop.t.db, { release: second });
    expect(
      differing.map(({ partition, kind, drift }) => [partition.slice(0, 10), kind, drift]),
    ).toEqual([
      ['2011-01-05', 'added', false],
      ['2011-01-06', 'removed', false],
    ]);
  });
});

describe('a key that cannot become a row', () => {
  beforeEach(async () => {
    shop = await openItems({
      transform: { sql: 'select code, at, 100 / value as value from source' },
    });
  });
  const faults = (n: number): Item[] => [
    { id: `zero${n}`, code: `Z${n}`, at: on(5), value: '0' },
    { id: `nokey${n}`, code: null, at: on(5) },
    { id: `zero-out${n}`, code: `ZO${n}`, at: on(9), value: '0' },
    { id: `nokey-out${n}`, code: null, at: on(9) },
    { id: `untimed${n}`, code: `U${n}`, at: null },
    { id: `good${n}`, code: `Y${n}`, at: on(5), value: '50' },
  ];
  const inside = (n: number) => [
    `nokey${n} NULL_KEY`,
    `untimed${n} NULL_TIME`,
    `zero${n} ROW_ERROR`,
  ];
  const halves = 'select code, at, 100 / value / 2 as value from source';

  it('is the candidate’s only in its range, whether it came before the pin or after it', async () => {
    await shop.append(faults(1));
    await shop.w.live('prices');
    expect((await live()).quarantine).toEqual(
      [...inside(1), 'nokey-out1 NULL_KEY', 'zero-out1 ROW_ERROR'].sort(),
    );
    const release = await built(
      shop.w,
      priceRelease('halves', halves, { range: edges, expectedDiff: anything }),
    );
    expect((await candidate(release)).quarantine).toEqual(inside(1));
    await shop.append(faults(2));
    await shop.w.live('prices');
    await shop.w.work(release);
    const caughtUp = await candidate(release);
    expect(caughtUp.quarantine).toEqual([...inside(1), ...inside(2)].sort());
    await shop.w.move('ana', 'abandon', release);
    const again = await built(
      shop.w,
      priceRelease('again', halves, { range: edges, expectedDiff: anything }),
    );
    expect(await candidate(again)).toEqual(caughtUp);
  });

  it('stays out of quarantine where the new transform filters it, in the build, catch-up, live and after the cutover', async () => {
    const some = 'select code, at, 100 / value as value from source where value <> 0';
    await shop.append(faults(1).filter((item) => item.id === 'zero1' || item.id === 'good1'));
    await shop.w.live('prices');
    const release = await built(
      shop.w,
      priceRelease('some', some, { range: edges, expectedDiff: anything }),
    );
    expect(await candidate(release)).toEqual({ rows: ['good1 Y1 2011-01-05 2'], quarantine: [] });
    await shop.append(faults(2).filter((item) => item.id === 'zero2'));
    await shop.w.live('prices');
    await shop.w.work(release);
    expect((await candidate(release)).quarantine).toEqual([]);
    expect((await live()).quarantine).toEqual(['zero1 ROW_ERROR', 'zero2 ROW_ERROR']);
    await cutOver(shop.w, release);
    expect((await live()).quarantine).toEqual([]);
    await shop.append(faults(3).filter((item) => item.id.startsWith('zero')));
    await shop.w.live('prices');
    expect((await live()).quarantine).toEqual(['zero-out3 ROW_ERROR']);
  });

  it('without a time is in quarantine of a second candidate on the same snapshot too', async () => {
    await shop.append(faults(1));
    await shop.w.live('prices');
    const first = await built(shop.w, priceRelease('halves', halves, { range: edges }));
    const { snapshot } = await one<{ snapshot: string }>(
      shop.t.db,
      sql`select s.name as snapshot from control.release x join control.snapshot s on s.id = x.snapshot`,
    );
    await shop.w.move('ana', 'abandon', first);
    const second = await built(
      shop.w,
      priceRelease('second', halves, { range: edges, source: { name: 'items', snapshot } }),
    );
    expect((await candidate(second)).quarantine).toEqual(inside(1));
  });
});

describe('a business time that is computed', () => {
  const computed = 'select code, to_timestamp(seconds) as at, value from source';
  const second = (day: number) => Date.UTC(2011, 0, day, 12) / 1000;
  const times = (n: number): Item[] => [
    { id: `fine${n}`, code: `F${n}`, seconds: second(5) },
    { id: `null${n}`, code: `N${n}`, seconds: null },
    { id: `endless${n}`, code: `E${n}`, seconds: 'Infinity' },
    { id: `far${n}`, code: `X${n}`, seconds: 1e12 },
    { id: `farther${n}`, code: `XX${n}`, seconds: 1e15 },
  ];
  const lost = (n: number) => [
    `endless${n} NULL_TIME`,
    `far${n} NULL_TIME`,
    `farther${n} ROW_ERROR`,
    `null${n} NULL_TIME`,
  ];

  it('that is NULL, infinite or out of the calendar is never dropped in silence', async () => {
    shop = await openItems({ transform: { sql: computed } });
    await shop.append(times(1));
    await shop.w.live('prices');
    expect(await live()).toEqual({ rows: ['fine1 F1 2011-01-05 1'], quarantine: lost(1) });
    const twice = 'select code, to_timestamp(seconds) as at, value * 2 as value from source';
    const release = await built(
      shop.w,
      priceRelease('twice', twice, { range: edges, expectedDiff: anything }),
    );
    // the far one lies in no planned partition: it stays the old generation's
    const near = (n: number) =>
      lost(n).filter((entry) => !entry.startsWith('far1') && !entry.startsWith('far2'));
    expect(await candidate(release)).toEqual({
      rows: ['fine1 F1 2011-01-05 2'],
      quarantine: near(1),
    });
    await shop.append(times(2));
    await shop.w.live('prices');
    await shop.w.work(release);
    expect(await candidate(release)).toEqual({
      rows: ['fine1 F1 2011-01-05 2', 'fine2 F2 2011-01-05 2'],
      quarantine: [...near(1), ...near(2)].sort(),
    });
    const { balanced } = await one<{ balanced: boolean }>(
      shop.t.db,
      sql`select bool_and(facts_in = rows_out + filtered + quarantined) as balanced from control.receipt`,
    );
    expect(balanced).toBe(true);
  });
});

describe('a business key', () => {
  it('is unique in the whole generation: across partitions, and across segments after a cutover', async () => {
    shop = await openItems();
    await shop.append([{ id: 'a', code: 'A', at: on(5) }]);
    await shop.w.live('prices');
    const release = await built(
      shop.w,
      priceRelease('twice', 'select code, at, value * 2 as value from source', {
        range: edges,
        expectedDiff: anything,
      }),
    );
    await cutOver(shop.w, release);
    await shop.append([{ id: 'b', code: 'A', at: on(9) }]);
    await shop.w.live('prices');
    expect((await live()).quarantine).toEqual(['a KEY_COLLISION', 'b KEY_COLLISION']);
    expect(await rows(shop.t.db, sql`select code, value from read.prices`)).toEqual([
      { code: 'A', value: '2' },
    ]);
    await shop.append([{ id: 'a', code: 'A', op: 'delete', revision: 2 }]);
    await shop.w.live('prices');
    expect(await live()).toEqual({ rows: ['b A 2011-01-09 1'], quarantine: [] });
  });
});
