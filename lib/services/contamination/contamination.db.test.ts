import { sql } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Database, one, rows } from '@/lib/db/client';
import { contaminationList } from '@/lib/queries/contaminations';
import { datasetView } from '@/lib/queries/dataset-view';
import { verifyAudit } from '@/lib/services/audit/verify';
import { race } from '@/lib/testing/race';
import { lastAudit, refusalOf, refusedIn } from '@/lib/testing/refusal';
import { day, fix, openShop, type Shop } from '@/lib/testing/shop';
import { as, type Person } from '@/lib/testing/world';
import { liftContamination, linkContamination, markContaminated } from './index';

let shop: Shop;
beforeEach(async () => {
  shop = await openShop();
});
afterEach(() => shop.t.close());

/** January days of 2011, half-open. */
const days = (from: number, to: number) => ({ from: day(from, 0), to: day(to, 0) });
const mark = (
  from: number,
  to: number,
  more: Record<string, unknown> = {},
  db: Database = shop.t.db,
  person: Person = 'ana',
) =>
  markContaminated(as(db, person), {
    dataset: 'order_tax',
    ...days(from, to),
    reason: 'served with the old rate',
    ...more,
  });
const link = (id: string, release: string, person: Person = 'ana') =>
  linkContamination(as(shop.t.db, person), { id, release });
const lift = (id: string, reason = 'it was right', person: Person = 'ana') =>
  liftContamination(as(shop.t.db, person), { id, reason });
const standing = async () =>
  (await datasetView(shop.t.db, 'order_tax')).contaminated.map((m) => m.id);

describe('a mark', () => {
  it('stands from the moment that it is made, with who, why and since when', async () => {
    const { id } = await mark(4, 6, { servedSince: '2011-01-05T10:00:00+01:00' }, undefined, 'dee');
    const { contaminated } = await datasetView(shop.t.db, 'order_tax');
    expect(contaminated).toEqual([
      {
        id,
        ...days(4, 6),
        reason: 'served with the old rate',
        servedSince: '2011-01-05T09:00:00Z',
        markedBy: 'dee',
        markedAt: expect.stringMatching(/Z$/),
        repairedBy: null,
      },
    ]);
    expect(await lastAudit(shop.t.db)).toMatchObject({
      actor: 'dee',
      verb: 'dataset.mark-contaminated',
      subject: 'order_tax',
      outcome: 'done',
    });
    expect((await verifyAudit(shop.t.db)).ok).toBe(true);
  });

  it('lies on partition edges, has two ends and a reason', async () => {
    const code = async (more: Record<string, unknown>) => (await refusalOf(mark(4, 6, more))).code;
    expect(await code({ to: day(6, 1) })).toBe('RANGE_NOT_ON_PARTITION_EDGE');
    expect(await code({ to: day(4, 0) })).toBe('EMPTY_RANGE');
    expect(await code({ to: day(3, 0) })).toBe('EMPTY_RANGE');
    expect(await code({ to: 'open' })).toBe('INVALID_INPUT');
    expect(await code({ to: undefined })).toBe('REQUIRED');
    expect(await code({ reason: '  ' })).toBe('INVALID_INPUT');
    expect(await code({ servedSince: '2011-01-05' })).toBe('AMBIGUOUS_TIME');
    expect(await code({ dataset: 'nothing' })).toBe('NOT_FOUND');
    expect(await standing()).toEqual([]);
  });

  it('is made, linked and lifted by owners and on-call, and by nobody else', async () => {
    const { id } = await mark(4, 6);
    for (const person of ['bo', 'eve', 'root', 'feed', 'reader'] as const) {
      for (const call of [
        () => mark(4, 6, {}, undefined, person),
        () => link(id, 'vat-fix', person),
        () => lift(id, 'no', person),
      ]) {
        expect([person, (await refusalOf(call())).code]).toEqual([person, 'FORBIDDEN']);
      }
    }
    expect(await standing()).toEqual([id]);
  });

  it('and what became of it can be added to, never changed', async () => {
    const { id } = await mark(4, 6);
    await lift(id);
    for (const table of ['contamination', 'contamination_turn']) {
      for (const statement of [
        `delete from control.${table}`,
        `update control.${table} set "by" = 'x'`,
        `truncate control.${table} cascade`,
      ])
        await expect(shop.t.db.execute(sql.raw(statement))).rejects.toThrow();
    }
  });
});

