import { sql } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { affected, type Database, one, rows } from '@/lib/db/client';
import { transaction } from '@/lib/db/transaction';
import { contaminationList } from '@/lib/queries/contaminations';
import { cutoverMarks } from '@/lib/queries/cutover-marks';
import { datasetPartitions } from '@/lib/queries/dataset-partitions';
import { datasetView } from '@/lib/queries/dataset-view';
import { verifyAudit } from '@/lib/services/audit/verify';
import { grantLease, readRows } from '@/lib/services/dataset';
import { addSubscriber } from '@/lib/services/notices';
import { findRelease } from '@/lib/services/release/load';
import { rollbackStep } from '@/lib/services/release/rollback-steps';
import { drilled } from '@/lib/testing/drill';
import { race } from '@/lib/testing/race';
import { refusalOf } from '@/lib/testing/refusal';
import { by, day, fix, idOf, moveAs, openShop, type Shop } from '@/lib/testing/shop';
import { as } from '@/lib/testing/world';
import { liftContamination, linkContamination, markContaminated } from './index';

let shop: Shop;
let release = '';

/** A release over the 4th to the 7th that is signed and ready to be cut over. */
beforeEach(async () => {
  shop = await openShop();
  release = await ready();
});
afterEach(() => shop.t.close());

async function ready(spec: Record<string, unknown> = {}): Promise<string> {
  const reference = await shop.w.rehearsed(fix(spec));
  await shop.w.reconciled(reference);
  await shop.w.sign(reference);
  return reference;
}

/** Marks January days of 2011, half-open. */
async function mark(
  from: number,
  to: number,
  repairedBy: string | null = null,
  db: Database = shop.t.db,
): Promise<string> {
  const made = await markContaminated(as(db, 'ana'), {
    dataset: 'order_tax',
    from: day(from, 0),
    to: day(to, 0),
    reason: 'served with the old rate',
    servedSince: '2011-01-09T00:00:00Z',
    repairedBy,
  });
  return made.id;
}
const lift = (id: string) =>
  liftContamination(as(shop.t.db, 'ana'), { id, reason: 'it was right' });

const activate = (db: Database = shop.t.db) =>
  moveAs(by(db, 'dee', ['oncall']), 'activate', release);
async function rollBack(reference = release): Promise<void> {
  await shop.w.move('dee', 'rollback', reference);
  await shop.w.work(reference);
  expect(await shop.w.state(reference)).toBe('ROLLED_BACK');
}

const standing = async () =>
  (await datasetView(shop.t.db, 'order_tax')).contaminated.map((m) => m.id);
const turns = async (id: string) =>
  (await contaminationList(shop.t.db, 'order_tax', { limit: 10 })).items
    .find((m) => m.id === id)
    ?.turns.map((t) => `${t.kind} ${t.release ?? t.reason} by ${t.by}`);
const read = (more: Record<string, unknown> = {}) =>
  readRows(as(shop.t.db, 'reader'), { dataset: 'order_tax', ...more });
const warned = async (more: Record<string, unknown> = {}) =>
  (await read(more)).warnings.map((w) => w.from.slice(8, 10));
const old = async () =>
  (
    await one<{ name: string }>(
      shop.t.db,
      sql`select g.name from control.release r join control.generation g on g.id = r.old_generation
        where r.name = 'vat-fix' order by r.id limit 1`,
    )
  ).name;

