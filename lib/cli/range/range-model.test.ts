import fc from 'fast-check';
import { expect, it } from 'vitest';
import { civilOf, dateText } from '@/lib/domain/civil-date';
import { Lab, type Order } from './range-lab';

/** The contract as plain maps, written without looking at how the command does it. */
class Model {
  readonly files = new Map<string, readonly Order[]>();
  readonly daily = new Map<string, { orders: bigint; amount: bigint; owner: string }>();
  readonly claims = new Map<string, string>();
  readonly seals = new Set<string>();
  readonly corrections: Record<string, unknown>[] = [];
  readonly rollup = new Map<string, bigint>();

  run(dates: string[], owner: string) {
    const done: string[] = [];
    const skipped: [string, string][] = [];
    let [orders, amount] = [0n, 0n];
    for (const dt of dates) {
      const holder = this.claims.get(dt);
      const file = this.files.get(dt);
      if (holder !== undefined && holder !== owner) skipped.push([dt, `claimed_by:${holder}`]);
      else if (this.seals.has(dt)) skipped.push([dt, 'sealed']);
      else if (file === undefined) skipped.push([dt, 'no_data']);
      else {
        const counted = count(file);
        this.daily.set(dt, { ...counted, owner });
        done.push(dt);
        orders += counted.orders;
        amount += counted.amount;
      }
    }
    const code = skipped.some(([, reason]) => reason !== 'no_data') ? 5 : 0;
    return { code, json: { owner, done, skipped, orders, amount } };
  }

  claim(dates: string[], owner: string) {
    const denied = dates.flatMap((dt) => {
      const holder = this.claims.get(dt) ?? owner;
      return holder === owner ? [] : [[dt, holder]];
    });
    const claimed = dates.filter((dt) => (this.claims.get(dt) ?? owner) === owner);
    for (const dt of claimed) this.claims.set(dt, owner);
    return { code: denied.length > 0 ? 4 : 0, json: { owner, claimed, denied } };
  }

  release(dates: string[], owner: string) {
    const released = dates.filter((dt) => this.claims.get(dt) === owner);
    for (const dt of released) this.claims.delete(dt);
    return { code: 0, json: { owner, released } };
  }

  seal(dates: string[]) {
    for (const dt of dates) this.seals.add(dt);
    return { code: 0, json: { sealed: dates } };
  }

  amend(dt: string, reason: string) {
    if (!this.seals.has(dt)) return { code: 6, json: undefined };
    const file = this.files.get(dt);
    if (file === undefined) return { code: 1, json: undefined };
    const before = this.daily.get(dt) ?? { orders: 0n, amount: 0n };
    const after = count(file);
    const correction = {
      dt,
      orders_before: before.orders,
      amount_before: before.amount,
      orders_after: after.orders,
      amount_after: after.amount,
      reason,
    };
    this.corrections.push(correction);
    return { code: 0, json: correction };
  }

  total(mode: 'add' | 'derive', dates: string[]) {
    const add = mode === 'add';
    let orders = add ? (this.rollup.get('order_total') ?? 0n) : 0n;
    let amount = add ? (this.rollup.get('amount_total') ?? 0n) : 0n;
    for (const [dt, row] of this.daily) {
      if (add && !dates.includes(dt)) continue;
      orders += row.orders;
      amount += row.amount;
    }
    this.rollup.set('order_total', orders).set('amount_total', amount);
    return { code: 0, json: { mode, order_total: orders, amount_total: amount } };
  }

  dump() {
    return {
      daily: sorted(this.daily).map(([dt, row]) => ({ dt, ...row })),
      rollup: sorted(this.rollup).map(([metric, value]) => ({ metric, value })),
      claims: sorted(this.claims).map(([dt, owner]) => ({ dt, owner })),
      seals: [...this.seals].sort().map((dt) => ({ dt })),
      corrections: this.corrections,
    };
  }
}

const count = (orders: readonly Order[]) => ({
  orders: BigInt(orders.length),
  amount: orders.reduce((all, { amount }) => all + amount, 0n),
});
const sorted = <Value>(map: Map<string, Value>) =>
  [...map].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));

