import { sql } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Database, one, rows } from '@/lib/db/client';
import { lockRegistry } from '@/lib/db/statements/registry';
import { transaction } from '@/lib/db/transaction';
import { applyLive } from '@/lib/services/apply/apply-live';
import { race } from '@/lib/testing/race';
import { refusalOf, refusedIn } from '@/lib/testing/refusal';
import { day, fix, line, openShop, type Shop } from '@/lib/testing/shop';
import { as } from '@/lib/testing/world';
import { amend, publish } from './index';

let shop: Shop;
beforeEach(async () => {
  shop = await openShop();
});
afterEach(() => shop.t.close());

/** January days of 2011, half-open. */
const days = (from: number, to: number) => ({
  dataset: 'order_tax',
  from: day(from, 0),
  to: day(to, 0),
});
const publishDays = (from: number, to: number, db: Database = shop.t.db) =>
  publish(as(db, 'ana'), { ...days(from, to), sentTo: 'finance' });
const amendDay = (n: number, reason = 'late lines') =>
  amend(as(shop.t.db, 'ana'), { dataset: 'order_tax', partition: day(n, 0), reason });
const live = (db: Database) => applyLive(db, 'order_tax', null, { wait: true });

const pending = () =>
  rows(
    shop.t.db,
    sql`select to_char(start_at, 'DD') as day, source_key as line, values[4] as net
      from control.pending_correction order by start_at, source_key, "offset"`,
  );
const corrections = () =>
  rows(
    shop.t.db,
    sql`select to_char(start_at, 'DD') as day, kind, rows_before as "rowsBefore", rows_after as "rowsAfter",
        sums_before ->> 'net' as "netBefore", sums_after ->> 'net' as "netAfter", reason
      from control.correction order by id`,
  );
const nets = async () =>
  Object.fromEntries(
    Object.entries(await shop.w.served()).map(([name, row]) => [name, `${row.net}/${row.tax}`]),
  );
const taxOfDay = async (n: number) =>
  (
    await rows<{ tax: string }>(
      shop.t.db,
      sql`select tax from read.order_tax where invoiced_at >= ${day(n, 0)} and invoiced_at < ${day(n + 1, 0)}`,
    )
  ).map((row) => row.tax);

async function cutOver(spec = fix()): Promise<string> {
  const release = await shop.w.rehearsed(spec);
  await shop.w.reconciled(release);
  await shop.w.sign(release);
  await shop.w.move('dee', 'activate', release);
  return release;
}

async function rollBack(release: string): Promise<void> {
  await shop.w.move('dee', 'rollback', release);
  await shop.w.work(release);
  expect(await shop.w.state(release)).toBe('ROLLED_BACK');
}