describe('the cutover of the release that repairs them', () => {
  it('lifts what lies within its range and is linked to its name, and nothing else', async () => {
    const inside = await mark(4, 6, 'vat-fix');
    const whole = await mark(4, 8, 'vat-fix');
    const unlinked = await mark(5, 6);
    const before = await mark(3, 4);
    expect((await cutoverMarks(shop.t.db, await idOf(shop.t.db, release))).standing).toMatchObject([
      { id: inside, becomes: 'lifted' },
      { id: whole, becomes: 'lifted' },
      { id: unlinked, becomes: 'unlinked' },
    ]);
    await activate();
    expect(await standing()).toEqual([before, unlinked]);
    expect(await turns(inside)).toEqual(['LIFTED vat-fix@1 by dee']);
    const audit = await one<{ lifted: string[] }>(
      shop.t.db,
      sql`select after -> 'contaminationsLifted' as lifted from control.audit_event
        where verb = 'release.activate' and outcome = 'done'`,
    );
    expect(audit.lifted).toEqual([inside, whole]);
    expect((await cutoverMarks(shop.t.db, await idOf(shop.t.db, release))).lifted).toMatchObject([
      { id: inside, putBackAt: null },
      { id: whole, putBackAt: null },
    ]);
    expect((await verifyAudit(shop.t.db)).ok).toBe(true);
  });

  it('leaves a linked mark that reaches out of its range, and it is said before', async () => {
    // linked while the draft said more than the revision that is cut over
    await shop.w.move('ana', 'abandon', release);
    await shop.w.work(release);
    const wide = await shop.w.draft(
      fix({
        targetGeneration: 'vat-fix-g3',
        range: { from: day(3, 0), to: day(8, 0) },
      }),
    );
    const id = await mark(3, 6, 'vat-fix');
    await shop.w.move('ana', 'abandon', wide);
    release = await ready({ targetGeneration: 'vat-fix-g4' });
    expect((await cutoverMarks(shop.t.db, await idOf(shop.t.db, release))).standing).toMatchObject([
      { id, becomes: 'outside' },
    ]);
    await activate();
    expect(await standing()).toEqual([id]);
    expect(await warned()).toEqual(['03']);
  });

  it('asked again lifts nothing twice', async () => {
    const id = await mark(4, 6, 'vat-fix');
    await activate();
    await activate();
    expect(await turns(id)).toHaveLength(1);
  });

  it('is over for a mark that is linked afterwards', async () => {
    await activate();
    const id = await mark(4, 6);
    const link = () => linkContamination(as(shop.t.db, 'ana'), { id, release: 'vat-fix' });
    expect(await refusalOf(link())).toMatchObject({ status: 409, codes: ['CUTOVER_OVER'] });
    expect(await refusalOf(mark(4, 6, 'vat-fix'))).toMatchObject({ codes: ['CUTOVER_OVER'] });
    // its next revision has a cutover to come
    await shop.w.draft(fix({ targetGeneration: 'vat-fix-g3' }));
    await link();
  });
});

describe('beside the cutover', () => {
  it('a mark that was first is lifted by it', async () => {
    const { first, second } = await race(
      shop.t.url,
      (db) => mark(4, 6, 'vat-fix', db),
      (db) => activate(db),
    );
    expect([first.status, second.status]).toEqual(['fulfilled', 'fulfilled']);
    expect(await standing()).toEqual([]);
  });

  it('a mark that was second finds the cutover over, or stands after it', async () => {
    const late = await race(
      shop.t.url,
      (db) => activate(db),
      (db) => mark(4, 6, null, db),
    );
    expect([late.first.status, late.second.status]).toEqual(['fulfilled', 'fulfilled']);
    expect(await standing()).toHaveLength(1);
    expect(await warned()).toEqual(['04']);
  });

  it('a link that was second is refused, and the mark stands whole', async () => {
    const id = await mark(4, 6);
    const { first, second } = await race(
      shop.t.url,
      (db) => activate(db),
      (db) => linkContamination(as(db, 'ana'), { id, release: 'vat-fix' }),
    );
    expect([first.status, second.status]).toEqual(['fulfilled', 'rejected']);
    expect(await turns(id)).toEqual([]);
    expect(await standing()).toEqual([id]);
  });
});

