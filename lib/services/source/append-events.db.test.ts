import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { affected, type Database, rows } from '@/lib/db/client';
import { factsOfKeys } from '@/lib/db/statements/facts';
import { logEnd } from '@/lib/db/statements/progress';
import { transaction } from '@/lib/db/transaction';
import { race } from '@/lib/testing/race';
import { refusalOf, refusedIn, traceOf } from '@/lib/testing/refusal';
import { day, openShop, type Shop } from '@/lib/testing/shop';
import { as, event, orders } from '@/lib/testing/world';
import { appendEvents, shardOf } from './append-events';

let shop: Shop;
beforeAll(async () => {
  shop = await openShop();
});
afterAll(() => shop.t.close());

const shards = 8;
/** A key that no test had before, in the given shard. */
let serial = 0;
function keyIn(shard: number): string {
  for (;;) {
    const key = `k${++serial}`;
    if (shardOf(key, shards) === shard) return key;
  }
}
const append = (events: unknown[], db: Database = shop.t.db) =>
  appendEvents(as(db, 'feed'), { source: 'orders', events });
const at = day(5);
const offsetsIn = (shard: number) =>
  rows<{ offset: string; key: string }>(
    shop.t.db,
    sql`select "offset", key from control.source_event where shard = ${shard} order by "offset"`,
  );
const factOf = async (key: string) => {
  const source = { ...orders.source, shards, complete: true } as never;
  const [fact] = await factsOfKeys(shop.t.db, source, [key], await logEnd(shop.t.db, 'orders'));
  return fact;
};

describe('append against append', () => {
  it('on one shard: offset order is commit order, without a gap', async () => {
    const [a, b] = [keyIn(3), keyIn(3)];
    const before = await offsetsIn(3);
    const { first, second } = await race(
      shop.t.url,
      (db) => append([event({ line: a, at })], db),
      (db) => append([event({ line: b, at })], db),
    );
    const start = before.length;
    expect(first).toMatchObject({ value: { accepted: 1, offsets: { 3: String(start + 1) } } });
    expect(second).toMatchObject({ value: { accepted: 1, offsets: { 3: String(start + 2) } } });
    expect((await offsetsIn(3)).slice(start)).toEqual([
      { offset: String(start + 1), key: a },
      { offset: String(start + 2), key: b },
    ]);
  });

  it('on one shard, the first rolled back: its offset is given to the next', async () => {
    const [a, b] = [keyIn(3), keyIn(3)];
    const start = (await offsetsIn(3)).length;
    const undo = new Error('undo');
    const failing = transaction(shop.t.db, async (tx) => {
      await tx.execute(
        sql`update control.source_shard set last_offset = last_offset + 1 where shard = 3`,
      );
      await tx.execute(sql`insert into control.source_event
        (source, shard, "offset", event_id, key, revision, op, digest, effective)
        values ('orders', 3, ${start + 1}, ${a}, ${a}, 1, 'upsert', 'x', true)`);
      throw undo;
    });
    await expect(failing).rejects.toBe(undo);
    expect(await append([event({ line: b, at })])).toMatchObject({
      offsets: { 3: String(start + 1) },
    });
  });

  it('on two shards: neither waits', async () => {
    const [a, b] = [keyIn(1), keyIn(2)];
    const { first, second } = await race(
      shop.t.url,
      (db) => append([event({ line: a, at })], db),
      (db) => append([event({ line: b, at })], db),
      { expect: 'passed' },
    );
    expect([first.status, second.status]).toEqual(['fulfilled', 'fulfilled']);
  });

  it('of several shards, in opposite order: no deadlock, both land whole', async () => {
    const first = [keyIn(1), keyIn(6)].map((key) => event({ line: key, at }));
    const second = [keyIn(6), keyIn(1)].map((key) => event({ line: key, at }));
    const outcome = await race(
      shop.t.url,
      (db) => append(first, db),
      (db) => append(second, db),
    );
    expect(outcome.first).toMatchObject({ value: { accepted: 2 } });
    expect(outcome.second).toMatchObject({ value: { accepted: 2 } });
  });

  it('one event id on two shards at once: the second is told what holds it', async () => {
    const [a, b] = [keyIn(4), keyIn(5)];
    const same = (key: string) => ({ ...event({ line: key, at }), eventId: `shared-${a}` });
    const { first, second } = await race(
      shop.t.url,
      (db) => append([same(a)], db),
      (db) => append([same(b), event({ line: keyIn(5), at })], db),
    );
    expect(first.status).toBe('fulfilled');
    expect(await refusedIn(second)).toEqual({
      status: 409,
      code: 'EVENT_CONFLICT',
      codes: ['EVENT_CONFLICT'],
    });
    expect(await rows(shop.t.db, sql`select 1 from control.source_event where key = ${b}`)).toEqual(
      [],
    );
  });

  it('the same batch twice at once: the second is all duplicates, at the offsets of the first', async () => {
    const batch = [keyIn(0), keyIn(7)].map((key) => event({ line: key, at }));
    const { first, second } = await race(
      shop.t.url,
      (db) => append(batch, db),
      (db) => append(batch, db),
    );
    const offsets = first.status === 'fulfilled' ? first.value.offsets : {};
    expect(first).toMatchObject({ value: { accepted: 2, duplicates: 0 } });
    expect(second).toMatchObject({ value: { accepted: 0, duplicates: 2, stale: 0, offsets } });
  });
});

