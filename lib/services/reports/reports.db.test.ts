import { sql } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { affected, one, rows } from '@/lib/db/client';
import { savedReports, shadowOf } from '@/lib/queries/reports';
import { releaseStamp } from '@/lib/queries/stamp';
import { verifyAudit } from '@/lib/services/audit/verify';
import { race } from '@/lib/testing/race';
import { lastAudit, refusalOf } from '@/lib/testing/refusal';
import { fix, openShop, type Shop } from '@/lib/testing/shop';
import { as, type Person } from '@/lib/testing/world';
import { askShadowReads, endReport, readDue, readInShadow, saveReport } from './index';

let shop: Shop;
beforeEach(async () => {
  shop = await openShop();
});
afterEach(() => shop.t.close());

const byDay = `select date_trunc('day', invoiced_at, 'Europe/London') as day, sum(tax) as tax
  from order_tax group by 1`;
const count = 'select count(*) as lines from order_tax';

const save = (
  name: string,
  text: string,
  more: Record<string, unknown> = {},
  person: Person = 'ana',
) => saveReport(as(shop.t.db, person), { dataset: 'order_tax', name, sql: text, ...more });
const ask = (release: string, reports?: string[], person: Person = 'ana') =>
  askShadowReads(as(shop.t.db, person), { release, reports });
/** Makes what was asked for, as a runner does. */
async function make(asked: readonly string[]): Promise<void> {
  for (const id of asked) await readInShadow(shop.t.db, id);
}
const registry = () =>
  one(
    shop.t.db,
    sql`select active_generation, epoch, state from control.registry where dataset = 'order_tax'`,
  );

describe('a report', () => {
  it('is checked, saved, and saved anew under its name', async () => {
    const { id } = await save('VAT by day', byDay);
    expect(await savedReports(shop.t.db, 'order_tax')).toEqual([
      {
        id,
        dataset: 'order_tax',
        name: 'VAT by day',
        sql: byDay,
        digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
        limitSeconds: 30,
        madeBy: 'ana',
        madeAt: expect.stringMatching(/Z$/),
        endedAt: null,
      },
    ]);
    const again = await save('VAT by day', count, { limitSeconds: 5 });
    expect(await savedReports(shop.t.db, 'order_tax')).toMatchObject([
      { id: again.id, sql: count, limitSeconds: 5 },
    ]);
    expect(await lastAudit(shop.t.db)).toMatchObject({ verb: 'report.save', outcome: 'done' });
    expect((await refusalOf(endReport(as(shop.t.db, 'ana'), { id }))).codes).toEqual([
      'REPORT_ENDED',
    ]);
    await endReport(as(shop.t.db, 'dee'), { id: again.id });
    expect(await savedReports(shop.t.db, 'order_tax')).toEqual([]);
    expect((await verifyAudit(shop.t.db)).ok).toBe(true);
  });

  it('is refused with line and column, also by what only PostgreSQL knows', async () => {
    await expect(save('x', 'select tax,\n  nothing from order_tax')).rejects.toMatchObject({
      issues: [{ pointer: '/sql', line: 2, column: 3 }],
    });
    expect((await refusalOf(save('x', 'select tax from order_tax group by line'))).code).toBe(
      'TRANSFORM_INVALID',
    );
    expect((await refusalOf(save('x', 'select * from control.token'))).code).toBe(
      'TRANSFORM_INVALID',
    );
    expect((await refusalOf(save(' ', count))).code).toBe('INVALID_NAME');
    expect((await refusalOf(save('x', count, { limitSeconds: 0 }))).code).toBe('INVALID_INPUT');
    expect((await refusalOf(save('x', count, { dataset: 'nothing' }))).code).toBe('NOT_FOUND');
    expect(await savedReports(shop.t.db, 'order_tax')).toEqual([]);
  });

  it('is saved, ended and read by who may', async () => {
    const { id } = await save('lines', count);
    for (const person of ['bo', 'eve', 'root', 'reader'] as const) {
      expect((await refusalOf(save('y', count, {}, person))).code).toBe('FORBIDDEN');
      const end = endReport(as(shop.t.db, person), { id });
      expect((await refusalOf(end)).code).toBe('FORBIDDEN');
    }
    for (const person of ['eve', 'root', 'reader'] as const) {
      expect((await refusalOf(ask('vat-fix@1', undefined, person))).code).toBe('FORBIDDEN');
    }
  });

  it('saved twice at once under one name is there once', async () => {
    const by = (text: string) => (db: Shop['t']['db']) =>
      saveReport(as(db, 'ana'), { dataset: 'order_tax', name: 'one', sql: text });
    const { first, second } = await race(shop.t.url, by(count), by(byDay));
    expect([first.status, second.status]).toEqual(['fulfilled', 'fulfilled']);
    expect(await savedReports(shop.t.db, 'order_tax')).toMatchObject([{ name: 'one', sql: byDay }]);
  });
});

