import { sql } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { affected, rows } from '@/lib/db/client';
import { onStep, type StepName } from '@/lib/db/step';
import { Scenario } from '@/lib/faults/support/scenario';
import { amend, publish } from '@/lib/services/publication';
import { built, cutOver, openItems, priceRelease } from '@/lib/testing/items';
import { refusalOf } from '@/lib/testing/refusal';
import { day, fix, line } from '@/lib/testing/shop';
import { as } from '@/lib/testing/world';

let s: Scenario;
let release = '';
let revision = 1;
let stop = () => {};
beforeEach(async () => {
  s = await Scenario.open();
});
afterEach(async () => {
  stop();
  await s.t.close();
});

/** The 5th, in the middle of the range, and the 3rd, before it. */
const inside = [5, 6] as const;
const outside = [3, 4] as const;

/** A change, a newcomer, a goer and a move in and out of the 5th and of the 3rd. */
async function disturb(): Promise<void> {
  revision += 1;
  const odd = revision % 2 === 1;
  await s.write([
    line(5, { revision, price: `${revision}0.00` }),
    line(3, { revision, price: `${revision}.00` }),
    line(6, { revision, at: day(odd ? 6 : 5, 15) }),
    line(2, { revision, at: day(odd ? 2 : 3, 15) }),
    line(50, { revision, at: day(odd ? 5 : 7, 20), price: '9.99' }),
    line(51, { revision, at: day(5, 21), op: odd ? 'delete' : 'upsert' }),
  ]);
}

/** What people and the runner do, in order, and the state that it leads to. */
const way: readonly (readonly [leadsTo: string, does: () => Promise<unknown>])[] = [
  [
    'DRAFT',
    async () => {
      release = await s.w.draft(fix());
    },
  ],
  ['SNAPSHOT_PINNED', () => s.w.move('ana', 'pin', release)],
  ['BUILDING', () => s.w.move('ana', 'build', release)],
  ['BUILDING, built', () => s.w.work(release)],
  [
    'BUILDING, rehearsed',
    async () => {
      await s.w.move('ana', 'rehearse', release);
      await s.w.work(release);
    },
  ],
  ['INGRESS_SEALED', () => s.w.move('dee', 'seal', release)],
  ['RECONCILED', () => s.w.work(release)],
  ['APPROVED', () => s.w.sign(release)],
  ['ACTIVE', () => s.w.move('dee', 'activate', release)],
  ['ACTIVE, rolling back', () => s.w.move('dee', 'rollback', release)],
  ['ROLLED_BACK', () => s.w.work(release)],
];
const waits = ['BUILDING, rehearsed', 'INGRESS_SEALED', 'RECONCILED', 'APPROVED'];

/** Does what leads from one state of the way up to another one, with events at every step. */
async function go(from: string | null, to: string): Promise<void> {
  const states = way.map(([state]) => state);
  for (const [, does] of way.slice(states.indexOf(from ?? '') + 1, states.indexOf(to) + 1)) {
    await does();
    await disturb();
    await s.expectServed();
  }
  expect(await s.w.state(release)).toBe(to.replace(/,.*/, ''));
}

interface Figures {
  rows: string;
  net: string | null;
  tax: string | null;
}

interface Correction {
  start: string;
  kind: string;
  before: Figures;
  after: Figures;
}

const corrections = () =>
  rows<Correction>(
    s.db,
    sql`select start_at as start, kind,
        json_build_object('rows', rows_before::text, 'net', sums_before ->> 'net',
          'tax', partials_before ->> 'tax') as before,
        json_build_object('rows', rows_after::text, 'net', sums_after ->> 'net',
          'tax', partials_after ->> 'tax') as after
      from control.correction order by id`,
  );

const hundredths = (text: string | null) => Math.round(Number(text ?? 0) * 1000);
const asText = (n: number, digits: number) => (n / 1000).toFixed(digits);

/** Figures of rows that the ledger came to. */
function figuresOf(list: readonly string[]): Figures {
  if (list.length === 0) return { rows: '0', net: null, tax: null };
  const sum = (column: number) =>
    list.reduce((total, row) => total + hundredths(row.split(' ')[column] ?? null), 0);
  return { rows: String(list.length), net: asText(sum(3), 3), tax: asText(sum(4), 2) };
}

/**
 * Of each published day: what was published, and every correction after it from where the last one
 * ended; once it was amended, they add up to what the events come to now.
 */
async function expectAddsUp(): Promise<void> {
  const { generation, progress } = await s.expectServed();
  for (const [name, published] of s.published) {
    const partition = `${name}T00:00:00Z`;
    await amend(as(s.db, 'ana'), { dataset: 'order_tax', partition, reason: 'what is it now?' });
    const chain = (await corrections()).filter(({ start }) => start === partition);
    let last = figuresOf(published);
    for (const { before, after } of chain) {
      expect(before).toEqual(last);
      last = after;
    }
    expect(last).toEqual(figuresOf(s.rowsOf(name, generation, progress)));
  }
}

const kindsOf = async (n: number) =>
  (await corrections()).filter(({ start }) => start === day(n, 0)).map(({ kind }) => kind);

