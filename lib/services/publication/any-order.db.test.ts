import { sql } from 'drizzle-orm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Database, one, rows } from '@/lib/db/client';
import { applyLive } from '@/lib/services/apply/apply-live';
import { blockersOf, findRelease } from '@/lib/services/release';
import {
  activeGeneration,
  generationState,
  type Item,
  openItems,
  priceRelease,
} from '@/lib/testing/items';
import { expectedState, factsOf, type Model, type Transform } from '@/lib/testing/model';
import { as } from '@/lib/testing/world';
import { amend, publish } from './index';

const range = { from: '2011-01-05T00:00:00Z', to: '2011-01-07T00:00:00Z' };
const start = (day: number) => `2011-01-0${day}T00:00:00Z`;
const noon = (day: number) => `2011-01-0${day}T12:00:00Z`;
const old: Transform = ({ code, at, value }) =>
  value === '0' ? 'error' : { code, at: at ?? null, value: Number(value) };
const next: Transform = ({ code, at, value }) =>
  value === '0' ? 'error' : { code, at: at ?? null, value: Number(value) * 10 };
const oldSql = 'select code, at, value + 0 / value as value from source';
const newSql = 'select code, at, value * 10 + 0 / value as value from source';

const whole: Model = {
  map: [{ from: null, to: null, transform: 'old', kept: true }],
  transforms: { old },
};
const released: Model = {
  map: [
    { from: null, to: range.from, transform: 'old', kept: true },
    { ...range, transform: 'new', kept: true },
    { from: range.to, to: null, transform: 'old', kept: true },
  ],
  transforms: { old, new: next },
};

