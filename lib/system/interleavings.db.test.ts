import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { affected, type Database, maybeOne, one, rows } from '@/lib/db/client';
import { isRetryable } from '@/lib/db/pg-error';
import { claimPartition } from '@/lib/db/statements/attempt';
import { transaction } from '@/lib/db/transaction';
import type { Move } from '@/lib/domain/lifecycle';
import { LostRace, Refused } from '@/lib/domain/refusal';
import { env } from '@/lib/env';
import { applyLive } from '@/lib/services/apply/apply-live';
import { claim, releaseClaims } from '@/lib/services/claims';
import { amend, publish } from '@/lib/services/publication';
import { createRelease, moves } from '@/lib/services/release';
import { askRun } from '@/lib/services/runs';
import { appendEvents } from '@/lib/services/source';
import { advance } from '@/lib/services/steps/advance';
import { buildPartition } from '@/lib/services/steps/build-partition';
import { retireGenerations } from '@/lib/services/steps/retire';
import { walkRun } from '@/lib/services/steps/run-walk';
import { sweep } from '@/lib/services/steps/sweep';
import { activeGeneration, item, openItems, priceRelease } from '@/lib/testing/items';
import { as, type Person } from '@/lib/testing/world';
import { Ledger, type Sent } from './ledger';
import { randomFrom } from './random';

const ROUNDS = 1000;
const ITEMS = 24;
/** Items belong to this many days at a time, and to later ones as rounds go by. */
const DAYS = 12;
const ROUNDS_A_DAY = 30;

const random = randomFrom(env().TEST_SEED ?? Math.floor(Math.random() * 2 ** 31));
const ledger = new Ledger();
const revisions = new Map<string, number>();
const done = new Map<string, number>();
let shop: Awaited<ReturnType<typeof openItems>>;
let pool: Database;
let epoch: number | null = null;
let releases = 0;
/** The first of the days that items mostly belong to. */
let today = 1;

const day = (n: number) => new Date(Date.UTC(2011, 0, n)).toISOString().slice(0, 10);
const midnight = (n: number) => `${day(n)}T00:00:00Z`;
/** A day about today, or by and by an earlier one, of which much is published. */
const someDay = () =>
  random.oneIn(4) ? 1 + random.below(today + DAYS - 1) : today + random.below(DAYS);

/** A few days in a row. */
function someDays(most: number): { days: number[]; from: string; to: string } {
  const first = Math.max(1, someDay() - 4);
  const days = Array.from({ length: 1 + random.below(most) }, (_, i) => first + i);
  return { days, from: midnight(first), to: midnight(first + days.length) };
}

beforeAll(async () => {
  shop = await openItems({
    policy: { approvals: { cutover: 1, rollback: 1 } },
    rollups: [{ metric: 'total', sql: 'sum(value)' }],
  });
  pool = shop.t.connect('tool', 12);
  ledger.generation(await loadingGeneration(), null, [], 1);
  await append();
  await shop.w.live('prices');
  await activeGeneration(shop.t.db);
});
afterAll(() => shop.t.close());

async function loadingGeneration(): Promise<string> {
  const [found] = await rows<{ id: string }>(
    shop.t.db,
    sql`select coalesce(loading_generation, active_generation) as id from control.registry`,
  );
  return found?.id ?? '';
}

