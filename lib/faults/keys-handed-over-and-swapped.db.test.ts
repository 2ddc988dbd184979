import { sql } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { rows } from '@/lib/db/client';
import {
  activeGeneration,
  asServed,
  built,
  candidateOf,
  type GenerationState,
  generationState,
  type Item,
  idsInShards,
  openItems,
  priceRelease,
  servedPrices,
} from '@/lib/testing/items';

let shop: Awaited<ReturnType<typeof openItems>>;
beforeAll(async () => {
  shop = await openItems();
});
afterAll(() => shop.t.close());

let serial = 0;
let candidate = '';

const live = async () => generationState(shop.t.db, await activeGeneration(shop.t.db));

/** The same facts, built from nothing. */
async function rebuilt(): Promise<GenerationState> {
  const release = await built(
    shop.w,
    priceRelease(`rebuild${++serial}`, 'select code, at, value from source'),
  );
  const state = await generationState(shop.t.db, await candidateOf(shop.t.db, release));
  await shop.w.move('ana', 'abandon', release);
  await shop.w.work(release);
  return state;
}

/** Appends step by step; the live generation and a candidate that is caught up apply each step. */
async function tell(start: Item[], ...steps: Item[][]): Promise<void> {
  await shop.append(start);
  await shop.w.live('prices');
  candidate = await built(
    shop.w,
    priceRelease(`follow${++serial}`, 'select code, at, value from source'),
  );
  for (const step of steps) {
    await shop.append(step);
    await shop.w.live('prices');
    await expectEachOnce();
    await shop.w.work(candidate);
  }
}

/** In the midst of it readers may get a last good row, but never two rows of one key. */
async function expectEachOnce(): Promise<void> {
  const codes = (await servedPrices(shop.t.db)).map((row) => row.split(' ')[0]);
  expect(new Set(codes).size).toBe(codes.length);
}

/** Live, caught-up candidate and rebuild agree, and are what is expected. */
async function expectEverywhere(held: string[], quarantine: string[] = []): Promise<void> {
  const expected = { rows: held.sort(), quarantine: quarantine.sort() };
  // a quarantined key keeps its last good row, so that more may be served then
  if (quarantine.length === 0)
    expect(await servedPrices(shop.t.db)).toEqual(held.map(asServed).sort());
  expect(await live()).toEqual(expected);
  expect(await generationState(shop.t.db, await candidateOf(shop.t.db, candidate))).toEqual(
    expected,
  );
  await leave();
  expect(await rebuilt()).toEqual(expected);
}

async function leave(): Promise<void> {
  if ((await shop.w.state(candidate)) !== 'BUILDING') return;
  await shop.w.move('ana', 'abandon', candidate);
  await shop.w.work(candidate);
}

/** Ids in different shards that no test had before. */
const ids = (count: number) => idsInShards(count, `t${++serial}-`);

afterEach(async () => {
  await leave();
  const standing = await rows<{ key: string; revision: string }>(
    shop.t.db,
    sql`select key, newest_revision as revision from control.source_key where not deleted`,
  );
  await shop.append(
    standing.map(({ key, revision }) => ({
      id: key,
      code: null,
      revision: Number(revision) + 1,
      op: 'delete' as const,
    })),
  );
  await shop.w.live('prices');
  expect(await live()).toEqual({ rows: [], quarantine: [] });
});

const day = '2011-01-05';
const row = (id: string, code: string) => `${id} ${code} ${day} 1`;

describe('a key that changes hands across shards', () => {
  it.each([
    ['given up first', [['gives'], ['takes']]],
    ['taken first', [['takes'], ['gives']]],
    ['in one batch', [['takes', 'gives']]],
  ] as const)('%s', async (_, steps) => {
    const [s1, s2] = ids(2) as [string, string];
    const change = {
      gives: { id: s1, code: 'C', revision: 2 },
      takes: { id: s2, code: 'A', revision: 2 },
    };
    const start = [
      { id: s1, code: 'A' },
      { id: s2, code: 'B' },
    ];
    await tell(start, ...steps.map((step) => step.map((name) => change[name])));
    await expectEverywhere([row(s1, 'C'), row(s2, 'A')]);
  });

  it('taken and not given up, is in quarantine on both sides, and both last good rows stay', async () => {
    const [s1, s2] = ids(2) as [string, string];
    const start = [
      { id: s1, code: 'A' },
      { id: s2, code: 'B' },
    ];
    await tell(start, [{ id: s2, code: 'A', revision: 2 }]);
    const served = await rows(shop.t.db, sql`select code from read.prices order by code`);
    expect(served).toEqual([{ code: 'A' }, { code: 'B' }]);
    await expectEverywhere([], [`${s1} KEY_COLLISION`, `${s2} KEY_COLLISION`]);
  });
});