const DAYS = 6;
const owner = fc.constantFrom('backfill', 'regular', '주인 "a|b"');
const range = fc
  .tuple(fc.nat(DAYS - 1), fc.nat(DAYS - 1))
  .map(([a, b]) => ({ from: Math.min(a, b), to: Math.max(a, b) }));
// Amounts that a JavaScript number would round are as likely as small ones.
const size = fc.oneof(fc.bigInt(1n, 999n), fc.bigInt(2n ** 53n, 2n ** 56n));
const order: fc.Arbitrary<Order> = fc.oneof(
  size.map((amount) => ({ amount, status: 'paid' }) as const),
  size.map((amount) => ({ amount: -amount, status: 'refund' }) as const),
);
const orders = fc.array(order, { maxLength: 4 });
const step = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('file' as const),
      day: fc.nat(DAYS - 1),
      orders: fc.option(orders),
    }),
  },
  {
    // Seals are for ever, so they must be rare.
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constantFrom('run' as const, 'run' as const, 'claim' as const, 'release' as const),
      range,
      owner,
    }),
  },
  fc.record({
    kind: fc.constantFrom('seal' as const),
    range: fc.nat(DAYS - 1).map((day) => ({ from: day, to: day })),
  }),
  fc.record({ kind: fc.constantFrom('amend' as const), day: fc.nat(DAYS - 1), reason: owner }),
  fc.record({ kind: fc.constantFrom('rollup-add' as const, 'rollup' as const), range }),
);
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never;
// From 1990 to 2050, across ends of months, years and Februaries.
const firstDay = fc.integer({ min: 7305, max: 29_219 });

/** Carries out a step in both worlds, and gives what both answered. */
async function take(lab: Lab, model: Model, dates: string[], step: Step) {
  const dateAt = (day: number) => dates[day] ?? '';
  if (step.kind === 'file') {
    const dt = dateAt(step.day);
    if (step.orders === null) {
      lab.remove(dt);
      model.files.delete(dt);
    } else {
      lab.orders(dt, step.orders);
      model.files.set(dt, step.orders);
    }
    return null;
  }
  if (step.kind === 'amend') {
    const dt = dateAt(step.day);
    return [await lab.run('amend', dt, step.reason), model.amend(dt, step.reason)] as const;
  }
  const within = dates.slice(step.range.from, step.range.to + 1);
  const ends = [dateAt(step.range.from), dateAt(step.range.to)];
  switch (step.kind) {
    case 'run':
    case 'claim':
    case 'release': {
      const ran = await lab.run(step.kind, ...ends, step.owner);
      return [ran, model[step.kind](within, step.owner)] as const;
    }
    case 'seal':
      return [await lab.run('seal', ...ends), model.seal(within)] as const;
    case 'rollup-add':
      return [await lab.run('rollup-add', ...ends), model.total('add', within)] as const;
    case 'rollup':
      return [await lab.run('rollup'), model.total('derive', within)] as const;
  }
}

const start = fc.array(orders, { minLength: DAYS - 1, maxLength: DAYS - 1 });
const steps = fc.array(step, { minLength: 10, maxLength: 30, size: 'max' });

it('does what the contract says, whatever is done in which order', async () => {
  let redone = 0;
  await fc.assert(
    fc.asyncProperty(firstDay, start, steps, async (first, files, walk) => {
      using lab = new Lab();
      const model = new Model();
      const dates = Array.from({ length: DAYS }, (_, day) => dateText(civilOf(first + day)));
      await lab.run('init');
      for (const [day, each] of files.entries()) {
        await take(lab, model, dates, { kind: 'file', day, orders: each });
      }
      for (const each of walk) {
        const known = new Set(model.daily.keys());
        const answers = await take(lab, model, dates, each);
        if (answers === null) continue;
        const [ran, expected] = answers;
        expect({ code: ran.code, json: ran.json }).toEqual(expected);
        expect(ran.stdout === '' ? ran.stderr : ran.stdout.trimEnd()).not.toBe('');
        expect(lab.dump()).toEqual(model.dump());
        if (expected.json && 'done' in expected.json)
          redone += expected.json.done.filter((dt) => known.has(dt)).length;
      }
    }),
    { numRuns: 30 },
  );
  // Without it the walk would say nothing about replacing.
  expect(redone).toBeGreaterThan(30);
}, 240_000);