describe('the rollback', () => {
  it('puts back what the cutover lifted, with its name, and the next cutover lifts it again', async () => {
    const id = await mark(4, 6, 'vat-fix');
    await activate();
    expect(await warned()).toEqual([]);
    await rollBack();
    expect(await standing()).toEqual([id]);
    expect(await warned()).toEqual(['04']);
    expect(await turns(id)).toEqual(['LIFTED vat-fix@1 by dee', 'PUT_BACK vat-fix@1 by dee']);
    const { lifted } = await cutoverMarks(shop.t.db, await idOf(shop.t.db, release));
    expect(lifted[0]?.putBackAt).not.toBeNull();
    const audit = await one<{ back: string[] }>(
      shop.t.db,
      sql`select after -> 'contaminationsPutBack' as back from control.audit_event
        where verb = 'release.rolled-back'`,
    );
    expect(audit.back).toEqual([id]);
    release = await ready({ targetGeneration: 'vat-fix-g3' });
    await activate();
    expect(await standing()).toEqual([]);
    expect(await warned()).toEqual([]);
  });

  it('leaves what a person has lifted since, and what the cutover did not lift', async () => {
    const wrong = await mark(4, 5, 'vat-fix');
    const right = await mark(5, 6, 'vat-fix');
    const other = await mark(6, 7);
    await activate();
    await lift(wrong);
    await lift(other);
    await rollBack();
    expect(await standing()).toEqual([right]);
    expect(await turns(wrong)).toEqual(['LIFTED vat-fix@1 by dee', 'LIFTED it was right by ana']);
  });

  it('and lifting by hand wait for each other', async () => {
    const id = await mark(4, 6, 'vat-fix');
    await activate();
    await shop.w.move('dee', 'rollback', release);
    const found = await findRelease(shop.t.db, release);
    const { id: rollback } = await one<{ id: string }>(
      shop.t.db,
      sql`select id from control.rollback`,
    );
    // up to the seal, so that the next step is the switch back
    while (
      (await one<{ state: string }>(shop.t.db, sql`select state from control.rollback`)).state !==
      'sealed'
    ) {
      await rollbackStep(shop.t.db, rollback, found);
    }
    const { first, second } = await race(
      shop.t.url,
      (db) => liftContamination(as(db, 'ana'), { id, reason: 'it was right' }),
      (db) => rollbackStep(db, rollback, found),
    );
    expect([first.status, second.status]).toEqual(['fulfilled', 'fulfilled']);
    expect(await shop.w.state(release)).toBe('ROLLED_BACK');
    expect(await standing()).toEqual([]);
  });
});

describe('a drill', () => {
  it('lifts and puts back nothing, of production or of its own', async () => {
    const id = await mark(4, 6, 'vat-fix');
    await shop.w.move('ana', 'abandon', release);
    await shop.w.work(release);
    release = await shop.w.rehearsed(fix({ targetGeneration: 'vat-fix-g3' }));
    expect((await drilled(shop.w, release)).outcome).toBe('passed');
    expect(await standing()).toEqual([id]);
    expect(await rows(shop.t.db, sql`select 1 from control.contamination_turn`)).toEqual([]);
    expect(await warned()).toEqual(['04']);
  });
});

