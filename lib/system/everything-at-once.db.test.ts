import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { affected, type Database, one, rows } from '@/lib/db/client';
import { isRetryable } from '@/lib/db/pg-error';
import type { Instant } from '@/lib/domain/instant';
import { applyLive } from '@/lib/services/apply/apply-live';
import { claim } from '@/lib/services/claims';
import { amend, publish } from '@/lib/services/publication';
import { askRun, retryRun } from '@/lib/services/runs';
import { scheduleRuns } from '@/lib/services/runs/schedule';
import { appendEvents } from '@/lib/services/source';
import { walkRun } from '@/lib/services/steps/run-walk';
import { cutOver, type Item, item, openItems, priceRelease } from '@/lib/testing/items';
import { as } from '@/lib/testing/world';
import { differences, type Logged, standing } from './facts';

const dataset = 'prices';
/** In years to come, so that a schedule that is set today names them. */
const start = (n: number) => `2031-01-${String(n).padStart(2, '0')}T00:00:00Z`;
const noon = (n: number) => start(n).replace('T00', 'T12');
/** The range of both runs; the release has the 4th to the 8th. */
const DAYS = [3, 4, 5, 6, 7, 8, 9, 10];
const ITEMS = 48;
const inRelease = (n: number) => n >= 4 && n < 9;

let shop: Awaited<ReturnType<typeof openItems>>;
const revisions = Array<number>(ITEMS).fill(1);
let over = false;
/** Batches that were applied, by what the release was doing then. */
const applied = new Map<string, number>();
let doing = 'building';

beforeAll(async () => {
  shop = await openItems({
    rollups: [{ metric: 'total', sql: 'sum(value)' }],
    policy: {
      approvals: { cutover: 1, rollback: 1 },
      runs: { cron: '0 0 * * *', partitions: DAYS.length },
    },
  });
  await shop.append(
    revisions.map((_, n): Item => ({ id: `i${n}`, code: `Ci${n}`, at: noon(3 + (n % 8)) })),
  );
  await shop.w.live(dataset);
});
afterAll(() => shop.t.close());

/** Changes, moves and deletes, as fast as the log takes them. */
async function writer(db: Database): Promise<void> {
  for (let n = 0; !over; n++) {
    const batch = [n, n * 7 + 3, n * 11 + 5].map((each) => each % ITEMS);
    const events = [...new Set(batch)].map((each) => {
      const revision = (revisions[each] ?? 0) + 1;
      revisions[each] = revision;
      return item({
        id: `i${each}`,
        code: `Ci${each}`,
        at: noon(3 + ((each + revision * 3) % 8)),
        value: String(1 + (revision % 9)),
        revision,
        op: (each + revision) % 9 === 0 ? 'delete' : 'upsert',
      });
    });
    await appendEvents(as(db, 'feed'), { source: 'items', events });
  }
}

async function applier(db: Database): Promise<void> {
  while (!over) {
    const outcome = await patiently(() => applyLive(db, dataset, null, { size: 20 }));
    if (outcome.kind === 'applied' && outcome.applied.scanned > 0) {
      applied.set(doing, (applied.get(doing) ?? 0) + 1);
    }
  }
}

/** Again where somebody held what it needs for too long. */
async function patiently<T>(does: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await does();
    } catch (error) {
      if (!isRetryable(error)) throw error;
    }
  }
}

/** What a runner does with a run until it has ended, without the seconds between its looks. */
async function walked(db: Database, run: string): Promise<string> {
  while ((await walkRun(db, run)) !== 'ended') {
    await affected(db, sql`update control.run set lease_until = null where id = ${run}`);
  }
  return run;
}

const signal = () => {
  let give = () => {};
  const given = new Promise<void>((resolve) => {
    give = resolve;
  });
  return { give, given };
};
const claimed = signal();

/** Waits until both runs know what they skip. */
const decided = (db: Database) =>
  expect
    .poll(() => rows(db, sql`select 1 from control.run where generation is not null`), {
      timeout: 120_000,
      interval: 10,
    })
    .toHaveLength(2);

async function releaser(): Promise<string> {
  const { w } = shop;
  const release = await w.draft(
    priceRelease('ten', 'select code, at, value * 10 as value from source', {
      range: { from: start(4), to: start(9) },
      expectedDiff: [{ rule: 'ten', where: 'true', columns: ['value'] }],
    }),
  );
  await w.move('ana', 'pin', release);
  await w.work(release);
  await w.move('ana', 'build', release);
  claimed.give();
  await w.work(release);
  await w.move('ana', 'rehearse', release);
  await w.work(release);
  await decided(shop.t.db);
  doing = 'switching';
  await cutOver(w, release);
  doing = 'serving';
  return release;
}

async function scheduled(db: Database): Promise<string> {
  await claimed.given;
  expect(await scheduleRuns(db, '2031-01-11T00:00:30Z' as Instant)).toBe(1);
  const { id } = await one<{ id: string }>(
    db,
    sql`select id from control.run where kind = 'scheduled'`,
  );
  return walked(db, id);
}

async function adhoc(db: Database): Promise<string> {
  await claimed.given;
  const range = { dataset, from: start(3), to: start(11) };
  const { id } = await askRun(as(db, 'ana'), { ...range, owner: 'ana' });
  return walked(db, id);
}