describe('an event that was acknowledged', () => {
  it('with the same content is a duplicate under any id, with other content a conflict', async () => {
    const key = keyIn(2);
    const first = event({ line: key, at, price: '10.00' });
    await append([first]);
    expect(await append([{ ...first, eventId: 'another name' }])).toMatchObject({ duplicates: 1 });
    const before = await traceOf(shop.t.db);
    const other = event({ line: key, at, price: '11.00' });
    for (const batch of [
      [other],
      [{ ...other, eventId: 'same key and revision' }],
      [event({ line: keyIn(2), at }), { ...first, payload: { ...first.payload, country: 'FR' } }],
    ]) {
      expect((await refusalOf(append(batch))).code).toBe('EVENT_CONFLICT');
    }
    // a batch is all or nothing
    expect(await traceOf(shop.t.db)).toEqual(before);
  });

  it('conflicts within its own batch too', async () => {
    const key = keyIn(2);
    const twice = [event({ line: key, at }), event({ line: key, at, price: '1.00' })];
    expect((await refusalOf(append(twice))).code).toBe('EVENT_CONFLICT');
    const same = [event({ line: key, at }), event({ line: key, at })];
    expect(await append(same)).toMatchObject({ accepted: 1, duplicates: 1 });
  });

  it('below its key’s newest revision is logged and changes nothing, also after a delete', async () => {
    const key = keyIn(2);
    await append([event({ line: key, at, revision: 5 })]);
    await append([event({ line: key, at, revision: 9, op: 'delete' })]);
    const late = await append([event({ line: key, at, revision: 7, price: '1.00' })]);
    expect(late).toMatchObject({ accepted: 0, stale: 1 });
    expect(await factOf(key)).toMatchObject({ revision: '9', payload: null });
    await shop.w.live();
    expect((await shop.w.served())[key]).toBeUndefined();
    // a newer one brings it back
    await append([event({ line: key, at, revision: 10 })]);
    await shop.w.live();
    expect((await shop.w.served())[key]?.tax).toBe('1.75');
  });

  it('is stale by what the log has ever seen, also where that was pruned', async () => {
    const key = keyIn(2);
    await append([event({ line: key, at, revision: 9, op: 'delete' })]);
    await shop.w.live();
    await affected(shop.t.db, sql`delete from control.source_event where key = ${key}`);
    expect(await append([event({ line: key, at, revision: 7 })])).toMatchObject({ stale: 1 });
  });

  it('reaches the end of the log also where the last event is stale', async () => {
    // the pruned event above left a hole: take a source of its own
    const fresh = await openShop();
    await fresh.w.append([event({ line: 'a', at, revision: 3 })]);
    await fresh.w.append([event({ line: 'a', at, revision: 2 })]);
    await fresh.w.live();
    const [end] = await rows(
      fresh.t.db,
      sql`select p.offsets = (select array_agg(last_offset order by shard) from control.source_shard) as reached
        from control.generation_progress p`,
    );
    expect(end).toEqual({ reached: true });
    await fresh.t.close();
  });
});
