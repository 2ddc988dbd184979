import { sql } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Database, one, rows } from '@/lib/db/client';
import { logEnd, readProgress } from '@/lib/db/statements/progress';
import { applyLive } from '@/lib/services/apply/apply-live';
import { askRun } from '@/lib/services/runs';
import { shardOf } from '@/lib/services/source';
import { walkRun } from '@/lib/services/steps/run-walk';
import {
  activeGeneration,
  built,
  cutOver,
  idsInShards,
  items,
  openItems,
  priceRelease,
} from '@/lib/testing/items';
import { race } from '@/lib/testing/race';
import { as } from '@/lib/testing/world';

const sums = (factor: number) => `select code, date_trunc('day', at, 'UTC') as at,
  sum(value) * ${factor} as value from source group by 1, 2`;

let shop: Awaited<ReturnType<typeof openItems>>;
let s1 = '';
let s2 = '';
const at = (n: number, hour = 9) =>
  `2011-01-${String(n).padStart(2, '0')}T${String(hour).padStart(2, '0')}:00:00Z`;

/** Two items of one partition, whose events come by different shards: 10 and 1. */
beforeEach(async () => {
  shop = await openItems({
    grain: 'partition',
    sourceTime: 'at',
    key: ['code', 'at'],
    transform: { sql: sums(1) },
  });
  [s1, s2] = idsInShards(2) as [string, string];
  await shop.append([
    { id: s1, code: 'X', at: at(5), value: '10' },
    { id: s2, code: 'X', at: at(5, 10), value: '1' },
  ]);
  await shop.w.live('prices');
  expect(await served()).toEqual(['X 05 11']);
});
afterEach(() => shop.t.close());

const served = async () =>
  (
    await rows<{ text: string }>(
      shop.t.db,
      sql`select concat_ws(' ', code, to_char(at, 'DD'), trim_scale(value)) as text
        from read.prices order by 1`,
    )
  ).map(({ text }) => text);

/** Live writing that goes on in one shard alone, as an applier of its own for each shard would. */
const ofShard = (id: string) => (db: Database) =>
  applyLive(db, 'prices', null, {
    wait: true,
    limit: async (tx) => {
      const shard = shardOf(id, items.source.shards);
      const reached = await readProgress(tx, await activeGeneration(shop.t.db));
      const end = await logEnd(tx, 'items');
      return reached.map((offset, i) => (i === shard ? (end[i] as string) : offset));
    },
  });

/** A run computes partitions from the log: where it finds nothing to change, they were right. */
async function expectComputed(): Promise<void> {
  const { id } = await askRun(as(shop.t.db, 'ana'), {
    dataset: 'prices',
    from: at(1, 0),
    to: at(9, 0),
  });
  expect(await walkRun(shop.t.db, id)).toBe('ended');
  const { changed, done } = await one<{ changed: number; done: number }>(
    shop.t.db,
    sql`select count(*) filter (where changed)::int as changed,
        count(*) filter (where state = 'done')::int as done
      from control.run_partition where run = ${id}`,
  );
  expect(changed).toBe(0);
  expect(done).toBeGreaterThan(0);
}

describe('events of two shards on one partition', () => {
  it.each([
    ['the first shard first', () => [s1, s2] as const],
    ['the second shard first', () => [s2, s1] as const],
  ])('by two writers at once, %s: both are in it', async (_, order) => {
    const [first, second] = order();
    await shop.append([
      { id: s1, code: 'X', at: at(5), value: '15', revision: 2 },
      { id: s2, code: 'X', at: at(5, 10), value: '5', revision: 2 },
    ]);
    const outcome = await race(shop.t.url, ofShard(first), ofShard(second));
    expect([outcome.first.status, outcome.second.status]).toEqual(['fulfilled', 'fulfilled']);
    expect(await served()).toEqual(['X 05 20']);
    await expectComputed();
  });

  it('that move it to and fro between two partitions, by two writers at once', async () => {
    await shop.append([
      { id: s1, code: 'X', at: at(6), value: '15', revision: 2 },
      { id: s2, code: 'X', at: at(5, 11), value: '5', revision: 2 },
    ]);
    await race(shop.t.url, ofShard(s1), ofShard(s2));
    expect(await served()).toEqual(['X 05 5', 'X 06 15']);
    await shop.append([
      { id: s1, code: 'X', at: at(5), value: '15', revision: 3 },
      { id: s2, code: 'X', at: at(6), op: 'upsert', value: '5', revision: 3 },
    ]);
    await race(shop.t.url, ofShard(s2), ofShard(s1));
    expect(await served()).toEqual(['X 05 15', 'X 06 5']);
    await expectComputed();
  });

  it('are in a candidate, in the generation that it becomes and after the way back', async () => {
    const release = await built(
      shop.w,
      priceRelease('tenfold', sums(10), {
        expectedDiff: [{ rule: 'ten', where: 'new.value = old.value * 10', columns: ['value'] }],
      }),
    );
    for (const [id, value] of [
      [s1, '15'],
      [s2, '5'],
    ] as const) {
      await shop.append([{ id, code: 'X', at: at(5, 10), value, revision: 2 }]);
      await ofShard(id)(shop.t.db);
      await shop.w.work(release);
    }
    await cutOver(shop.w, release);
    expect(await served()).toEqual(['X 05 200']);
    await shop.append([
      { id: s1, code: 'X', at: at(5), value: '16', revision: 3 },
      { id: s2, code: 'X', at: at(5, 10), value: '6', revision: 3 },
    ]);
    await race(shop.t.url, ofShard(s2), ofShard(s1));
    expect(await served()).toEqual(['X 05 220']);
    await expectComputed();
    await shop.w.move('dee', 'rollback', release);
    await shop.w.work(release);
    expect(await shop.w.state(release)).toBe('ROLLED_BACK');
    expect(await served()).toEqual(['X 05 22']);
    await expectComputed();
  });
});