describe('read in shadow', () => {
  it('says row by row what differs, and moves nothing', async () => {
    await save('VAT by day', byDay);
    await save('lines', count);
    const release = await shop.w.rehearsed(fix());
    const before = await registry();
    const { stamp } = await releaseStamp(shop.t.db, release);
    const { asked } = await ask(release, undefined, 'bo');
    expect(asked).toHaveLength(2);
    expect(await shadowOf(shop.t.db, release)).toMatchObject([
      { report: { name: 'VAT by day' }, read: { state: 'ASKED', askedBy: 'bo', compared: null } },
      { report: { name: 'lines' }, read: { state: 'ASKED' } },
    ]);
    await make(asked);
    const [vat, lines] = await shadowOf(shop.t.db, release);
    expect(lines?.read).toMatchObject({
      state: 'COMPARED',
      compared: { differing: '0', sample: [] },
    });
    expect(lines?.read?.compared?.old.root).toBe(lines?.read?.compared?.new.root);
    const compared = vat?.read?.compared;
    expect(compared).toMatchObject({ columns: ['day', 'tax'], eventsApart: '0' });
    expect(compared?.old.rows).toBe(compared?.new.rows);
    expect(compared?.old.root).not.toBe(compared?.new.root);
    // what readers of the generation in use get is the old side, and the range alone differs
    const served = await rows<{ values: string[] }>(
      shop.t.db,
      sql`select array[day::text, tax::text] as values from (
        select date_trunc('day', invoiced_at, 'Europe/London') as day, sum(tax) as tax
        from read.order_tax group by 1) s order by 1`,
    );
    const texts = served.map(({ values }) => values);
    const differing = compared?.sample.map((each) => each.old) ?? [];
    expect(differing.length).toBe(Number(compared?.differing));
    expect(differing.length).toBeGreaterThan(0);
    expect(differing.length).toBeLessThan(texts.length);
    for (const row of differing) expect(texts).toContainEqual(row);
    expect(await registry()).toEqual(before);
    expect((await releaseStamp(shop.t.db, release)).stamp).not.toBe(stamp);
  });

  it('reads what the candidate will serve', async () => {
    const { id } = await save('VAT by day', byDay);
    const release = await shop.w.rehearsed(fix());
    await make((await ask(release, [id])).asked);
    const [{ read } = { read: null }] = await shadowOf(shop.t.db, release);
    await shop.w.reconciled(release);
    await shop.w.sign(release);
    await shop.w.move('dee', 'activate', release);
    const served = await rows<{ values: string[] }>(
      shop.t.db,
      sql`select array[day::text, tax::text] as values from (
        select date_trunc('day', invoiced_at, 'Europe/London') as day, sum(tax) as tax
        from read.order_tax group by 1) s`,
    );
    for (const { new: row } of read?.compared?.sample ?? []) {
      expect(served.map(({ values }) => values)).toContainEqual(row);
    }
    // and afterwards, while the old one is kept, the same
    await make((await ask(release)).asked);
    const [after] = await shadowOf(shop.t.db, release);
    expect(after?.read?.compared?.new.root).toBe(read?.compared?.new.root);
    expect(after?.read?.compared?.old.root).toBe(read?.compared?.old.root);
  });

  it('is refused where there is nothing to read, with every reason', async () => {
    const draft = await shop.w.draft(fix());
    expect((await refusalOf(ask(draft))).codes).toEqual(['WRONG_STATE', 'NO_REPORTS']);
    await shop.w.move('ana', 'pin', draft);
    await shop.w.work(draft);
    expect((await refusalOf(ask(draft))).codes).toEqual(['PARTITIONS_MISSING', 'NO_REPORTS']);
    expect((await refusalOf(ask(draft, ['999']))).code).toBe('NOT_FOUND');
    expect((await refusalOf(ask('nothing@1'))).code).toBe('NOT_FOUND');
    expect(await rows(shop.t.db, sql`select 1 from control.shadow_read`)).toEqual([]);
  });

  it('is asked for once while it waits, and made once', async () => {
    await save('lines', count);
    const release = await shop.w.rehearsed(fix());
    const { asked } = await ask(release);
    expect((await ask(release)).asked).toEqual([]);
    await Promise.all([make(asked), make(asked), make(asked)]);
    const { attempt } = await one<{ attempt: number }>(
      shop.t.db,
      sql`select attempt from control.shadow_read`,
    );
    expect(attempt).toBe(1);
    expect((await ask(release)).asked).toHaveLength(1);
  });

  it('that runs into its limit says so, and nothing is compared', async () => {
    const slow = `with a as (select line, 1 as one from order_tax)
      select count(*) as n from a where one / 1 = 1`;
    await save('slow', slow, { limitSeconds: 1 });
    const release = await shop.w.rehearsed(fix());
    const { asked } = await ask(release);
    // another session holds the rows' table, as maintenance does: the reading waits
    const holder = shop.t.connect('tool', 1);
    let release_ = () => {};
    const held = new Promise<void>((resolve) => {
      release_ = resolve;
    });
    const ready = new Promise<void>((resolve) => {
      void holder.transaction(async (tx) => {
        await tx.execute(sql`lock table ds_order_tax.rows in access exclusive mode`);
        resolve();
        await held;
      });
    });
    await ready;
    await make(asked);
    release_();
    const [{ read } = { read: null }] = await shadowOf(shop.t.db, release);
    expect(read).toMatchObject({ state: 'STOPPED', compared: null });
    expect(read?.why).toBe('It ran into its limit of 1 s on order_tax-g1.');
  });

  it('that divides by zero says what PostgreSQL said', async () => {
    await save('ratio', 'select count(*) / (count(*) - count(*)) as r from order_tax');
    const release = await shop.w.rehearsed(fix());
    await make((await ask(release)).asked);
    const [{ read } = { read: null }] = await shadowOf(shop.t.db, release);
    expect(read?.why).toBe('PostgreSQL says on order_tax-g1: division by zero.');
  });

  it('that comes to too much is not carried out of the database', async () => {
    await save('wide', `select line, repeat(repeat(line, 2000), 1000) as wide from order_tax`);
    const release = await shop.w.rehearsed(fix());
    await make((await ask(release)).asked);
    const [{ read } = { read: null }] = await shadowOf(shop.t.db, release);
    expect(read?.why).toBe('It comes to more than 16 MB on order_tax-g1; sum it up.');
  });

  it('survives the death of whoever made it', async () => {
    await save('lines', count);
    const release = await shop.w.rehearsed(fix());
    const { asked } = await ask(release);
    // claimed by a process that is gone
    await affected(
      shop.t.db,
      sql`update control.shadow_read set state = 'READING', attempt = 1, started_at = clock_timestamp(),
        lease_until = clock_timestamp() + interval '1 minute'`,
    );
    await make(asked);
    expect((await shadowOf(shop.t.db, release))[0]?.read?.state).toBe('READING');
    await affected(
      shop.t.db,
      sql`update control.shadow_read set lease_until = clock_timestamp() - interval '1 second'`,
    );
    await readDue(shop.t.db, () => true);
    expect((await shadowOf(shop.t.db, release))[0]?.read?.state).toBe('READING');
    await readDue(shop.t.db, () => false);
    expect((await shadowOf(shop.t.db, release))[0]?.read?.state).toBe('COMPARED');
  });

  it('says how far apart the two were', async () => {
    await save('lines', count);
    const release = await shop.w.rehearsed(fix());
    await affected(
      shop.t.db,
      sql`update control.generation_progress p set offsets[1] = offsets[1] - 2
        from control.release r where r.generation = p.generation`,
    );
    await make((await ask(release)).asked);
    expect((await shadowOf(shop.t.db, release))[0]?.read?.compared?.eventsApart).toBe('2');
  });
});