const reportOf = async (run: string) =>
  (
    await rows<{ text: string }>(
      shop.t.db,
      sql`select to_char(start_at, 'FMDD') || ' ' || coalesce(reason, state) as text
        from control.run_partition where run = ${run} order by start_at`,
    )
  ).map(({ text }) => text);

const logged = () =>
  rows<Logged>(
    shop.t.db,
    sql`select event_id as "eventId", key as id, revision, op, shard, "offset",
        payload ->> 'at' as at, payload ->> 'value' as value
      from control.source_event where source = 'items' order by shard, "offset"`,
  );

/** Rows of days from the facts up to a watermark alone. */
function made(log: readonly Logged[], progress: readonly string[], factor: (n: number) => number) {
  return [...standing(log, progress)].map(([id, { at, value }]) => {
    const on = Number(at.slice(8, 10));
    return {
      on,
      text: `C${id} ${on} ${Number(value) * factor(on)}`,
      value: Number(value) * factor(on),
    };
  });
}

it('live writes, a scheduled run, an ad-hoc run and a release over one range end with the facts', async () => {
  const { t } = shop;
  // within the release's range and outside of it; and a day that somebody else has claimed
  await publish(as(t.db, 'ana'), { dataset, from: start(5), to: start(6), sentTo: 'finance' });
  await publish(as(t.db, 'ana'), { dataset, from: start(10), to: start(11), sentTo: 'finance' });
  await claim(as(t.db, 'dee'), { dataset, from: start(3), to: start(4), owner: 'dee' });

  const connections = Array.from({ length: 5 }, () => t.connect('tool', 2));
  const [feed, live, other, first, second] = connections as [
    Database,
    Database,
    Database,
    Database,
    Database,
  ];
  const beside = [writer(feed), applier(live), applier(other)];
  const [release, byClock, byHand] = await Promise.all([
    releaser(),
    scheduled(first),
    adhoc(second),
  ]).catch((error) => {
    over = true;
    throw error;
  });
  await expect.poll(() => applied.get('serving') ?? 0, { timeout: 60_000 }).toBeGreaterThan(0);
  // what was skipped, over again, beside the same writers
  doing = 'retrying';
  const { id } = await retryRun(as(first, 'ana'), { run: byHand });
  await walked(first, id);
  await expect.poll(() => applied.get('retrying') ?? 0, { timeout: 60_000 }).toBeGreaterThan(0);
  over = true;
  await Promise.all(beside);
  await shop.w.live(dataset);

  for (const run of [byClock, byHand]) {
    expect(await reportOf(run)).toEqual([
      '3 claimed_by:dee',
      ...[4, 5, 6, 7, 8].map((n) => `${n} claimed_by:${release}`),
      '9 done',
      '10 sealed',
    ]);
  }
  expect(await reportOf(id)).toEqual([
    '3 claimed_by:dee',
    '4 done',
    '5 sealed',
    '6 done',
    '7 done',
    '8 done',
    '10 sealed',
  ]);
  expect(applied.get('building')).toBeGreaterThan(0);

  const log = await logged();
  const { progress } = await one<{ progress: string[] }>(
    t.db,
    sql`select p.offsets as progress from control.registry r
      join control.generation_progress p on p.generation = r.active_generation`,
  );
  const ends = [...progress.keys()].map((shard) =>
    String(log.filter((event) => event.shard === shard).length),
  );
  expect(progress).toEqual(ends);
  const published = await rows<{ on: number; progress: string[] }>(
    t.db,
    sql`select extract(day from start_at)::int as on, progress from control.published_partition`,
  );
  const facts = made(log, progress, (n) => (inRelease(n) ? 10 : 1));
  const sealed = published.flatMap((day) =>
    made(log, day.progress, () => 1).filter((row) => row.on === day.on),
  );
  const open = facts.filter((row) => !published.some((day) => day.on === row.on));
  const served = await rows<{ text: string }>(
    t.db,
    sql`select code || ' ' || to_char(at, 'FMDD') || ' ' || trim_scale(value) as text from read.prices`,
  );
  expect(
    differences(
      'what readers get',
      [...open, ...sealed].map((row) => row.text),
      served.map((row) => row.text),
    ),
  ).toEqual([]);
  // and what is served of the published days is, with its corrections, what the facts come to
  for (const { on } of published) {
    const now = facts.filter((row) => row.on === on);
    const amended = await amend(as(t.db, 'ana'), {
      dataset,
      partition: start(on),
      reason: 'the end',
    });
    expect(amended.after.rows).toBe(String(now.length));
    const { added } = await one<{ added: string }>(
      t.db,
      sql`select (p.rows + sum(c.rows_after - c.rows_before))::text || ' '
          || trim_scale(coalesce((p.partials ->> 'total')::numeric, 0)
            + sum(coalesce((c.partials_after ->> 'total')::numeric, 0)
              - coalesce((c.partials_before ->> 'total')::numeric, 0))) as added
        from control.published_partition p join control.correction c using (dataset, start_at)
        where p.start_at = ${start(on)}::timestamptz group by p.rows, p.partials`,
    );
    expect(added).toBe(`${now.length} ${now.reduce((sum, row) => sum + row.value, 0)}`);
  }
}, 300_000);
