import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { one } from '@/lib/db/client';
import { type Policy, policySchema } from '@/lib/domain/dataset';
import { Invalid, Refused } from '@/lib/domain/refusal';
import { applyDataset, setPolicy } from '@/lib/services/dataset';
import { refusalOf } from '@/lib/testing/refusal';
import { fix, openShop, type Shop } from '@/lib/testing/shop';
import { as, orders } from '@/lib/testing/world';

let shop: Shop;
const declared = policySchema.parse(orders.dataset.policy);
const high = policySchema.parse({
  approvals: { cutover: 3, rollback: 2 },
  requireDrill: true,
  rollbackWindowSeconds: 172_800,
});

beforeAll(async () => {
  shop = await openShop();
});
afterAll(() => shop.t.close());

const set = (policy: unknown, seen: unknown) =>
  setPolicy(as(shop.t.db, 'root'), { dataset: 'order_tax', policy, seen });
const stored = async () =>
  (
    await one<{ policy: Policy }>(
      shop.t.db,
      sql`select policy from control.dataset where name = 'order_tax'`,
    )
  ).policy;

it('writes the whole policy, by the one that was seen', async () => {
  await set(high, declared);
  expect(await stored()).toEqual(high);
  expect(await refusalOf(set(declared, declared))).toMatchObject({ code: 'CHANGED_SINCE_SEEN' });
  expect(await stored()).toEqual(high);
  const row = await one(
    shop.t.db,
    sql`select actor, verb, subject, outcome, before #>> '{policy,approvals,cutover}' as was,
        after #>> '{policy,approvals,cutover}' as is
      from control.audit_event where chain = 'dataset:order_tax' and outcome = 'done'
      order by id desc limit 1`,
  );
  expect(row).toEqual({
    actor: 'root',
    verb: 'dataset.apply',
    subject: 'order_tax',
    outcome: 'done',
    was: String(declared.approvals.cutover),
    is: '3',
  });
});

it('says what is wrong with a field at its pointer, a schedule too', async () => {
  const wrong = { ...high, approvals: { cutover: 0, rollback: 11 } };
  await expect(set(wrong, high)).rejects.toMatchObject({
    issues: [{ pointer: '/policy/approvals/cutover' }, { pointer: '/policy/approvals/rollback' }],
  });
  const clock = set({ ...high, runs: { ...high.runs, cron: '61 * * * *' } }, high);
  await expect(clock).rejects.toBeInstanceOf(Invalid);
  await expect(clock).rejects.toMatchObject({ issues: [{ pointer: '/policy/runs/cron' }] });
});

it('names every field that a release under way does not let be lowered', async () => {
  await shop.w.draft(fix());
  await shop.w.move('ana', 'pin', 'vat-fix@1');
  const low = policySchema.parse({ ...high, ...{ approvals: { cutover: 1, rollback: 1 } } });
  const lower = { ...low, requireDrill: false, rollbackWindowSeconds: 60 };
  const error = await set(lower, high).catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(Refused);
  const link = '/releases/vat-fix@1';
  expect((error as Refused).blockers).toMatchObject([
    { code: 'POLICY_LOWERED', pointer: '/policy/approvals/cutover', expected: 3, current: 1, link },
    {
      code: 'POLICY_LOWERED',
      pointer: '/policy/approvals/rollback',
      expected: 2,
      current: 1,
      link,
    },
    {
      code: 'POLICY_LOWERED',
      pointer: '/policy/rollbackWindowSeconds',
      expected: 172_800,
      current: 60,
      link,
    },
    {
      code: 'POLICY_LOWERED',
      pointer: '/policy/requireDrill',
      expected: true,
      current: false,
      link,
    },
  ]);
  expect(await stored()).toEqual(high);
  await set({ ...high, leaseSeconds: 60 }, high);
  expect((await stored()).leaseSeconds).toBe(60);
});

it('is refused likewise where the whole declaration is sent', async () => {
  const whole = applyDataset(as(shop.t.db, 'root'), { ...orders.dataset, policy: declared });
  const { codes } = await refusalOf(whole);
  expect(new Set(codes)).toEqual(new Set(['POLICY_LOWERED']));
  expect(codes.length).toBeGreaterThan(1);
});