const event = fc.record({
  id: fc.integer({ min: 0, max: 7 }).map((n) => `s${n}`),
  code: fc.constantFrom('A', 'B', 'C', 'D', 'E', 'F', 'G', 'H'),
  day: fc.integer({ min: 3, max: 8 }),
  value: fc.constantFrom('0', '1', '2', '3', '4'),
  op: fc.oneof(
    { weight: 5, arbitrary: fc.constant('upsert' as const) },
    { weight: 1, arbitrary: fc.constant('delete' as const) },
  ),
});
type Draft = typeof event extends fc.Arbitrary<infer T> ? T : never;
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ append: fc.array(event, { minLength: 1, maxLength: 5 }) }) },
  { weight: 3, arbitrary: fc.record({ live: fc.integer({ min: 1, max: 3 }) }) },
  { weight: 1, arbitrary: fc.record({ publish: fc.integer({ min: 3, max: 8 }) }) },
  { weight: 1, arbitrary: fc.record({ amend: fc.integer({ min: 3, max: 8 }) }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** One shop, its log, and what was served of each day when it was published. */
class Story {
  readonly shop: Awaited<ReturnType<typeof openItems>>;
  readonly events: Item[] = [];
  readonly #revisions = new Map<string, number>();
  readonly published = new Map<number, string[]>();

  constructor(
    shop: Awaited<ReturnType<typeof openItems>>,
    readonly colliding = true,
  ) {
    this.shop = shop;
  }

  get db(): Database {
    return this.shop.t.db;
  }

  async run(steps: readonly Step[]): Promise<void> {
    for (const each of steps) {
      if ('append' in each) await this.append(each.append);
      else if ('live' in each) await this.live(each.live);
      else if ('publish' in each) await this.publish(each.publish);
      else if (this.published.has(each.amend)) await this.amend(each.amend);
      await this.expectFrozen();
    }
  }

  async append(drafts: readonly Draft[]): Promise<void> {
    const batch = drafts.map(({ day, ...rest }): Item => {
      const revision = (this.#revisions.get(rest.id) ?? 0) + 1;
      this.#revisions.set(rest.id, revision);
      const code = this.colliding ? rest.code : `of-${rest.id}`;
      return { ...rest, code, at: noon(day), revision };
    });
    await this.shop.append(batch);
    this.events.push(...batch);
  }

  live(size: number) {
    return applyLive(this.db, 'prices', null, { wait: true, size });
  }

  async everything(): Promise<void> {
    for (;;) {
      const outcome = await this.live(2);
      if (outcome.kind !== 'applied' || outcome.caughtUp) return;
    }
  }

  async publish(day: number): Promise<void> {
    if (this.published.has(day)) return;
    await publish(as(this.db, 'ana'), { dataset: 'prices', from: start(day), to: start(day + 1) });
    this.published.set(day, await this.ofDay(day));
  }

  amend(day: number) {
    return amend(as(this.db, 'ana'), {
      dataset: 'prices',
      partition: start(day),
      reason: 'looked',
    });
  }

  async ofDay(day: number): Promise<string[]> {
    const found = await rows<{ text: string }>(
      this.db,
      sql`select concat_ws(' ', code, trim_scale(value)) as text from read.prices
        where at >= ${start(day)} and at < ${start(day + 1)} order by 1`,
    );
    return found.map((row) => row.text);
  }

  async expectFrozen(): Promise<void> {
    for (const [day, served] of this.published) {
      expect([day, await this.ofDay(day)]).toEqual([day, served]);
    }
  }

  /** Open days are the facts; of sealed ones the corrections say what the facts would be. */
  async expectFacts(model: Model): Promise<void> {
    await this.everything();
    await this.expectFrozen();
    const { rows: wanted, quarantine } = expectedState(model, factsOf(this.events));
    const dayOf = (row: string) => Number(row.split(' ')[2]?.slice(-1));
    const active = await activeGeneration(this.db);
    const held = await generationState(this.db, active);
    const open = (row: string) => !this.published.has(dayOf(row));
    expect(held.quarantine).toEqual(quarantine);
    expect(held.rows.filter(open)).toEqual(wanted.filter(open));
    for (const day of this.published.keys()) {
      const { after } = await this.amend(day);
      const due = wanted.filter((row) => dayOf(row) === day);
      const left = await this.lastGood(active, day, due);
      expect([day, after.rows]).toEqual([day, String(due.length + left)]);
    }
    const broken = await rows(
      this.db,
      sql`select c.id from control.correction c
        join control.published_partition p on p.dataset = c.dataset and p.start_at = c.start_at
        where c.root_before <> coalesce((select b.root_after from control.correction b
          where b.start_at = c.start_at and b.id < c.id order by b.id desc limit 1), p.root)`,
    );
    expect(broken).toEqual([]);
  }

  /** Rows of quarantined keys stay as they were, but where a right row wants their key. */
  async lastGood(generation: string, day: number, due: readonly string[]): Promise<number> {
    const taken = due.map((row) => row.split(' ')[1] as string);
    const { n } = await one<{ n: number }>(
      this.db,
      sql`select count(*)::int as n from control.generation_range r
        join ds_prices.rows x on x._segment = r.segment and r.span @> x._partition
        join control.quarantine q on q.generation = r.generation and q.source_key = x._source_key
        where r.generation = ${generation} and x._partition = ${start(day)}::timestamptz
          and not (x._key = any(string_to_array(${taken.join(',')}, ',')))`,
    );
    return n;
  }
}

describe('whatever is published whenever', () => {
  it('stays as it was, beside live writing, and what is open follows the facts', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 40 }), async (steps) => {
        const story = new Story(await openItems({ transform: { sql: oldSql } }));
        await story.run(steps);
        await story.expectFacts(whole);
        await story.shop.t.close();
      }),
      { numRuns: 8, seed: 20110105, endOnFailure: true },
    );
  }, 600_000);

  it('stays as it was through cutover and rollback', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 8, maxLength: 16 }),
        fc.array(step, { minLength: 4, maxLength: 10 }),
        fc.array(step, { minLength: 4, maxLength: 10 }),
        fc.array(step, { minLength: 4, maxLength: 10 }),
        async (before, building, serving, after) => {
          // a key that is wanted on both sides of the range's edge would rightly keep it from the seal
          const story = new Story(await openItems({ transform: { sql: oldSql } }), false);
          const { w } = story.shop;
          await story.run(before);
          await story.everything();
          const release = await w.draft(
            priceRelease('fix', newSql, {
              range,
              expectedDiff: [{ rule: 'all', where: 'true', columns: ['code', 'at', 'value'] }],
            }),
          );
          await w.move('ana', 'pin', release);
          await w.work(release);
          await w.move('ana', 'build', release);
          await story.run(building);
          await story.everything();
          await w.work(release);
          await w.move('ana', 'rehearse', release);
          await w.work(release);
          await accept(w, release);
          const evidence = await w.reconciled(release);
          await w.move('bo', 'approve', release, { evidence });
          await w.move('bo', 'sign-rollback', release, { evidence });
          await w.move('dee', 'activate', release);
          await story.expectFrozen();
          await story.run(serving);
          await story.expectFacts(released);
          await w.move('dee', 'rollback', release);
          await w.work(release);
          expect(await w.state(release)).toBe('ROLLED_BACK');
          await story.expectFrozen();
          await story.run(after);
          await story.expectFacts(whole);
          await story.shop.t.close();
        },
      ),
      { numRuns: 6, seed: 20110106, endOnFailure: true },
    );
  }, 600_000);
});

/** Accepts what is in quarantine, so that the seal is open. */
async function accept(w: Awaited<ReturnType<typeof openItems>>['w'], release: string) {
  const found = await one<{ count: string; digest: string }>(
    w.db,
    sql`select detail ->> 'count' as count, detail ->> 'digest' as digest from control.check_result
      where name = 'quarantine' order by reconciliation desc limit 1`,
  );
  if (found.count !== '0') {
    await w.move('ana', 'accept', release, { what: 'quarantine', ...found, reason: 'known' });
  }
  expect((await blockersOf(w.db, await findRelease(w.db, release))).seal).toEqual([]);
}
