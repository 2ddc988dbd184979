import { sql } from 'drizzle-orm';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { one, rows } from '@/lib/db/client';
import { readProgress } from '@/lib/db/statements/progress';
import { applyLive, catchUp } from '@/lib/services/apply/apply-live';
import { amend, publish } from '@/lib/services/publication';
import { blockersOf, findRelease, samplePartition } from '@/lib/services/release';
import { diffPage } from '@/lib/services/release/diff';
import { reconcile } from '@/lib/services/steps/reconcile';
import {
  activeDaily,
  type Daily,
  dailySql,
  dayOf,
  heldDays,
  type Line,
  openDaily,
  quarantineOf,
} from '@/lib/testing/daily';
import { drilled } from '@/lib/testing/drill';
import { built, candidateOf, cutOver } from '@/lib/testing/items';
import { as } from '@/lib/testing/world';

/** The old transform errs on a line of 13, the new one doubles and errs on a line of 7. */
const oldSql = dailySql('sum(amount + 0 / (amount - 13))', "status <> 'void'");
const newSql = dailySql('2 * sum(amount + 0 / (amount - 7))', "status <> 'void'");
const errs = { old: '13', new: '7' };
type Kind = keyof typeof errs;

const range = { from: dayOf(3), to: dayOf(6) };
const spec = (more: Record<string, unknown> = {}) => ({
  release: 'doubling',
  dataset: 'daily',
  range,
  source: { name: 'order_lines' },
  transform: { new: { sql: newSql } },
  targetGeneration: 'doubling-g',
  budget: { maxLiveLagSeconds: 3600 },
  approvals: { cutover: 1, rollback: 1 },
  conserved: [
    {
      name: 'amount',
      old: 'sum(amount)',
      new: 'sum(amount / 2)',
      source: "sum(amount) filter (where status <> 'void')",
    },
  ],
  expectedDiff: [
    { rule: 'doubled', where: 'new.amount = 2 * old.amount', columns: ['amount'] },
    { rule: 'repaired', where: 'old.dt is null', columns: ['dt'] },
  ],
  ...more,
});

interface State {
  rows: string[];
  quarantine: string[];
}

const name = (day: number) => `partition:${dayOf(day)} ROW_ERROR`;

/** What a generation holds, but for what stays of days in quarantine. */
async function stateOf(shop: Daily, generation: string): Promise<State> {
  const quarantine = await quarantineOf(shop.t.db, generation);
  const held = await heldDays(shop.t.db, generation);
  return {
    rows: held.filter((row) => !quarantine.includes(name(Number(row.slice(0, 2))))),
    quarantine,
  };
}

/** The same as a plain fold of the newest facts. */
function fold(events: readonly Required<Line>[], kindOf: (day: number) => Kind | null): State {
  const newest = new Map<string, Required<Line>>();
  for (const event of events) {
    const known = newest.get(event.id);
    if (!known || known.revision < event.revision) newest.set(event.id, event);
  }
  const state: State = { rows: [], quarantine: [] };
  for (let day = 1; day <= 7; day++) {
    const kind = kindOf(day);
    const facts = [...newest.values()].filter(
      (fact) => fact.op === 'upsert' && fact.day === day && fact.status !== 'void',
    );
    if (kind === null || facts.length === 0) continue;
    if (facts.some(({ amount }) => amount === errs[kind])) state.quarantine.push(name(day));
    else {
      const sum = facts.reduce((total, { amount }) => total + Number(amount), 0);
      const shown = String(day).padStart(2, '0');
      state.rows.push(`${shown} ${facts.length} ${kind === 'old' ? sum : 2 * sum}`);
    }
  }
  const placeless = [...newest.values()].filter((f) => f.op === 'upsert' && f.day === null);
  state.quarantine.push(...placeless.map(({ id }) => `fact:${id} NULL_TIME`));
  state.quarantine.sort();
  return state;
}

const inRange = (day: number) => day >= 3 && day < 6;
const whole = () => 'old' as const;
const candidate = (day: number): Kind | null => (inRange(day) ? 'new' : null);
const successor = (day: number): Kind => (inRange(day) ? 'new' : 'old');

