import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { affected, rows } from '@/lib/db/client';
import { onStep } from '@/lib/db/step';
import { Attempts } from '@/lib/faults/support/attempts';
import { Scenario } from '@/lib/faults/support/scenario';
import { catalog } from '@/lib/runner/catalog';
import { buildPartition } from '@/lib/services/steps/build-partition';
import { day } from '@/lib/testing/shop';
import { event } from '@/lib/testing/world';

let s: Scenario;
let a: Attempts;

beforeAll(async () => {
  s = await Scenario.open();
  a = await Attempts.open(s);
});
afterAll(() => s.t.close());

describe('a partition that was built and has no receipt', () => {
  it('has no rows either, for both are of one transaction', async () => {
    const attempt = await a.mustClaim('dies');
    // connections of its own: the sweeper ends the one that the attempt had
    const its = s.t.connect('tool', 2);
    const stop = onStep((step) => {
      if (step === 'build.receipt-written') throw new Error('the process ended');
    });
    await expect(buildPartition(its, attempt)).rejects.toThrow('the process ended');
    stop();
    expect([await a.built(), await a.receipts()]).toEqual([[], []]);
    await a.expire(attempt);
    await a.reclaim(s.db);
  });

  it('is built over whatever stands in its place', async () => {
    await affected(
      s.db,
      sql`insert into ds_order_tax.rows (_segment, _partition, _key, _source_key, _revision, line, invoiced_at, country, net, tax)
        select x.segment, '2011-01-04', d._key, d._source_key, d._revision, d.line, '2011-01-04T12:00:00Z', 'XX', 1, 1
        from control.release x, ds_order_tax.rows d where x.id = ${a.id} and d.line in ('l3', 'l4')`,
    );
    expect(await a.built()).toHaveLength(2);
    expect(await buildPartition(s.db, await a.mustClaim('next'))).toMatchObject({
      kind: 'accepted',
    });
    expect(await a.built()).toEqual([{ line: 'l4', tax: '20.00' }]);
    expect(await a.receipts()).toEqual([{ start: '2011-01-04T00:00:00Z', attempt: 2 }]);
    await s.expectAll('order_tax-g1');
  });
});

describe('a partition that has its receipt', () => {
  const again = async (start: string) => {
    await affected(
      s.db,
      sql`update control.release_partition set state = 'planned' where start_at = ${start}`,
    );
    return buildPartition(s.db, await a.mustClaim('again'));
  };
  const start = '2011-01-05T00:00:00Z';

  beforeAll(async () => {
    await s.w.work(a.release);
    await s.append([
      event({ line: 'l5', at: day(5), price: '200.00', revision: 2 }),
      event({ line: 'n5', at: day(5), price: '10.00' }),
    ]);
    await s.w.live();
    await s.w.work(a.release);
  });

  it('is verified without a write: what catch-up did since is kept', async () => {
    const before = await a.built();
    expect(before).toContainEqual({ line: 'l5', tax: '40.00' });
    expect(before).toContainEqual({ line: 'n5', tax: '2.00' });
    const kept = await a.receipts();
    expect(await again(start)).toEqual({ kind: 'verified' });
    expect(await a.built()).toEqual(before);
    expect(await a.receipts()).toEqual(kept);
    const progress = await rows<{ ahead: boolean }>(
      s.db,
      sql`select c.offsets = a.offsets as ahead from control.generation_progress c, control.generation_progress a
        where c.generation = (select generation from control.release where id = ${a.id})
          and a.generation = (select active_generation from control.registry)`,
    );
    expect(progress).toEqual([{ ahead: true }]);
  });

  it('stops the release where it comes to other roots, and changes nothing', async () => {
    const before = await a.built();
    await affected(s.db, sql`update src_orders.snapshot_row set unit_price = 1 where line = 'l5'`);
    await affected(
      s.db,
      sql`update control.release_partition set state = 'planned' where start_at = ${start}`,
    );
    await catalog.build?.run(
      {
        db: s.db,
        worker: 'w',
        log: { info() {}, error() {}, warn() {} } as never,
        stopping: () => false,
      },
      { release: a.id } as never,
    );
    expect(await s.w.state(a.release)).toBe('RECONCILIATION_REQUIRED');
    expect(
      await rows(s.db, sql`select trouble_step as step, trouble_code as code from control.release`),
    ).toEqual([{ step: 'build', code: 'RECEIPT_CONFLICT' }]);
    expect(await a.built()).toEqual(before);
  });

  it('is built again only by a decision with a reason, which then finds it right', async () => {
    await affected(
      s.db,
      sql`update src_orders.snapshot_row set unit_price = 100 where line = 'l5'`,
    );
    const before = await a.built();
    await s.w.move('ana', 'retry', a.release, {
      step: 'build',
      reason: 'the snapshot was repaired',
    });
    await s.w.work(a.release);
    expect(await s.w.state(a.release)).toBe('BUILDING');
    expect((await a.partitions()).map((p) => p.state)).toEqual([
      'built',
      'built',
      'built',
      'built',
    ]);
    expect(await a.built()).toEqual(before);
  });
});

it('the release is cut over with what was built, caught up and verified', async () => {
  await s.w.move('ana', 'rehearse', a.release);
  await s.w.work(a.release);
  await s.signed(a.release);
  await s.w.move('dee', 'activate', a.release);
  await s.expectAll('vat-fix-g2');
});