describe('publishing', () => {
  it('records figures and root, seals each partition once, and says what was sealed before', async () => {
    const first = await publishDays(3, 5);
    expect(first).toMatchObject({ sealed: [day(3, 0), day(4, 0)], already: [], rows: '2' });
    const second = await publish(as(shop.t.db, 'dee'), {
      ...days(4, 6),
      sentTo: 'the board',
      document: 'Q1.pdf',
    });
    expect(second).toMatchObject({ sealed: [day(5, 0)], already: [day(4, 0)], document: 'Q1.pdf' });
    const found = await rows(
      shop.t.db,
      sql`select to_char(p.start_at, 'DD') as day, p.publication, p.rows, p.sums ->> 'net' as net,
          p.partials ->> 'tax' as tax, p.root = s.root as same
        from control.published_partition p
        join control.segment_partition s on s.segment = p.segment and s.start_at = p.start_at
        order by p.start_at`,
    );
    expect(found).toEqual([
      { day: '03', publication: first.id, rows: '1', net: '100.000', tax: '17.50', same: true },
      { day: '04', publication: first.id, rows: '1', net: '100.000', tax: '17.50', same: true },
      { day: '05', publication: second.id, rows: '1', net: '100.000', tax: '17.50', same: true },
    ]);
  });

  it('seals a day without rows with the figures of nothing', async () => {
    expect(await publishDays(12, 13)).toMatchObject({ sealed: [day(12, 0)], rows: '0' });
    await shop.w.append([line(12)]);
    await shop.w.live();
    expect(await taxOfDay(12)).toEqual([]);
    expect(await pending()).toEqual([{ day: '12', line: 'l12', net: '100.000' }]);
  });

  it('is refused off the edges, with nothing recorded', async () => {
    const refused = await refusalOf(
      publish(as(shop.t.db, 'ana'), { dataset: 'order_tax', from: day(3, 1), to: day(5, 0) }),
    );
    expect(refused).toMatchObject({ code: 'RANGE_NOT_ON_PARTITION_EDGE' });
    expect(await rows(shop.t.db, sql`select 1 from control.publication`)).toEqual([]);
  });

  it('waits for a release over the range once it is past its rehearsal, and not before', async () => {
    const release = await shop.w.draft(fix());
    await shop.w.move('ana', 'pin', release);
    await shop.w.move('ana', 'build', release);
    await shop.w.work(release);
    await publishDays(4, 5);
    await shop.w.move('ana', 'rehearse', release);
    await shop.w.work(release);
    const refused = await refusalOf(publishDays(5, 6));
    expect(refused.codes).toEqual(['RELEASE_OVERLAP']);
    // outside its range nobody waits
    await publishDays(3, 4);
    await shop.w.move('ana', 'abandon', release);
    await publishDays(5, 6);
  });

  it('beside a live writer publishes what is served then, whoever comes first', async () => {
    await shop.w.append([line(4, { revision: 2, price: '1.00' })]);
    const late = await race(shop.t.url, (db) => publishDays(4, 5, db), live, {
      // the first of its transactions takes figures ahead
      holdAt: 2,
    });
    expect([late.first.status, late.second.status]).toEqual(['fulfilled', 'fulfilled']);
    expect(await nets()).toMatchObject({ l4: '100.000/17.50' });
    expect(await pending()).toEqual([{ day: '04', line: 'l4', net: '1.000' }]);

    await shop.w.append([line(5, { revision: 2, price: '1.00' })]);
    const early = await race(shop.t.url, live, (db) => publishDays(5, 6, db), { holdAt: 1 });
    expect([early.first.status, early.second.status]).toEqual(['fulfilled', 'fulfilled']);
    const { net } = await one<{ net: string }>(
      shop.t.db,
      sql`select sums ->> 'net' as net from control.published_partition where start_at = ${day(5, 0)}`,
    );
    expect([net, (await nets()).l5]).toEqual(['1.000', '1.000/0.18']);
    expect(await pending()).toHaveLength(1);
  });

  it('and the seal of a release over the range wait for each other', async () => {
    const release = await shop.w.rehearsed(fix());
    const { second } = await race(
      shop.t.url,
      (db) =>
        transaction(db, async (tx) => {
          await lockRegistry(tx, 'order_tax');
        }),
      (db) => publishDays(4, 5, db),
      { expect: 'blocked' },
    );
    expect(await refusedIn(second)).toMatchObject({ code: 'RELEASE_OVERLAP' });
    expect(await shop.w.state(release)).toBe('BUILDING');
  });
});