const draft = fc.record({
  id: fc.integer({ min: 0, max: 11 }).map((n) => `o${n}`),
  day: fc.oneof(
    { weight: 14, arbitrary: fc.integer({ min: 1, max: 7 }) },
    { weight: 1, arbitrary: fc.constant(null) },
  ),
  amount: fc.constantFrom('1', '2', '3', '7', '13', '20', '50', '-4'),
  status: fc.constantFrom('ok', 'ok', 'ok', 'void'),
  op: fc.constantFrom('upsert' as const, 'upsert' as const, 'upsert' as const, 'delete' as const),
  stale: fc.constantFrom(false, false, false, false, true),
});
type Draft = typeof draft extends fc.Arbitrary<infer T> ? T : never;
const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ append: fc.array(draft, { minLength: 1, maxLength: 5 }) }) },
  { weight: 2, arbitrary: fc.record({ live: fc.integer({ min: 1, max: 3 }) }) },
  { weight: 2, arbitrary: fc.record({ follow: fc.integer({ min: 1, max: 3 }) }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;
const phase = fc.array(step, { minLength: 5, maxLength: 12 });

class Story {
  readonly events: Required<Line>[] = [];
  readonly #newest = new Map<string, number>();
  candidate: string | null = null;

  constructor(readonly shop: Daily) {}

  async run(steps: readonly Step[]): Promise<void> {
    for (const each of steps) {
      if ('append' in each) await this.append(each.append);
      else if ('live' in each) {
        await applyLive(this.shop.t.db, 'daily', null, { wait: true, size: each.live });
      } else await this.follow(each.follow);
    }
  }

  async append(drafts: readonly Draft[]): Promise<void> {
    const batch: Required<Line>[] = [];
    for (const { stale, ...rest } of drafts) {
      const newest = this.#newest.get(rest.id) ?? 0;
      // every second number, so that there is room for one that comes too late
      const revision = stale && newest > 1 ? newest - 1 : newest + 2;
      const known = [...this.events, ...batch];
      if (known.some((e) => e.id === rest.id && e.revision === revision)) continue;
      this.#newest.set(rest.id, Math.max(newest, revision));
      batch.push({ ...rest, revision });
    }
    if (batch.length === 0) return;
    await this.shop.append(batch);
    this.events.push(...batch);
  }

  async follow(size: number): Promise<boolean> {
    if (this.candidate === null) return true;
    const { db } = this.shop.t;
    const active = await activeDaily(db);
    const limit = (tx: Parameters<typeof readProgress>[0]) => readProgress(tx, active);
    return (await catchUp(db, 'daily', this.candidate, limit, size))?.caughtUp ?? true;
  }

  async everything(size = 2): Promise<void> {
    for (;;) {
      const outcome = await applyLive(this.shop.t.db, 'daily', null, { wait: true, size });
      if (outcome.kind !== 'applied' || outcome.caughtUp) break;
    }
    while (!(await this.follow(size)));
  }

  async expectState(
    generation: string,
    kindOf: (day: number) => Kind | null,
    events = this.events,
  ) {
    expect(await stateOf(this.shop, generation)).toEqual(fold(events, kindOf));
  }
}

const failed = async ({ t }: Daily) =>
  (
    await rows<{ name: string }>(
      t.db,
      sql`select c.name from control.check_result c
        where c.verdict = 'failed' and c.reconciliation = (select max(id) from control.reconciliation)`,
    )
  ).map((check) => check.name);

describe('whatever happens to a dataset of grain partition, in whatever batches', () => {
  it('the live generation is a fold of the facts', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 15, maxLength: 30 }),
        fc.integer({ min: 1, max: 3 }),
        async (steps, size) => {
          const story = new Story(await openDaily({ transform: { sql: oldSql } }));
          await story.run(steps);
          await story.everything(size);
          await story.expectState(await activeDaily(story.shop.t.db), whole);
          await story.shop.t.close();
        },
      ),
      { numRuns: 6, seed: 20260201, endOnFailure: true },
    );
  }, 600_000);

  it('so are candidate, successor and what is gone back to', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.tuple(phase, phase, phase, phase, phase),
        async ([before, during, after, since, back]) => {
          const story = new Story(await openDaily({ transform: { sql: oldSql } }));
          const { w, t } = story.shop;
          const db = t.db;
          await story.run(before);
          const first = await activeDaily(db);
          const release = await w.draft(spec());
          await w.move('ana', 'pin', release);
          await w.work(release);
          await story.run(during);
          await w.move('ana', 'build', release);
          await w.work(release);
          story.candidate = await candidateOf(db, release);
          await story.run(after);
          await story.everything();
          await story.expectState(first, whole);
          await w.move('ana', 'rehearse', release);
          await w.work(release);
          await story.expectState(story.candidate, candidate);
          expect((await failed(story.shop)).filter((check) => check !== 'quarantine')).toEqual([]);

          const second = story.candidate;
          const barrier = [...story.events];
          await cutOver(w, release);
          story.candidate = null;
          await story.run(since);
          await story.everything();
          await story.expectState(second, successor);
          await story.expectState(first, whole, barrier);

          await w.move('dee', 'rollback', release);
          await story.run(back);
          await w.work(release);
          expect(await activeDaily(db)).toBe(first);
          await story.everything();
          await story.expectState(first, whole);
          await t.close();
        },
      ),
      { numRuns: 4, seed: 20260201, endOnFailure: true },
    );
  }, 600_000);
});

