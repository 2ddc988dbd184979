import { sql } from 'drizzle-orm';
import { afterEach, describe, expect, it } from 'vitest';
import { one, rows } from '@/lib/db/client';
import type { Invalid } from '@/lib/domain/refusal';
import { applyDataset, checkTransformFor } from '@/lib/services/dataset';
import {
  activeDaily,
  type Daily,
  dailySql,
  dayOf,
  heldDays,
  lines,
  openDaily,
  ordersInShards,
  quarantineOf,
} from '@/lib/testing/daily';
import { race } from '@/lib/testing/race';
import { as } from '@/lib/testing/world';
import { applyLive } from './apply-live';

let shop: Daily;
afterEach(() => shop.t.close());

const held = async () => heldDays(shop.t.db, await activeDaily(shop.t.db));
const quarantined = async () => quarantineOf(shop.t.db, await activeDaily(shop.t.db));
const live = (size?: number) =>
  applyLive(shop.t.db, 'daily', null, { wait: true, ...(size ? { size } : {}) });
const version = (day: number) =>
  one<{ version: string; rows: string }>(
    shop.t.db,
    sql`select s.version, s.rows from control.segment_partition s where s.start_at = ${dayOf(day)}`,
  );

describe('a dataset of grain partition', () => {
  it('holds what each day comes to, and follows moves and deletes', async () => {
    shop = await openDaily();
    const { append, w, t } = shop;
    await append([
      { id: 'a', day: 1 },
      { id: 'b', day: 1, amount: '50' },
      { id: 'c', day: 2, amount: '7' },
    ]);
    await w.live('daily');
    expect(await held()).toEqual(['01 2 150', '02 1 7']);
    const served = await rows(t.db, sql`select dt, orders, amount from read.daily order by dt`);
    expect(served).toMatchObject([
      { orders: '2', amount: '150' },
      { orders: '1', amount: '7' },
    ]);
    // b moves, c goes: its day has no rows, where a count over nothing would be one
    await append([
      { id: 'b', day: 3, amount: '60', revision: 2 },
      { id: 'c', day: 2, op: 'delete', revision: 2 },
    ]);
    await w.live('daily');
    expect(await held()).toEqual(['01 1 100', '03 1 60']);
    const named = await rows<{ key: string; source: string }>(
      t.db,
      sql`select _key as key, _source_key as source from ds_daily.rows order by 1`,
    );
    expect(named).toEqual([
      { key: '2026-02-01 00:00:00+00', source: 'partition:2026-02-01T00:00:00Z' },
      { key: '2026-02-03 00:00:00+00', source: 'partition:2026-02-03T00:00:00Z' },
    ]);
  });

  it('leaves the version of a partition alone where nothing of its rows changes', async () => {
    shop = await openDaily({
      transform: { sql: dailySql("sum(amount) filter (where status = 'ok')") },
    });
    await shop.append([{ id: 'a', day: 1 }]);
    await live();
    const before = await version(1);
    await shop.append([{ id: 'a', day: 1, revision: 2, status: 'ok' }]);
    await live();
    expect(await version(1)).toEqual(before);
    await shop.append([{ id: 'a', day: 1, revision: 3, amount: '1' }]);
    await live();
    expect(Number((await version(1)).version)).toBe(Number(before.version) + 1);
  });

  it.each([
    ['an error', dailySql('sum(amount / (amount - 13))'), '13', 'ROW_ERROR'],
    [
      'a row outside',
      "select case when max(amount) < 1000 then min(dt) else date_add(min(dt), interval '1 day', 'UTC') end as dt, count(*) as orders, sum(amount) as amount from source",
      '1000',
      'EDGE_CROSSING',
    ],
    [
      'a NULL time',
      'select case when max(amount) < 1000 then min(dt) end as dt, count(*) as orders, sum(amount) as amount from source',
      '1000',
      'NULL_TIME',
    ],
    [
      'two rows of a key',
      "select date_trunc('day', dt, 'UTC') as dt, count(*) as orders, sum(amount) as amount from source group by 1, amount > 500",
      '1000',
      'KEY_COLLISION',
    ],
  ])(
    'keeps the last good rows of a partition with %s, whole, and heals',
    async (_, text, bad, code) => {
      shop = await openDaily({
        transform: { sql: text },
      });
      await shop.append([
        { id: 'a', day: 1 },
        { id: 'b', day: 2 },
      ]);
      await live();
      const good = await held();
      const { version: before } = await version(1);
      await shop.append([
        { id: 'x', day: 1, amount: bad },
        { id: 'c', day: 2 },
        { id: 'd', day: 1 },
      ]);
      await live();
      expect(await quarantined()).toEqual([`partition:${dayOf(1)} ${code}`]);
      expect((await held())[0]).toBe(good[0]);
      expect((await held())[1]).toMatch(/^02 2 /);
      // its facts changed: what was compared before no longer speaks for it
      expect(Number((await version(1)).version)).toBeGreaterThan(Number(before));
      await shop.append([{ id: 'x', day: 1, op: 'delete', revision: 2 }]);
      await live();
      expect(await quarantined()).toEqual([]);
      expect((await held())[0]).toMatch(/^01 2 /);
    },
  );

  it('puts a fact without a time into quarantine by itself', async () => {
    shop = await openDaily();
    await shop.append([
      { id: 'a', day: 1 },
      { id: 'n', day: null },
    ]);
    await live();
    expect(await held()).toEqual(['01 1 100']);
    expect(await quarantined()).toEqual(['fact:n NULL_TIME']);
    await shop.append([{ id: 'n', day: 1, revision: 2 }]);
    await live();
    expect(await held()).toEqual(['01 2 200']);
    expect(await quarantined()).toEqual([]);
  });

  it('takes a batch of more partitions than are computed at once in parts', async () => {
    shop = await openDaily({
      partition: 'hour',
      transform: {
        sql: 'select dt, count(*) as orders, sum(amount) as amount from source group by dt',
      },
    });
    const events = Array.from({ length: 200 }, (_, i) => ({
      eventId: `h${i}`,
      key: `h${i}`,
      revision: 1,
      op: 'upsert',
      payload: {
        order_id: `h${i}`,
        dt: new Date(Date.UTC(2026, 1, 1, i)).toISOString(),
        amount: '1',
        status: 'ok',
      },
    }));
    await shop.w.append(events, 'order_lines');
    const first = await live();
    expect(first).toMatchObject({ kind: 'applied', caughtUp: false });
    await shop.w.live('daily');
    expect(await held()).toHaveLength(200);
  });
});