describe('a sealed partition', () => {
  beforeEach(async () => {
    await publishDays(4, 5);
  });

  it('keeps its rows when lines change, go, come and move; the open side follows the facts', async () => {
    await shop.w.append([
      line(4, { revision: 2, price: '7.00' }),
      line(4, { revision: 3, at: day(6) }),
      line(5, { revision: 2, at: day(4), price: '5.00' }),
      line(40, { at: day(4, 3), price: '1.00' }),
    ]);
    await shop.w.live();
    expect(await taxOfDay(4)).toEqual(['17.50']);
    // the line stands in what was published and where it is now
    const places = await rows(
      shop.t.db,
      sql`select to_char(invoiced_at, 'DD') as day, line, net from read.order_tax
        where line in ('l4', 'l5', 'l40') order by 1, 2`,
    );
    expect(places).toEqual([
      { day: '04', line: 'l4', net: '100.000' },
      { day: '06', line: 'l4', net: '100.000' },
    ]);
    expect(await pending()).toEqual([
      { day: '04', line: 'l4', net: null },
      { day: '04', line: 'l40', net: '1.000' },
      { day: '04', line: 'l5', net: '5.000' },
    ]);
    expect(await amendDay(4)).toMatchObject({
      before: { rows: '1', sums: { net: '100.000' } },
      after: { rows: '2', sums: { net: '6.000' } },
    });
  });

  it('is noted anew when what came goes again', async () => {
    await shop.w.append([line(40, { at: day(4, 3), price: '1.00' })]);
    await shop.w.live();
    await shop.w.append([line(40, { at: day(6, 3), price: '1.00', revision: 2 })]);
    await shop.w.live();
    await shop.w.append([line(40, { at: day(6, 4), price: '1.00', revision: 3 })]);
    await shop.w.live();
    expect(await pending()).toEqual([
      { day: '04', line: 'l40', net: '1.000' },
      { day: '04', line: 'l40', net: null },
    ]);
  });

  it('has corrections that add up, each from where the last one ended', async () => {
    expect(await refusalOf(amendDay(5))).toMatchObject({ code: 'NOT_SEALED' });
    await shop.w.append([line(40, { at: day(4, 3), price: '1.00' })]);
    await shop.w.live();
    await amendDay(4, 'a line came late');
    await shop.w.append([line(4, { revision: 2, op: 'delete' })]);
    await shop.w.live();
    await amendDay(4, 'a line was cancelled');
    await amendDay(4, 'looked again');
    const before = { day: '04', kind: 'amend' };
    expect(await corrections()).toEqual([
      {
        ...before,
        rowsBefore: '1',
        rowsAfter: '2',
        netBefore: '100.000',
        netAfter: '101.000',
        reason: 'a line came late',
      },
      {
        ...before,
        rowsBefore: '2',
        rowsAfter: '1',
        netBefore: '101.000',
        netAfter: '1.000',
        reason: 'a line was cancelled',
      },
      {
        ...before,
        rowsBefore: '1',
        rowsAfter: '1',
        netBefore: '1.000',
        netAfter: '1.000',
        reason: 'looked again',
      },
    ]);
    expect(await nets()).toMatchObject({ l4: '100.000/17.50' });
  });

  it('holds a business key that an open partition wants too only while its fact does', async () => {
    // keys are lines here, so a key that changes hands is the same line: the frozen row is no rival
    await shop.w.append([line(4, { revision: 2, at: day(6) })]);
    await shop.w.live();
    const { held } = await one<{ held: string }>(
      shop.t.db,
      sql`select count(*) as held from control.quarantine`,
    );
    expect(held).toBe('0');
  });

  it('is never written, whoever forgets that it was published', async () => {
    await expect(
      shop.t.db.execute(sql`
        update control.segment_partition s set version = version + 1
        from control.published_partition p where s.segment = p.segment and s.start_at = p.start_at`),
    ).rejects.toMatchObject({ cause: { code: 'IL004' } });
  });

  it('is not unsealed, and no record of it is changed', async () => {
    await shop.w.append([line(40, { at: day(4, 3) })]);
    await shop.w.live();
    await amendDay(4);
    for (const table of [
      'publication',
      'published_partition',
      'pending_correction',
      'correction',
    ]) {
      for (const statement of [`delete from control.${table}`, `truncate control.${table} cascade`])
        await expect(shop.t.db.execute(sql.raw(statement))).rejects.toThrow();
    }
  });
});