/** A few events: new and changed items, moved ones, deletes, some of them too late or sent again. */
async function append(): Promise<void> {
  const batch: Sent[] = [];
  for (let n = 1 + random.below(6); n > 0; n--) {
    const id = `i${random.below(ITEMS)}`;
    const newest = revisions.get(id) ?? 0;
    const revision = newest > 2 && random.oneIn(8) ? newest - 1 : newest + 1;
    if (batch.some((event) => event.id === id)) continue;
    const gone = random.oneIn(6);
    const event: Sent = {
      eventId: `${id}-r${revision}${revision > newest ? '' : `-late${random.below(1e9)}`}`,
      id,
      revision,
      op: gone ? 'delete' : 'upsert',
      day: gone ? null : someDay(),
      value: gone ? null : 1 + random.below(9),
    };
    // an older revision that the log knows with other content would be a conflict
    if (revision <= newest) continue;
    revisions.set(id, Math.max(newest, revision + (random.oneIn(10) ? 1 : 0)));
    batch.push(event);
  }
  const events = batch.map(({ eventId, id, revision, op, day: on, value }) => ({
    ...item({
      id,
      code: `C${id}`,
      at: on === null ? null : `${day(on)}T12:00:00Z`,
      value: value === null ? null : String(value),
      revision,
      op,
    }),
    eventId,
  }));
  await appendEvents(as(pool, 'feed'), { source: 'items', events });
  ledger.acknowledge(batch);
  if (random.oneIn(4)) await appendEvents(as(pool, 'feed'), { source: 'items', events });
}

async function apply(): Promise<void> {
  const outcome = await applyLive(pool, 'prices', random.oneIn(3) ? null : epoch, {
    size: 1 + random.below(4),
    mostCopied: random.oneIn(3) ? 0 : 10_000,
  });
  if ('epoch' in outcome) epoch = outcome.epoch;
}

interface Newest {
  id: string;
  reference: string;
  state: string;
  generation: string | null;
  evidence: string | null;
  rehearsed: boolean;
  receipts: boolean;
  rollback: string | null;
  /** Another generation is in use than the one that it was to replace. */
  moved: boolean;
}

const newest = () =>
  maybeOne<Newest>(
    pool,
    sql`select r.id, r.name || '@' || r.revision as reference, r.state, r.generation, r.evidence,
        exists (select from control.reconciliation c where c.release = r.id and c.verdict = 'passed') as rehearsed,
        not exists (select from control.release_partition p where p.release = r.id and p.state <> 'built') as receipts,
        (select rollback from control.registry where dataset = 'prices') as rollback,
        r.old_generation is not null and r.state <> 'ACTIVE' and r.old_generation <> (
          select active_generation from control.registry where dataset = 'prices') as moved
      from control.release r
      order by r.state in ('REJECTED', 'ABANDONED', 'ROLLED_BACK', 'RETIRED'), r.state = 'ACTIVE', r.state = 'DRAFT',
        r.id desc limit 1`,
  );

const move = (person: Person, name: Move, release: string, body: Record<string, unknown> = {}) =>
  moves[name](as(pool, person), { release, ...body } as never);

/** The next release: other days, and another factor than any before. */
async function begin(): Promise<void> {
  const { days, from, to } = someDays(DAYS);
  releases += 1;
  const factor = 10 + releases;
  const { name, revision } = await createRelease(
    as(pool, 'ana'),
    priceRelease(`r${releases}`, `select code, at, value * ${factor} as value from source`, {
      range: { from, to },
      ...(random.oneIn(8) ? { sealedPartitions: 'REFUSE' } : {}),
      expectedDiff: [{ rule: 'any', where: 'true', columns: ['value'] }],
    }),
  );
  await move('ana', 'pin', `${name}@${revision}`);
  const { generation, like } = await one<{ generation: string; like: string }>(
    pool,
    sql`select generation, old_generation as like from control.release where name = ${name}`,
  );
  ledger.generation(generation, like, days, factor);
}