describe('events of two shards on one partition', () => {
  it('both count, whichever is applied first', async () => {
    shop = await openDaily();
    const [a, b] = ordersInShards(2) as [string, string];
    await shop.append([
      { id: a, day: 1, amount: '11' },
      { id: b, day: 1, amount: '9' },
    ]);
    const progress = (limit: string[]) => async () => limit;
    const ends = (
      await rows<{ last: string }>(
        shop.t.db,
        sql`select last_offset as last from control.source_shard where source = 'order_lines' order by shard`,
      )
    ).map(({ last }) => last);
    const onlyFirst = ends.map((last, shard) =>
      shard === ends.findIndex((l) => l !== '0') ? last : '0',
    );
    await applyLive(shop.t.db, 'daily', null, { wait: true, limit: progress(onlyFirst) });
    expect(await held()).toEqual(['01 1 11']);
    await live();
    expect(await held()).toEqual(['01 2 20']);
  });

  it('both count where two processes apply at once: the second waits for the first', async () => {
    shop = await openDaily();
    const [a, b] = ordersInShards(2) as [string, string];
    await shop.append([
      { id: a, day: 1, amount: '11' },
      { id: b, day: 1, amount: '9' },
    ]);
    const shard = (keep: number) => async () => {
      const found = await rows<{ last: string }>(
        shop.t.db,
        sql`select last_offset as last from control.source_shard where source = 'order_lines' order by shard`,
      );
      let seen = 0;
      return found.map(({ last }) => (last !== '0' && seen++ <= keep ? last : '0'));
    };
    const { first, second } = await race(
      shop.t.url,
      (db) => applyLive(db, 'daily', null, { wait: true, limit: shard(0) }),
      (db) => applyLive(db, 'daily', null, { wait: true, limit: shard(1) }),
    );
    expect([first.status, second.status]).toEqual(['fulfilled', 'fulfilled']);
    expect(await held()).toEqual(['01 2 20']);
  });
});

describe('a declaration of grain partition', () => {
  const issues = async (more: Record<string, unknown>) => {
    try {
      await applyDataset(as(shop.t.db, 'root'), { ...lines.dataset, name: 'other', ...more });
      return [];
    } catch (error) {
      return (error as Invalid).issues.map(({ pointer, message }) => `${pointer} ${message}`);
    }
  };

  it('is refused where its source time is no instant of the source', async () => {
    shop = await openDaily();
    expect(await issues({ sourceTime: 'amount' })).toEqual([
      expect.stringMatching(/^\/sourceTime .*bigint.*there are: dt/),
    ]);
    expect(await issues({ sourceTime: 'at' })).toEqual([expect.stringMatching(/^\/sourceTime /)]);
  });

  it('is refused where PostgreSQL finds an output that is not grouped by', async () => {
    shop = await openDaily();
    const text = 'select dt, count(*) as orders, max(amount) as amount from source';
    expect(await issues({ transform: { sql: text } })).toEqual([
      expect.stringMatching(/^\/transform\/sql .*GROUP BY/),
    ]);
    await expect(
      checkTransformFor(shop.t.db, { dataset: 'daily', sql: text }),
    ).rejects.toMatchObject({ issues: [{ code: 'TRANSFORM_INVALID' }] });
    expect(await checkTransformFor(shop.t.db, { dataset: 'daily', sql: dailySql() })).toMatchObject(
      {
        columns: [{ name: 'dt' }, { name: 'orders' }, { name: 'amount' }],
      },
    );
  });

  it('is the same when it is declared again, and fixed', async () => {
    shop = await openDaily();
    const again = applyDataset(as(shop.t.db, 'root'), lines.dataset);
    expect(await again).toEqual({ created: false });
    await expect(
      applyDataset(as(shop.t.db, 'root'), {
        ...lines.dataset,
        grain: 'row',
        sourceTime: undefined,
      }),
    ).rejects.toMatchObject({ blockers: [{ code: 'DATASET_IS_FIXED' }] });
  });
});