describe('a release over sealed partitions', () => {
  it('is kept from them by REFUSE, at the pin and at the seal', async () => {
    await publishDays(5, 6);
    const draft = await shop.w.draft(fix({ sealedPartitions: 'REFUSE' }));
    const refused = await refusalOf(shop.w.move('ana', 'pin', draft));
    expect(refused.codes).toEqual(['PARTITION_SEALED']);
  });

  it('is kept from them by REFUSE where they were published after the pin', async () => {
    const release = await shop.w.draft(fix({ sealedPartitions: 'REFUSE' }));
    await shop.w.move('ana', 'pin', release);
    await shop.w.move('ana', 'build', release);
    await publishDays(5, 6);
    await shop.w.work(release);
    await shop.w.move('ana', 'rehearse', release);
    await shop.w.work(release);
    const refused = await refusalOf(shop.w.move('dee', 'seal', release));
    expect(refused.codes).toEqual(['PARTITION_SEALED']);
  });

  it('writes what it would have changed as corrections in its cutover, and a rollback takes them back', async () => {
    await publishDays(5, 6);
    const release = await cutOver();
    expect(await taxOfDay(4)).toEqual(['20.00']);
    expect(await taxOfDay(5)).toEqual(['17.50']);
    const evidence = await one<{ sealed: unknown }>(
      shop.t.db,
      sql`select parts -> 'sealedPartitions' as sealed from control.evidence order by at desc limit 1`,
    );
    expect(evidence.sealed).toMatchObject([{ start: day(5, 0) }]);
    await rollBack(release);
    expect(await taxOfDay(5)).toEqual(['17.50']);
    const found = await rows(
      shop.t.db,
      sql`select kind, partials_before ->> 'tax' as before, partials_after ->> 'tax' as after,
          root_after = (select root from control.published_partition) as published
        from control.correction order by id`,
    );
    expect(found).toEqual([
      { kind: 'cutover', before: '17.50', after: '20.00', published: false },
      { kind: 'rollback', before: '20.00', after: '17.50', published: true },
    ]);
  });

  it('and what was published while it served stays so through its rollback', async () => {
    const release = await cutOver();
    await publishDays(5, 6);
    await shop.w.append([line(5, { revision: 2, price: '50.00' }), line(50, { at: day(5, 3) })]);
    await shop.w.live();
    expect(await taxOfDay(5)).toEqual(['20.00']);
    await rollBack(release);
    expect(await taxOfDay(5)).toEqual(['20.00']);
    expect(await taxOfDay(4)).toEqual(['17.50']);
    const found = await rows(
      shop.t.db,
      sql`select kind, rows_after as rows, partials_before ->> 'tax' as before,
          partials_after ->> 'tax' as after from control.correction order by id`,
    );
    // 50.00 and 100.00 under the old rate
    expect(found).toEqual([{ kind: 'rollback', rows: '2', before: '20.00', after: '26.25' }]);
    // noted once by live writing, not again by the replay
    expect(await pending()).toHaveLength(2);
    await shop.w.append([line(5, { revision: 3, price: '70.00' })]);
    await shop.w.live();
    expect(await amendDay(5)).toMatchObject({ before: { rows: '2' }, after: { rows: '2' } });
  });

  it('corrects a day behind an open plan that has come to nothing', async () => {
    const release = await shop.w.draft(fix({ range: { from: day(4, 0), to: 'open' } }));
    await shop.w.move('ana', 'pin', release);
    await shop.w.append([line(10)]);
    await shop.w.live();
    await publishDays(10, 11);
    await shop.w.append([line(10, { revision: 2, op: 'delete' })]);
    await shop.w.live();
    await shop.w.move('ana', 'build', release);
    await shop.w.work(release);
    await shop.w.move('ana', 'rehearse', release);
    await shop.w.work(release);
    await shop.w.reconciled(release);
    await shop.w.sign(release);
    await shop.w.move('dee', 'activate', release);
    expect(await taxOfDay(10)).toEqual(['17.50']);
    expect(await corrections()).toMatchObject([
      { day: '10', kind: 'cutover', rowsBefore: '1', rowsAfter: '0', netAfter: null },
    ]);
  });

  it('has no drift where only what was published differs from the facts', async () => {
    await publishDays(5, 6);
    await shop.w.append([
      line(5, { revision: 2, price: '50.00' }),
      line(6, { revision: 2, at: day(5, 3) }),
    ]);
    await shop.w.live();
    const release = await cutOver();
    expect(await shop.w.state(release)).toBe('ACTIVE');
    expect(await taxOfDay(5)).toEqual(['17.50']);
    expect(await corrections()).toMatchObject([
      { day: '05', kind: 'cutover', rowsBefore: '1', rowsAfter: '2', netAfter: '150.000' },
    ]);
  });

  it('is not cut over where the published set is not the one that was signed', async () => {
    const release = await shop.w.rehearsed(fix());
    await shop.w.reconciled(release);
    await shop.w.sign(release);
    // as a door would that does not know of the wait
    await shop.t.db.execute(sql`
      with said as (
        insert into control.publication (dataset, range_from, range_to, sent_to, "by")
        values ('order_tax', ${day(5, 0)}, ${day(6, 0)}, 'nobody', 'ana') returning id
      )
      insert into control.published_partition (dataset, start_at, end_at, publication, generation, segment,
        transform, progress, rows, sums, partials, root)
      select 'order_tax', s.start_at, s.end_at, said.id, g.active_generation, s.segment, r.transform,
        p.offsets, s.rows, s.sums, s.partials, coalesce(s.root, '')
      from said, control.registry g
      join control.generation_range r on r.generation = g.active_generation
      join control.segment_partition s on s.segment = r.segment and r.span @> s.start_at
      join control.generation_progress p on p.generation = g.active_generation
      where s.start_at = ${day(5, 0)}::timestamptz`);
    const refused = await refusalOf(shop.w.move('dee', 'activate', release));
    expect(refused.codes).toEqual(['EVIDENCE_MOVED']);
  });
});