/** Whatever is next for the newest release, by people or by the runner; now and then a way out. */
async function nextStep(): Promise<void> {
  const release = await newest();
  if (!release || ['REJECTED', 'ABANDONED', 'ROLLED_BACK', 'RETIRED'].includes(release.state)) {
    return begin();
  }
  const { reference, state } = release;
  if (release.moved) return move('ana', 'abandon', reference);
  switch (state) {
    case 'DRAFT':
      return move('ana', 'abandon', reference);
    case 'SNAPSHOT_PINNED':
      await advance(pool, release.id, 'w1');
      return move('ana', 'build', reference);
    case 'BUILDING':
      if (!release.receipts) return build(release.id);
      if (!release.rehearsed) {
        await move('ana', 'rehearse', reference);
        return advance(pool, release.id, 'w1');
      }
      return random.oneIn(12) ? move('ana', 'abandon', reference) : move('dee', 'seal', reference);
    case 'INGRESS_SEALED':
    case 'CAUGHT_UP':
      return advance(pool, release.id, random.pick(['w1', 'w2']));
    case 'RECONCILED':
      if (random.oneIn(10)) return move('dee', 'reopen', reference);
      if (random.oneIn(12)) return move('bo', 'reject', reference, { comment: 'no' });
      await move('bo', 'sign-rollback', reference, { evidence: release.evidence });
      return move('bo', 'approve', reference, { evidence: release.evidence, statement: 'read' });
    case 'APPROVED':
      return random.oneIn(12)
        ? move('dee', 'reopen', reference)
        : move('dee', 'activate', reference);
    case 'ACTIVE':
      if (release.rollback !== null) return advance(pool, release.id, random.pick(['w1', 'w2']));
      return random.oneIn(2) ? move('dee', 'rollback', reference) : begin();
    case 'RECONCILIATION_REQUIRED':
      throw new Error(`${reference} needs reconciliation: ${JSON.stringify(await trouble())}`);
  }
}

const trouble = () =>
  rows(
    pool,
    sql`select trouble_step, trouble_code, trouble_why from control.release
    where state = 'RECONCILIATION_REQUIRED'`,
  );

async function build(release: string): Promise<void> {
  for (;;) {
    const claimed = await transaction(pool, (tx) => claimPartition(tx, release, 'w1', 30));
    if (claimed.kind !== 'claimed') break;
    await buildPartition(pool, claimed.attempt);
  }
  await advance(pool, release, 'w1');
}

/** A seal whose time is over: whoever comes next reopens. */
async function expire(): Promise<void> {
  await affected(
    pool,
    sql`update control.registry set sealed_until = clock_timestamp() - interval '1 second'
      where state = 'SEALED' and sealer like 'release:%'`,
  );
}

/** A rollback window that is over, and what follows from it. */
async function retire(): Promise<void> {
  await affected(
    pool,
    sql`update control.generation set kept_until = clock_timestamp() - interval '1 second'
      where id = (select id from control.generation where state = 'kept' order by id limit 1)`,
  );
  await retireGenerations(pool, 'prices');
}

/** Figures that were sent out, of days that are mostly over. */
async function publishSome(): Promise<void> {
  const { from, to } = someDays(2);
  await publish(as(pool, 'ana'), { dataset: 'prices', from, to, sentTo: 'finance' });
}

async function amendSome(): Promise<void> {
  const partition = midnight(Math.max(1, someDay() - 4));
  await amend(as(pool, 'ana'), { dataset: 'prices', partition, reason: 'looked again' });
}

const owners = ['ana', 'dee', 'nightly'];

async function claimSome(): Promise<void> {
  const { days, from, to } = someDays(3);
  const owner = random.pick(owners);
  ledger.runs.claiming(days, owner);
  await claim(as(pool, 'ana'), { dataset: 'prices', from, to, owner });
}

/** Lets go of whatever an owner holds, so that releases get on. */
async function releaseSome(): Promise<void> {
  ledger.runs.releasing();
  for (const owner of owners) {
    const [from, to] = [midnight(1), midnight(today + 2 * DAYS)];
    await releaseClaims(as(pool, 'ana'), { dataset: 'prices', from, to, owner });
  }
}

async function askSome(): Promise<void> {
  const { days, from, to } = someDays(5);
  const owner = random.pick(owners);
  const { id } = await askRun(as(pool, 'ana'), { dataset: 'prices', from, to, owner });
  ledger.runs.asked(id, days);
}