describe('a link', () => {
  it('names a release of the dataset, all its revisions, and the newest counts', async () => {
    await shop.w.draft(fix());
    await shop.w.draft(fix({ release: 'other-fix', targetGeneration: 'other' }));
    const { id } = await mark(4, 6, { repairedBy: 'vat-fix' });
    const repairedBy = async () =>
      (await datasetView(shop.t.db, 'order_tax')).contaminated[0]?.repairedBy;
    expect(await repairedBy()).toBe('vat-fix');
    await link(id, 'other-fix@1', 'dee');
    expect(await repairedBy()).toBe('other-fix');
    const { items } = await contaminationList(shop.t.db, 'order_tax', { limit: 10 });
    expect(items[0]).toMatchObject({
      repairing: { release: 'other-fix@1', state: 'DRAFT' },
      turns: [{ kind: 'LINKED', by: 'dee', release: 'other-fix', reason: null }],
    });
    expect(await lastAudit(shop.t.db)).toMatchObject({
      verb: 'dataset.link-contamination',
      subject: `contamination ${id}`,
    });
  });

  it('survives a rejected revision', async () => {
    const first = await shop.w.rehearsed(fix());
    const { id } = await mark(4, 6, { repairedBy: first });
    await shop.w.reconciled(first);
    await shop.w.move('bo', 'reject', first, { comment: 'not yet' });
    await shop.w.draft(fix({ targetGeneration: 'vat-fix-g3' }));
    const { items } = await contaminationList(shop.t.db, 'order_tax', { limit: 10 });
    expect(items).toMatchObject([
      { id, standing: true, repairedBy: 'vat-fix', repairing: { release: 'vat-fix@2' } },
    ]);
  });

  it('is refused where the release cannot repair it, and nothing is recorded', async () => {
    await shop.w.draft(fix());
    const outside = await mark(3, 6);
    expect(await refusalOf(link(outside.id, 'vat-fix'))).toMatchObject({
      status: 409,
      codes: ['RANGE_NOT_COVERED'],
    });
    expect(await refusalOf(mark(3, 6, { repairedBy: 'vat-fix' }))).toMatchObject({
      codes: ['RANGE_NOT_COVERED'],
    });
    expect(await refusalOf(link(outside.id, 'nothing'))).toMatchObject({ code: 'NOT_FOUND' });
    expect(await refusalOf(link(outside.id, 'vat-fix@7'))).toMatchObject({ code: 'NOT_FOUND' });
    expect(await refusalOf(link(outside.id, 'No Name'))).toMatchObject({ code: 'INVALID_NAME' });
    expect(await refusalOf(link('999', 'vat-fix'))).toMatchObject({ code: 'NOT_FOUND' });
    expect(await refusalOf(link('1 or 1', 'vat-fix'))).toMatchObject({ code: 'NOT_FOUND' });
    expect(await rows(shop.t.db, sql`select 1 from control.contamination_turn`)).toEqual([]);
    expect(await standing()).toEqual([outside.id]);
  });

  it('is refused to a release of another dataset', async () => {
    const { t } = shop;
    const { id } = await mark(4, 6);
    await t.db.execute(sql`
      insert into control.dataset select (jsonb_populate_record(d, '{"name": "elsewhere"}')).*
      from control.dataset d where name = 'order_tax'`);
    await t.db.execute(sql`
      insert into control.release (name, revision, dataset, spec, created_by)
      values ('else-fix', 1, 'elsewhere', '{}', 'ana')`);
    expect(await refusalOf(link(id, 'else-fix'))).toMatchObject({ codes: ['OTHER_DATASET'] });
  });
});

describe('lifting by hand', () => {
  it('is for good, with its reason, and is done once', async () => {
    const { id } = await mark(4, 6);
    expect((await refusalOf(lift(id, ' '))).code).toBe('INVALID_INPUT');
    await lift(id, 'the rate was right', 'dee');
    expect(await standing()).toEqual([]);
    expect((await refusalOf(lift(id))).codes).toEqual(['CONTAMINATION_LIFTED']);
    expect((await refusalOf(link(id, 'vat-fix'))).codes).toEqual(['CONTAMINATION_LIFTED']);
    const list = (is?: boolean) =>
      contaminationList(shop.t.db, 'order_tax', { limit: 10, standing: is });
    expect((await list(true)).items).toEqual([]);
    expect((await list(false)).items).toMatchObject([
      {
        id,
        standing: false,
        turns: [{ kind: 'LIFTED', by: 'dee', release: null, reason: 'the rate was right' }],
      },
    ]);
    expect((await list()).items).toHaveLength(1);
  });

  it('at the same time by two is done by one', async () => {
    const { id } = await mark(4, 6);
    const by = (person: Person) => (db: Database) =>
      liftContamination(as(db, person), { id, reason: `says ${person}` });
    const { first, second } = await race(shop.t.url, by('ana'), by('dee'));
    expect(first.status).toBe('fulfilled');
    expect((await refusedIn(second)).codes).toEqual(['CONTAMINATION_LIFTED']);
    const { turns } = await one<{ turns: number }>(
      shop.t.db,
      sql`select count(*)::int as turns from control.contamination_turn`,
    );
    expect(turns).toBe(1);
  });
});

it('marks are listed newest first, page by page', async () => {
  const made = [await mark(2, 3), await mark(4, 5), await mark(6, 7)].map(({ id }) => id);
  const first = await contaminationList(shop.t.db, 'order_tax', { limit: 2 });
  expect(first.items.map((m) => m.id)).toEqual([made[2], made[1]]);
  const rest = await contaminationList(shop.t.db, 'order_tax', {
    limit: 2,
    cursor: first.nextCursor ?? undefined,
  });
  expect([rest.items.map((m) => m.id), rest.nextCursor]).toEqual([[made[0]], null]);
});