describe('a release of a dataset of grain partition', () => {
  let shop: Daily;
  afterEach(() => shop.t.close());

  /** A line on each of seven days. */
  const week = Array.from({ length: 7 }, (_, i) => ({ id: `o${i + 1}`, day: i + 1, amount: '10' }));
  const open = async (dataset: Record<string, unknown> = {}) => {
    shop = await openDaily({ transform: { sql: oldSql }, ...dataset });
    await shop.append(week);
    await shop.w.live('daily');
  };
  const findings = () =>
    rows<Record<string, unknown>>(
      shop.t.db,
      sql`select start_at as start, changed, drift, unexplained, classes from control.reconciliation_partition
        where reconciliation = (select max(id) from control.reconciliation) order by start_at`,
    );

  it('has its diff explained by rules, and receipts that count facts', async () => {
    await open();
    await shop.append([{ id: 'more', day: 4, amount: '5' }]);
    await shop.w.live('daily');
    const release = await built(shop.w, spec());
    expect(await failed(shop)).toEqual([]);
    expect((await findings()).map(({ changed, unexplained }) => [changed, unexplained])).toEqual([
      ['1', '0'],
      ['1', '0'],
      ['1', '0'],
    ]);
    const receipts = await rows(
      shop.t.db,
      sql`select facts_in as facts, rows_out as rows, filtered, quarantined, sampled from control.receipt
        order by start_at`,
    );
    expect(receipts).toEqual([
      { facts: '1', rows: '1', filtered: '0', quarantined: '0', sampled: true },
      { facts: '2', rows: '1', filtered: '0', quarantined: '0', sampled: false },
      { facts: '1', rows: '1', filtered: '0', quarantined: '0', sampled: false },
    ]);
    const { items } = await diffPage(shop.t.db, { release, partition: dayOf(4) });
    expect(items).toMatchObject([
      {
        class: 'explained',
        rule: 'doubled',
        changed: ['amount'],
        control: { orders: '2', amount: '15' },
        new: { orders: '2', amount: '30' },
      },
    ]);
    const draftOf = await shop.w.draft(spec({ release: 'next', targetGeneration: 'next-g' }));
    expect(await samplePartition(shop.t.db, draftOf, dayOf(4))).toMatchObject({
      old: [{ amount: '15' }],
      new: [{ amount: '30' }],
      errors: [],
    });
  });

  it('finds one row of the old generation that its own transform does not yield', async () => {
    await open();
    await shop.t.db.execute(
      sql`update ds_daily.rows set amount = amount + 1 where _partition = ${dayOf(4)}`,
    );
    await built(shop.w, spec());
    expect(await failed(shop)).toEqual(['drift']);
    expect((await findings()).map(({ drift }) => drift)).toEqual(['0', '1', '0']);
  });

  it('shows a diff that no rule explains', async () => {
    await open();
    const release = await built(shop.w, spec({ expectedDiff: [] }));
    expect(await failed(shop)).toContain('expected_diff');
    const { seal } = await blockersOf(shop.t.db, await findRelease(shop.t.db, release));
    expect(seal?.map(({ code }) => code)).toContain('UNEXPLAINED_DIFF');
  });

  it('repairs a day that the old transform errs on: that day alone has no control', async () => {
    await open();
    await shop.append([{ id: 'bad', day: 4, amount: '13' }]);
    await shop.w.live('daily');
    const first = await activeDaily(shop.t.db);
    expect(await quarantineOf(shop.t.db, first)).toEqual([name(4)]);
    const release = await built(shop.w, spec());
    expect(await failed(shop)).toEqual([]);
    const classes = (await findings()).map(({ classes: found }) =>
      (found as { class: string; rule: string; kind: string }[]).map((c) => [c.rule, c.kind]),
    );
    expect(classes).toEqual([
      [['doubled', 'changed']],
      [['repaired', 'added']],
      [['doubled', 'changed']],
    ]);
    const { items } = await diffPage(shop.t.db, { release, partition: dayOf(4) });
    expect(items).toMatchObject([{ control: null, new: { amount: '46' } }]);
    await cutOver(shop.w, release);
    expect(await quarantineOf(shop.t.db, await activeDaily(shop.t.db))).toEqual([]);
  });

  it('shows a day without a control as such where no rule expects it', async () => {
    await open();
    await shop.append([{ id: 'bad', day: 4, amount: '13' }]);
    await shop.w.live('daily');
    await built(shop.w, spec({ expectedDiff: spec().expectedDiff.slice(0, 1) }));
    const [, day] = (await findings()) as { classes: { class: string; rows: string }[] }[];
    expect(day?.classes).toMatchObject([{ class: 'control_error', rows: '1' }]);
  });

  it('has a day that its own transform errs on in quarantine, in the receipt and whole', async () => {
    await open();
    await shop.append([
      { id: 'seven', day: 4, amount: '7' },
      { id: 'eight', day: 4, amount: '8' },
    ]);
    await shop.w.live('daily');
    const release = await built(shop.w, spec());
    const receipt = await one(
      shop.t.db,
      sql`select facts_in as facts, rows_out as rows, quarantined from control.receipt
        where start_at = ${dayOf(4)}`,
    );
    expect(receipt).toEqual({ facts: '3', rows: '0', quarantined: '3' });
    expect(await stateOf(shop, await candidateOf(shop.t.db, release))).toEqual({
      rows: ['03 1 20', '05 1 20'],
      quarantine: [name(4)],
    });
    expect(await failed(shop)).toEqual(['quarantine']);
  });

  it('leaves a kept generation as it was, whatever is written since', async () => {
    await open();
    const first = await activeDaily(shop.t.db);
    const release = await built(shop.w, spec());
    await cutOver(shop.w, release);
    const kept = await heldDays(shop.t.db, first);
    // the second day is shared by reference, the fourth was made anew; the seventh goes
    await shop.append([
      { id: 'late', day: 2, amount: '1' },
      { id: 'o4', day: 6, amount: '10', revision: 2 },
      { id: 'o7', day: 7, op: 'delete', revision: 2 },
    ]);
    await shop.w.live('daily');
    expect(await heldDays(shop.t.db, first)).toEqual(kept);
    expect(await heldDays(shop.t.db, await activeDaily(shop.t.db))).toEqual([
      '01 1 10',
      '02 2 11',
      '03 1 20',
      '05 1 20',
      '06 2 20',
    ]);
    const { version } = await one<{ version: string }>(
      shop.t.db,
      sql`select s.version from control.generation_range r
        join control.segment_partition s on s.segment = r.segment and r.span @> s.start_at
        where r.generation = ${await activeDaily(shop.t.db)} and s.start_at = ${dayOf(2)}`,
    );
    // counted on from the shared one's
    expect(version).toBe('3');
    await shop.w.move('dee', 'rollback', release);
    await shop.w.work(release);
    expect(await stateOf(shop, first)).toEqual({
      rows: ['01 1 10', '02 2 11', '03 1 10', '05 1 10', '06 2 20'],
      quarantine: [],
    });
  });

  it('builds what lies behind an open plan, and facts without a time', async () => {
    await open();
    // behind the last row of the old generation: a day that it could not compute
    await shop.append([
      { id: 'last', day: 9, amount: '13' },
      { id: 'n', day: null },
    ]);
    await shop.w.live('daily');
    const release = await built(shop.w, spec({ range: { from: dayOf(3), to: 'open' } }));
    expect(await stateOf(shop, await candidateOf(shop.t.db, release))).toEqual({
      rows: ['03 1 20', '04 1 20', '05 1 20', '06 1 20', '07 1 20', '09 1 26'],
      quarantine: ['fact:n NULL_TIME'],
    });
    expect(await failed(shop)).toEqual(['quarantine']);
  });

  it('compares both sides strictly while the candidate is behind: facts move in and out', async () => {
    await open();
    const release = await built(shop.w, spec());
    const [{ id } = { id: '' }] = await rows<{ id: string }>(
      shop.t.db,
      sql`select id from control.release where name = 'doubling'`,
    );
    // out of the range, into it, within it, gone, and one that the control errs on
    await shop.append([
      { id: 'o4', day: 1, amount: '10', revision: 2 },
      { id: 'o7', day: 3, amount: '10', revision: 2 },
      { id: 'o5', day: 4, amount: '11', revision: 2 },
      { id: 'o3', day: 3, op: 'delete', revision: 2 },
      { id: 'bad', day: 5, amount: '13' },
    ]);
    const chunks = async () => {
      const { verdict } = await reconcile(shop.t.db, id, 'rehearsal', 'test');
      return { verdict, days: (await findings()).map((f) => [f.changed, f.drift, f.unexplained]) };
    };
    const clean = ['1', '0', '0'];
    await applyLive(shop.t.db, 'daily', null, { wait: true, size: 1 });
    await shop.w.live('daily');
    // what day 4 holds on either side is of another watermark, and each is right at its own
    expect(await chunks()).toEqual({ verdict: 'passed', days: [clean, clean, clean] });
    await catchUp(shop.t.db, 'daily', await candidateOf(shop.t.db, release), async (tx) =>
      readProgress(tx, await activeDaily(shop.t.db)),
    );
    expect(await chunks()).toEqual({ verdict: 'passed', days: [clean, clean, clean] });
    expect(await stateOf(shop, await candidateOf(shop.t.db, release))).toEqual({
      rows: ['03 1 20', '04 1 22', '05 1 26'],
      quarantine: [],
    });
  });

  it('leaves a published day as it was, and notes what events would have changed', async () => {
    await open();
    await publish(as(shop.t.db, 'ana'), { dataset: 'daily', from: dayOf(2), to: dayOf(3) });
    await shop.append([
      { id: 'late', day: 2, amount: '5' },
      { id: 'o2', day: 3, amount: '10', revision: 2 },
      { id: 'o1', day: 2, amount: '10', revision: 2 },
    ]);
    await shop.w.live('daily');
    const live = await heldDays(shop.t.db, await activeDaily(shop.t.db));
    expect(live.slice(0, 2)).toEqual(['02 1 10', '03 2 20']);
    const pending = await rows<{ day: string; key: string }>(
      shop.t.db,
      sql`select to_char(start_at, 'DD') as day, source_key as key from control.pending_correction order by 1, 2`,
    );
    expect(pending).toEqual(['late', 'o1', 'o2'].map((key) => ({ day: '02', key })));
    const amended = await amend(as(shop.t.db, 'ana'), {
      dataset: 'daily',
      partition: dayOf(2),
      reason: 'late lines',
    });
    expect(amended).toMatchObject({
      before: { sums: { amount: '10' } },
      after: { sums: { amount: '15' } },
    });
    expect((await heldDays(shop.t.db, await activeDaily(shop.t.db)))[0]).toBe('02 1 10');
  });

  it('is drilled on a fork', async () => {
    await open();
    const release = await built(shop.w, spec());
    expect(await drilled(shop.w, release)).toMatchObject({ outcome: 'passed', why: null });
  });
});