/** A runner's look at a run: a partition or two, or to its end. */
async function walkSome(): Promise<void> {
  // as if the time had passed after which one that waits is looked at again
  await affected(
    pool,
    sql`update control.run set lease_until = null where state = 'running' and token is null`,
  );
  const found = await maybeOne<{ id: string }>(
    pool,
    sql`select id from control.run where state in ('planned', 'running') and token is null
      order by id limit 1`,
  );
  if (!found) return;
  let left = random.oneIn(3) ? 1 + random.below(2) : 99;
  await walkRun(pool, found.id, {
    stopping: () => left-- === 0,
    mostEvents: BigInt(random.below(9)),
  });
}

const actions: readonly (readonly [weight: number, name: string, act: () => Promise<unknown>])[] = [
  [5, 'append', append],
  [6, 'apply', apply],
  [10, 'step', nextStep],
  [1, 'expire', expire],
  [1, 'retire', retire],
  [1, 'sweep', () => sweep(pool)],
  [1, 'publish', publishSome],
  [1, 'amend', amendSome],
  [1, 'claim', claimSome],
  [2, 'let go', releaseSome],
  [1, 'ask', askSome],
  [2, 'walk', walkSome],
];
const bag = actions.flatMap((action) => Array<typeof action>(action[0]).fill(action));

/** What may happen to whoever comes at the wrong moment; everything else is a fault. */
function allowed(error: unknown): boolean {
  return error instanceof Refused || error instanceof LostRace || isRetryable(error);
}

/** In the end every published day is amended, and is said to be what the facts make of it. */
async function amendAll(): Promise<void> {
  const sealed = await rows<{ start: string }>(
    pool,
    sql`select start_at as start from control.published_partition order by 1`,
  );
  expect(sealed.length).toBeGreaterThan(10);
  for (const { start } of sealed) {
    await amend(as(pool, 'ana'), { dataset: 'prices', partition: start, reason: 'the end' });
  }
  expect((await ledger.balance(shop.t.db)).faults).toEqual([]);
  expect(ledger.unsettled()).toEqual([]);
}

it(`balances after each of ${ROUNDS} random interleavings (TEST_SEED=${random.seed})`, async () => {
  let events = 0;
  for (let round = 0; round < ROUNDS; round++) {
    today = 1 + Math.floor(round / ROUNDS_A_DAY);
    const chosen = Array.from({ length: 2 + random.below(3) }, () => random.pick(bag));
    const outcomes = await Promise.allSettled(chosen.map(([, , act]) => act()));
    for (const [i, outcome] of outcomes.entries()) {
      const name = chosen[i]?.[1] ?? '';
      if (outcome.status === 'fulfilled') done.set(name, (done.get(name) ?? 0) + 1);
      else if (!allowed(outcome.reason)) throw outcome.reason;
    }
    const balance = await ledger.balance(shop.t.db);
    expect(balance.faults, `round ${round} of TEST_SEED=${random.seed}`).toEqual([]);
    events = balance.events;
  }
  await amendAll();
  const moved = Object.fromEntries(
    (
      await rows<{ verb: string; n: number }>(
        shop.t.db,
        sql`select verb, count(*)::int as n from control.audit_event where outcome = 'done' group by 1`,
      )
    ).map(({ verb, n }) => [verb, n]),
  );
  // the run went everywhere that it was to go
  for (const verb of [
    'release.seal',
    'release.reopen',
    'release.activate',
    'release.rollback',
    'generation.retire',
  ]) {
    expect(moved[verb] ?? 0, verb).toBeGreaterThan(3);
  }
  for (const became of ['done', 'sealed', 'claimed_by', 'no_data']) {
    expect(ledger.runs.became.get(became) ?? 0, became).toBeGreaterThan(3);
  }
  expect(ledger.published.corrections).toBeGreaterThan(100);
  expect(events).toBeGreaterThan(ROUNDS);
}, 900_000);