describe('a partition that is published', () => {
  it.each(['DRAFT', 'SNAPSHOT_PINNED', 'BUILDING', 'BUILDING, built'])(
    'in %s is served unchanged through cutover and rollback',
    async (state) => {
      await go(null, state);
      await s.publish(...inside);
      await s.publish(...outside);
      const { looks } = await s.watching(async () => {
        await go(state, 'ACTIVE');
        await s.expectServed('vat-fix-g2');
        expect([await kindsOf(5), await kindsOf(3)]).toEqual([['cutover'], []]);
        await expectAddsUp();
        await go('ACTIVE', 'ROLLED_BACK');
        await s.w.live();
        await s.expectServed('order_tax-g1');
        expect(await kindsOf(5)).toEqual(['cutover', 'amend', 'rollback']);
        await expectAddsUp();
      });
      expect(looks).toBeGreaterThan(0);
    },
  );

  it.each(waits)('in %s has to wait, and only in the range', async (state) => {
    await go(null, state);
    const refused = await refusalOf(s.publish(...inside));
    expect(refused.codes).toEqual(['RELEASE_OVERLAP']);
    await s.publish(...outside);
    await go(state, 'ACTIVE');
    await s.w.live();
    await s.publish(...inside);
    await disturb();
    await expectAddsUp();
    expect(await kindsOf(3)).toEqual(['amend']);
  });

  it('in ACTIVE keeps the new figures through the rollback', async () => {
    await go(null, 'ACTIVE');
    await s.publish(...inside);
    await s.publish(...outside);
    await go('ACTIVE', 'ROLLED_BACK');
    await s.w.live();
    await s.expectServed('order_tax-g1');
    expect([await kindsOf(5), await kindsOf(3)]).toEqual([['rollback'], []]);
    await expectAddsUp();
  });

  it.each<StepName>(['rollback.batch-before-commit', 'rollback.sealed', 'rollback.committed'])(
    'at the step %s of a rollback is served by it as it was published',
    async (step) => {
      await go(null, 'ACTIVE');
      // more than a rollback leaves to its tail, so that it replays before it seals
      await s.write(
        Array.from({ length: 501 }, (_, i) => line(7, { revision: i + 50, price: `${i}.00` })),
      );
      await s.w.move('dee', 'rollback', release);
      let published: Promise<void> | null = null;
      stop = onStep(async (reached) => {
        if (reached !== step || published !== null) return;
        published = s.publish(...inside);
        // under the dataset's lock nobody publishes: it comes when the step has committed
        if (!step.endsWith('before-commit')) await published;
      });
      await s.w.work(release);
      expect(published).not.toBeNull();
      await published;
      await disturb();
      await s.w.live();
      await s.expectAll('order_tax-g1');
      await expectAddsUp();
      const wanted = step === 'rollback.committed' ? ['amend'] : ['rollback', 'amend'];
      expect(await kindsOf(5)).toEqual(wanted);
    },
  );

  it('after a rollback, and after a release was retired, is served as it was then', async () => {
    await go(null, 'ROLLED_BACK');
    await s.publish(...inside);
    await disturb();
    await affected(
      s.db,
      sql`update control.generation set kept_until = clock_timestamp() - interval '1 second'
        where state = 'kept'`,
    );
    await s.w.work(release);
    await s.publish(...outside);
    await disturb();
    await s.expectAll('order_tax-g1');
    await expectAddsUp();
  });
});

it('a set that moved after it was signed is not cut over, however it came to move', async () => {
  await go(null, 'APPROVED');
  // as a door would that does not know of the wait
  await affected(
    s.db,
    sql`with said as (
        insert into control.publication (dataset, range_from, range_to, sent_to, "by")
        values ('order_tax', ${day(5, 0)}, ${day(6, 0)}, 'nobody', 'ana') returning id
      )
      insert into control.published_partition (dataset, start_at, end_at, publication, generation,
        segment, transform, progress, rows, sums, partials, root)
      select 'order_tax', s.start_at, s.end_at, said.id, g.active_generation, s.segment,
        r.transform, p.offsets, s.rows, s.sums, s.partials, coalesce(s.root, sha256(''))
      from said, control.registry g
      join control.generation_range r on r.generation = g.active_generation
      join control.segment_partition s on s.segment = r.segment and r.span @> s.start_at
      join control.generation_progress p on p.generation = g.active_generation
      where s.start_at = ${day(5, 0)}::timestamptz`,
  );
  const refused = await refusalOf(s.w.move('dee', 'activate', release));
  expect(refused.codes).toEqual(['EVIDENCE_MOVED']);
  // sealed and reconciled anew, the evidence has it, and the cutover goes through
  await s.w.move('dee', 'reopen', release);
  await s.signed(release);
  await s.w.move('dee', 'activate', release);
  const kept = await rows(
    s.db,
    sql`select parts #>> '{sealedPartitions,0,start}' as start from control.evidence order by at desc limit 1`,
  );
  expect(kept).toEqual([{ start: day(5, 0) }]);
  expect(await kindsOf(5)).toEqual(['cutover']);
});

it('an event is pending also where it leads to what was published under the transform before', async () => {
  const shop = await openItems({ rollups: [{ metric: 'total', sql: 'sum(value)' }] });
  const { db } = shop.t;
  try {
    await shop.append([{ id: 'a', code: 'A', value: '10' }]);
    await shop.w.live('prices');
    const dataset = 'prices';
    await publish(as(db, 'ana'), { dataset, from: day(5, 0), to: day(6, 0) });
    const spec = priceRelease('ten', 'select code, at, value * 10 as value from source', {
      expectedDiff: [{ rule: 'ten', where: 'true', columns: ['value'] }],
    });
    await cutOver(shop.w, await built(shop.w, spec));
    await shop.append([{ id: 'a', code: 'A', value: '1', revision: 2 }]);
    await shop.w.live('prices');
    // it would be 10 and was last said to be 100, though 10 is what is served
    const pending = sql`select source_key as id, values[3] as value from control.pending_correction`;
    expect(await rows(db, pending)).toEqual([{ id: 'a', value: '10' }]);
    const partition = day(5, 0);
    const { before, after } = await amend(as(db, 'ana'), { dataset, partition, reason: 'late' });
    expect(before.root).not.toBe(after.root);
  } finally {
    await shop.t.close();
  }
});