describe('two keys that are swapped across shards', () => {
  const orders: [string, number[][]][] = [
    ['the lower shard first', [[0], [1]]],
    ['the higher shard first', [[1], [0]]],
    ['at once', [[0, 1]]],
  ];
  const codes = ['A', 'B'] as const;

  it.each(orders)('%s', async (_, order) => {
    const both = ids(2);
    const swap = both.map((id, i) => ({ id, code: codes[1 - i] as string, revision: 2 }));
    await tell(
      both.map((id, i) => ({ id, code: codes[i] as string })),
      ...order.map((step) => step.map((i) => swap[i] as Item)),
    );
    await expectEverywhere([row(both[0] as string, 'B'), row(both[1] as string, 'A')]);
  });

  it.each(orders)('and back, between different days, %s', async (_, order) => {
    const both = ids(2);
    const turn = (revision: number, at: string) =>
      order.map((step) =>
        step.map(
          (i): Item => ({
            id: both[i] as string,
            code: codes[(i + revision - 1) % 2] as string,
            revision,
            at,
          }),
        ),
      );
    await tell(
      both.map((id, i) => ({ id, code: codes[i] as string })),
      ...turn(2, '2011-01-09T12:00:00Z'),
      ...turn(3, '2011-01-05T12:00:00Z'),
    );
    await expectEverywhere([row(both[0] as string, 'A'), row(both[1] as string, 'B')]);
  });
});

describe('keys that go round among three', () => {
  const codes = ['A', 'B', 'C'];

  it.each(['012', '021', '102', '120', '201', '210'])('in the order %s', async (order) => {
    const three = ids(3);
    const turned = three.map((id, i) => ({ id, code: codes[(i + 1) % 3] as string, revision: 2 }));
    await tell(
      three.map((id, i) => ({ id, code: codes[i] as string })),
      ...[...order].map((i) => [turned[Number(i)] as Item]),
    );
    await expectEverywhere(three.map((id, i) => row(id, codes[(i + 1) % 3] as string)));
  });
});

describe('newcomers that want a key which somebody holds', () => {
  it.each([
    ['one after the other', false],
    ['both in one batch', true],
  ])('%s, are in quarantine with the holder', async (_, together) => {
    const three = ids(3);
    const [holder, ...others] = three.map((id) => ({ id, code: 'A' })) as [Item, Item, Item];
    await tell([holder], ...(together ? [others] : others.map((one) => [one])));
    await expectEverywhere(
      [],
      three.map((id) => `${id} KEY_COLLISION`),
    );
  });

  it('and leave again, give it back', async () => {
    const [holder, s1, s2] = ids(3) as [string, string, string];
    await tell(
      [{ id: holder, code: 'A' }],
      [
        { id: s1, code: 'A' },
        { id: s2, code: 'A' },
      ],
      [{ id: s1, code: 'X', revision: 2 }],
      [{ id: s2, code: 'A', revision: 2, op: 'delete' }],
    );
    await expectEverywhere([row(holder, 'A'), row(s1, 'X')]);
  });

  it('across days, collide as well', async () => {
    const [s1, s2] = ids(2) as [string, string];
    await tell([{ id: s1, code: 'A' }], [{ id: s2, code: 'A', at: '2011-01-09T00:00:00Z' }]);
    await expectEverywhere([], [`${s1} KEY_COLLISION`, `${s2} KEY_COLLISION`]);
  });
});

describe('a key whose last good row another one wants', () => {
  it('gives way: what no fact yields never stands where a row belongs', async () => {
    const [s1, s2] = ids(2) as [string, string];
    await tell(
      [{ id: s1, code: 'A' }],
      [{ id: s1, code: null, revision: 2 }],
      [{ id: s2, code: 'A' }],
    );
    expect(await rows(shop.t.db, sql`select code from read.prices`)).toEqual([{ code: 'A' }]);
    await expectEverywhere([row(s2, 'A')], [`${s1} NULL_KEY`]);
  });
});