describe('readers', () => {
  it('are warned of the interval that they read, with why and who repairs it', async () => {
    await mark(4, 6, 'vat-fix');
    await mark(7, 8);
    expect((await read()).warnings).toEqual([
      {
        code: 'CONTAMINATED',
        from: day(4, 0),
        to: day(6, 0),
        reason: 'served with the old rate',
        servedSince: '2011-01-09T00:00:00Z',
        repairedBy: 'vat-fix',
      },
      expect.objectContaining({ from: day(7, 0), repairedBy: null }),
    ]);
    expect(await warned({ from: day(5), to: day(7, 0) })).toEqual(['04']);
    expect(await warned({ from: day(6, 0), to: day(7, 0) })).toEqual([]);
    expect(await warned({ to: day(4, 0) })).toEqual([]);
    expect(await warned({ from: day(7, 23) })).toEqual(['07']);
    // the second page speaks of the same interval as the first
    const { nextCursor } = await read({ from: day(2, 0), to: day(6, 0), limit: 1 });
    expect(await warned({ cursor: nextCursor, limit: 1 })).toEqual(['04']);
  });

  it('who stay on the old generation are warned after the cutover, those of the new one are not', async () => {
    await mark(4, 6, 'vat-fix');
    const lease = await grantLease(as(shop.t.db, 'reader'), { dataset: 'order_tax' });
    const session = shop.t.connect('tool', 1);
    await affected(session, sql`set role interlock_reader`);
    await one(session, sql`select read.pin('order_tax', interval '15 min')`);
    await activate();
    expect(await warned()).toEqual([]);
    expect(await warned({ generation: 'vat-fix-g2' })).toEqual([]);
    expect(await warned({ lease: lease.id })).toEqual(['04']);
    expect(await warned({ generation: await old() })).toEqual(['04']);
    const contaminated = (db: Database) =>
      rows(db, sql`select * from read.contaminated('order_tax')`);
    expect(await contaminated(session)).toEqual([
      {
        from: day(4, 0),
        to: day(6, 0),
        reason: 'served with the old rate',
        repaired_by: 'vat-fix',
      },
    ]);
    await one(session, sql`select read.unpin('order_tax')::text as done`);
    expect(await contaminated(session)).toEqual([]);
    const fresh = await one<{ lease: string }>(
      session,
      sql`select read.pin('order_tax', interval '15 min') as lease`,
    );
    await affected(session, sql`reset role`);
    await rollBack();
    // it goes on reading the repaired rows
    expect(await contaminated(session)).toEqual([]);
    expect(await warned({ lease: fresh.lease })).toEqual([]);
    expect(await warned()).toEqual(['04']);
  });

  it('of generations that came after are not warned of what was repaired before', async () => {
    await mark(4, 6, 'vat-fix');
    await activate();
    const next = await shop.w.rehearsed(
      fix({
        release: 'again',
        targetGeneration: 'again-g3',
        range: { from: day(7, 0), to: day(8, 0) },
        expectedDiff: [],
      }),
    );
    await shop.w.reconciled(next);
    await shop.w.sign(next);
    await shop.w.move('dee', 'activate', next);
    expect(await warned({ generation: 'again-g3' })).toEqual([]);
    expect(await warned({ generation: 'vat-fix-g2' })).toEqual([]);
    expect(await warned({ generation: await old() })).toEqual(['04']);
  });

  it('are warned by no generation once a person has lifted it', async () => {
    const id = await mark(4, 6, 'vat-fix');
    await activate();
    await lift(id);
    expect(await warned({ generation: await old() })).toEqual([]);
  });

  it('see of marks that function and nothing else', async () => {
    await mark(4, 6, 'vat-fix');
    const asReader = <T>(query: string) =>
      transaction(shop.t.db, async (tx) => {
        await tx.execute(sql`set local role interlock_reader`);
        return rows<T>(tx, sql.raw(query));
      });
    expect(await asReader(`select repaired_by from read.contaminated('order_tax')`)).toEqual([
      { repaired_by: 'vat-fix' },
    ]);
    expect(await asReader(`select * from read.contaminated('nothing')`)).toEqual([]);
    for (const query of [
      'select * from control.contamination',
      'select * from control.contamination_turn',
      'select * from control.contaminating(1)',
    ])
      await expect(asReader(query)).rejects.toThrow();
    const [made] = await rows<{ definer: boolean; config: string[]; volatility: string }>(
      shop.t.db,
      sql`select prosecdef as definer, proconfig as config, provolatile as volatility
        from pg_proc where oid = 'read.contaminated'::regproc`,
    );
    expect(made).toEqual({
      definer: true,
      config: ['search_path=pg_catalog, pg_temp'],
      volatility: 's',
    });
  });

  it('find the partitions flagged, of each generation by its own', async () => {
    await mark(4, 6, 'vat-fix');
    await activate();
    const flagged = async (column: string) => {
      const { id } = await one<{ id: string }>(
        shop.t.db,
        sql.raw(`select ${column} as id from control.release where name = 'vat-fix'`),
      );
      const found = await datasetPartitions(shop.t.db, id);
      return found.filter((p) => p.contaminated).map((p) => p.start.slice(8, 10));
    };
    expect(await flagged('old_generation')).toEqual(['04', '05']);
    expect(await flagged('generation')).toEqual([]);
  });
});

it('subscribers are told of each mark, of its lifting and of its coming back', async () => {
  await addSubscriber(as(shop.t.db, 'root'), {
    name: 'desk',
    url: 'https://example.org/notices',
    kinds: ['CONTAMINATED', 'CONTAMINATION_LIFTED', 'CONTAMINATION_PUT_BACK'],
  });
  const mended = await mark(4, 6, 'vat-fix');
  const other = await mark(6, 7);
  await activate();
  await rollBack();
  await lift(other);
  const told = await rows(
    shop.t.db,
    sql`select n.kind, n.subject, n.body ->> 'id' as id, n.body ->> 'release' as release,
        n.body ->> 'liftedBecause' as why
      from control.notice n join control.notice_delivery d on d.notice = n.id order by n.id`,
  );
  const of = (from: number, to: number) => `[${day(from, 0)}, ${day(to, 0)})`;
  const first = { id: mended, subject: of(4, 6), release: null, why: null };
  const second = { id: other, subject: of(6, 7), release: null, why: null };
  expect(told).toEqual([
    { ...first, kind: 'CONTAMINATED' },
    { ...second, kind: 'CONTAMINATED' },
    { ...first, kind: 'CONTAMINATION_LIFTED', release },
    { ...first, kind: 'CONTAMINATION_PUT_BACK', release },
    { ...second, kind: 'CONTAMINATION_LIFTED', why: 'it was right' },
  ]);
});
