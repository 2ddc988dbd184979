import { sql } from 'drizzle-orm';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { affected, array, one, rows } from '@/lib/db/client';
import { loadSource, type SourceShape } from '@/lib/db/dataset-shape';
import { type Fact, factsOfKeys } from '@/lib/db/statements/facts';
import { LogPruned, logEnd, nextBatch } from '@/lib/db/statements/progress';
import { transaction } from '@/lib/db/transaction';
import { sourceView } from '@/lib/queries/source-view';
import { appendEvents, applySource } from '@/lib/services/source';
import { type TestDatabase, testDatabase } from '@/lib/testing/database';
import { race } from '@/lib/testing/race';
import { refusalOf } from '@/lib/testing/refusal';
import { as, castPeople } from '@/lib/testing/world';
import { pruneLogs } from './prune-logs';

let t: TestDatabase;
beforeAll(async () => {
  t = await testDatabase();
  await castPeople(t.db);
});
afterAll(() => t.close());

const SHARDS = 3;
const KEYS = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];

interface Step {
  key: string;
  revision: number;
  op: 'upsert' | 'delete';
}

const eventOf = ({ key, revision, op }: Step) => ({
  eventId: `${key}-${revision}`,
  key,
  revision,
  op,
  payload: op === 'delete' ? undefined : { id: key, value: `${revision}` },
});

let serial = 0;
/** A source of its own, of three shards, pruned after a day. */
async function openSource(): Promise<SourceShape> {
  const name = `log${++serial}`;
  await applySource(as(t.db, 'root'), {
    name,
    columns: [
      { name: 'id', type: 'text', nullable: false },
      { name: 'value', type: 'numeric', nullable: true },
    ],
    key: ['id'],
    shards: SHARDS,
    retentionDays: 1,
  });
  return (await loadSource(t.db, name)) as SourceShape;
}

const append = (source: string, steps: readonly Step[]) =>
  appendEvents(as(t.db, 'feed'), { source, events: steps.map(eventOf) });

/** Makes what is at or below a watermark older than any retention of a day. */
const age = (source: string, upto: readonly string[]) =>
  affected(
    t.db,
    sql`update control.source_event set received_at = clock_timestamp() - interval '25 hours'
      where source = ${source} and "offset" <= (${array(upto, 'bigint')})[shard + 1]`,
  );

interface Logged {
  shard: number;
  offset: string;
  key: string;
  revision: string;
  op: string;
  payload: Fact['payload'];
  effective: boolean;
}

const logOf = (source: string) =>
  rows<Logged>(
    t.db,
    sql`select shard, "offset", key, revision, op, payload, effective from control.source_event
      where source = ${source} order by shard, "offset"`,
  );

/** facts(W) said naively over the whole log: the highest revision of each key at or below W. */
function naive(log: readonly Logged[], watermark: readonly string[]): Record<string, unknown> {
  const newest = new Map<string, Logged>();
  for (const event of log) {
    if (BigInt(event.offset) > BigInt(watermark[event.shard] ?? '0')) continue;
    const known = newest.get(event.key);
    if (!known || BigInt(event.revision) > BigInt(known.revision)) newest.set(event.key, event);
  }
  return Object.fromEntries(
    [...newest.values()]
      .filter((e) => e.op === 'upsert')
      .map((e) => [e.key, { revision: e.revision, payload: e.payload }]),
  );
}

async function factsAt(source: SourceShape, watermark: readonly string[]) {
  const facts = await factsOfKeys(t.db, source, KEYS, watermark);
  return Object.fromEntries(
    facts
      .filter((f) => f.payload !== null)
      .map((f) => [f.key, { revision: f.revision, payload: f.payload }]),
  );
}

async function prunedTo(source: string): Promise<string[]> {
  const view = await sourceView(t.db, source);
  return view.shards.map((s) => String(BigInt(s.retainedFrom) - 1n));
}

/** What the log must hold: the newest event of each key that lives at the bound, and all above. */
function expectedLog(log: readonly Logged[], bound: readonly string[]): string[] {
  const base = naive(log, bound);
  return log
    .filter((e) => {
      if (BigInt(e.offset) > BigInt(bound[e.shard] ?? '0')) return true;
      return (base[e.key] as { revision: string } | undefined)?.revision === e.revision;
    })
    .map((e) => `${e.shard}:${e.offset} ${e.key} r${e.revision}`);
}

const written = (log: readonly Logged[]) =>
  log.map((e) => `${e.shard}:${e.offset} ${e.key} r${e.revision}`);

const step = fc.record({
  key: fc.constantFrom(...KEYS),
  revision: fc.integer({ min: 1, max: 12 }),
  op: fc.constantFrom<Step['op']>('upsert', 'upsert', 'upsert', 'delete'),
});

describe('a pruned log', () => {
  it('has the same facts at every watermark from its bound on, however it came to be', async () => {
    const round = fc.record({
      batches: fc.array(fc.array(step, { minLength: 1, maxLength: 8 }), {
        minLength: 1,
        maxLength: 4,
      }),
      // in per cent of a shard: doubles would nearly all be next to 0
      share: fc.array(fc.integer({ min: 0, max: 100 }), { minLength: SHARDS, maxLength: SHARDS }),
      size: fc.integer({ min: 1, max: 6 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(round, { minLength: 1, maxLength: 3 }), async (rounds) => {
        const source = await openSource();
        const contents = new Map<string, Step['op']>();
        let whole: Logged[] = [];
        for (const { batches, share, size } of rounds) {
          for (const batch of batches) {
            // one content to a revision: another one would be a conflict while it is kept
            const steps = batch.map((s) => {
              const id = `${s.key}-${s.revision}`;
              const op = contents.get(id) ?? s.op;
              contents.set(id, op);
              return { ...s, op };
            });
            await append(source.name, steps);
          }
          const seen = new Set(written(whole));
          const now = await logOf(source.name);
          whole = [...whole, ...now.filter((e) => !seen.has(written([e])[0] ?? ''))];

          const end = await logEnd(t.db, source.name);
          const upto = end.map((last, shard) =>
            String(Math.floor((Number(last) * (share[shard] ?? 0)) / 100)),
          );
          await age(source.name, upto);
          await pruneLogs(t.db, { size, chunks: 1000 });

          const bound = await prunedTo(source.name);
          expect(bound.every((b, shard) => BigInt(b) >= BigInt(upto[shard] ?? '0'))).toBe(true);
          const sorted = [...whole].sort(
            (a, b) => a.shard - b.shard || Number(BigInt(a.offset) - BigInt(b.offset)),
          );
          const kept = await logOf(source.name);
          expect(written(kept)).toEqual(expectedLog(sorted, bound));
          expect((await sourceView(t.db, source.name)).size).toBe(String(kept.length));
          for (const part of [0, 0.3, 0.6, 1]) {
            const at = end.map((last, shard) => {
              const from = Number(bound[shard]);
              return String(from + Math.round((Number(last) - from) * part));
            });
            expect(await factsAt(source, at)).toEqual(naive(sorted, at));
          }
          // what was pruned comes again: it is logged, and resurrects nothing
          const before = await factsAt(source, end);
          const again = [...contents].map(([id, op]) => {
            const [key, revision] = id.split('-') as [string, string];
            return { key, revision: Number(revision), op };
          });
          expect((await append(source.name, again)).accepted).toBe(0);
          expect(await factsAt(source, await logEnd(t.db, source.name))).toEqual(before);
          const more = new Set(written(whole));
          whole = [
            ...whole,
            ...(await logOf(source.name)).filter((e) => !more.has(written([e])[0] ?? '')),
          ];
        }
      }),
      { numRuns: 25 },
    );
  });

  it('keeps a live key’s newest event however old it is, and nothing of a deleted key', async () => {
    const source = await openSource();
    await append(source.name, [
      { key: 'a', revision: 1, op: 'upsert' },
      { key: 'b', revision: 1, op: 'upsert' },
      { key: 'a', revision: 5, op: 'upsert' },
      { key: 'a', revision: 3, op: 'upsert' },
      { key: 'b', revision: 9, op: 'delete' },
    ]);
    await age(source.name, await logEnd(t.db, source.name));
    expect(await pruneLogs(t.db)).toBe(4);
    expect((await logOf(source.name)).map((e) => `${e.key} r${e.revision}`)).toEqual(['a r5']);

    // below a delete that is gone: not effective, by what the log has ever seen
    const late = await append(source.name, [
      { key: 'b', revision: 7, op: 'upsert' },
      { key: 'b', revision: 9, op: 'delete' },
    ]);
    expect(late).toMatchObject({ accepted: 0, duplicates: 0, stale: 2 });
    expect(await factsAt(source, await logEnd(t.db, source.name))).toEqual({
      a: { revision: '5', payload: { id: 'a', value: '5' } },
    });
    // what is kept is still known: by its content, and by its offset
    const kept = { key: 'a', revision: 5, op: 'upsert' } as const;
    expect(await append(source.name, [kept])).toMatchObject({ duplicates: 1 });
    expect(
      await refusalOf(append(source.name, [{ key: 'a', revision: 5, op: 'delete' }])),
    ).toMatchObject({ code: 'EVENT_CONFLICT' });
    // and a newer revision brings the key back
    expect(await append(source.name, [{ key: 'b', revision: 10, op: 'upsert' }])).toMatchObject({
      accepted: 1,
    });
    expect(Object.keys(await factsAt(source, await logEnd(t.db, source.name)))).toEqual(['a', 'b']);
  });

  it('of a source without a retention is whole, however old', async () => {
    const source = await openSource();
    await append(
      source.name,
      [1, 2, 3].map((revision) => ({ key: 'a', revision, op: 'upsert' })),
    );
    const body = {
      columns: source.columns,
      key: source.key,
      shards: SHARDS,
    };
    expect(await applySource(as(t.db, 'root'), { name: source.name, ...body })).toEqual({
      created: false,
    });
    await age(source.name, await logEnd(t.db, source.name));
    expect(await pruneLogs(t.db)).toBe(0);
    await applySource(as(t.db, 'root'), { name: source.name, ...body, retentionDays: 2 });
    // 25 hours are no two days
    expect(await pruneLogs(t.db)).toBe(0);
    await applySource(as(t.db, 'root'), { name: source.name, ...body, retentionDays: 1 });
    expect(await pruneLogs(t.db)).toBe(2);
  });
});

describe('a round of pruning', () => {
  const many = (from: number, to: number) =>
    Array.from(
      { length: to - from },
      (_, i): Step => ({
        key: KEYS[i % KEYS.length] as string,
        revision: from + i,
        op: i % 5 === 4 ? 'delete' : 'upsert',
      }),
    );

  it('that was killed in a chunk, or between two, is gone on with', async () => {
    const source = await openSource();
    await append(source.name, many(1, 60));
    const end = await logEnd(t.db, source.name);
    const before = await logOf(source.name);
    await age(source.name, end);
    expect(await pruneLogs(t.db, { size: 4, chunks: 1 })).toBeGreaterThan(0);
    const half = await logOf(source.name);
    const bound = await prunedTo(source.name);

    const { first } = await race(
      t.url,
      (db) => pruneLogs(db, { size: 4, chunks: 1 }),
      (db) =>
        rows(
          db,
          sql`select pg_terminate_backend(pid, 10000) from pg_stat_activity
            where datname = current_database() and application_name like 'race-first-%'
              and state = 'idle in transaction'`,
        ),
      { expect: 'passed' },
    );
    expect(first.status).toBe('rejected');
    expect(await logOf(source.name)).toEqual(half);
    expect(await prunedTo(source.name)).toEqual(bound);

    await pruneLogs(t.db, { size: 4, chunks: 1000 });
    expect(await prunedTo(source.name)).toEqual(end);
    expect(written(await logOf(source.name))).toEqual(expectedLog(before, end));
  });

  it('passes by a source that another process prunes', async () => {
    const source = await openSource();
    await append(source.name, many(1, 30));
    await age(source.name, await logEnd(t.db, source.name));
    const { first, second } = await race(
      t.url,
      (db) => pruneLogs(db),
      (db) => pruneLogs(db),
      { expect: 'passed' },
    );
    expect(first).toMatchObject({ status: 'fulfilled' });
    expect(second).toEqual({ status: 'fulfilled', value: 0 });
  });

  it('never keeps an append waiting for more than its own end', async () => {
    const source = await openSource();
    await append(source.name, many(1, 30));
    await age(source.name, await logEnd(t.db, source.name));
    const { first, second } = await race(
      t.url,
      (db) => pruneLogs(db),
      (db) =>
        appendEvents(as(db, 'feed'), { source: source.name, events: many(31, 60).map(eventOf) }),
    );
    expect([first.status, second.status]).toEqual(['fulfilled', 'fulfilled']);
    const log = await logOf(source.name);
    expect((await sourceView(t.db, source.name)).size).toBe(String(log.length));
    const end = await logEnd(t.db, source.name);
    expect(await factsAt(source, end)).toEqual(naive(log, end));
  });
});

describe('a reader of a pruned log', () => {
  const batch = (source: string, progress: string[], fromNothing: boolean, size = 100) =>
    transaction(t.db, async (tx) =>
      nextBatch(tx, source, progress, await logEnd(tx, source), size, fromNothing),
    );

  it('may begin from nothing, a batch of events at a time; every other one is told', async () => {
    const source = await openSource();
    const steps = Array.from(
      { length: 70 },
      (_, i): Step => ({
        key: KEYS[i % KEYS.length] as string,
        revision: i + 1,
        op: 'upsert',
      }),
    );
    await append(source.name, steps);
    const bound = await logEnd(t.db, source.name);
    await age(source.name, bound);
    await pruneLogs(t.db);
    await append(source.name, [{ key: 'a', revision: 99, op: 'upsert' }]);

    // each shard's base in one batch, although its offsets are far apart
    const zero = bound.map(() => '0');
    const base = await batch(source.name, zero, true, KEYS.length);
    expect([base.end, base.keys]).toEqual([bound, KEYS]);
    expect((await batch(source.name, bound, true)).keys).toEqual(['a']);
    expect((await batch(source.name, bound, false)).keys).toEqual(['a']);
    const single = await batch(source.name, zero, true, 1);
    expect(single.keys).toHaveLength(SHARDS);

    await expect(batch(source.name, zero, false)).rejects.toThrow(LogPruned);
    const below = bound.map((b) => String(BigInt(b) - 1n));
    await expect(batch(source.name, below, false)).rejects.toThrow(/whole from/);
  });

  it('is told of a hole where the log should be whole, also from nothing', async () => {
    const source = await openSource();
    await append(
      source.name,
      [1, 2, 3].map((revision) => ({ key: 'a', revision, op: 'upsert' })),
    );
    await affected(
      t.db,
      sql`delete from control.source_event where source = ${source.name} and revision = 2`,
    );
    const zero = Array(SHARDS).fill('0');
    await expect(batch(source.name, zero, false)).rejects.toThrow('it holds 2 of 3 events');
    await expect(batch(source.name, zero, true)).rejects.toThrow(LogPruned);
  });
});

describe('a source’s retention', () => {
  it('may be changed, and is audited; what else differs is named and refused', async () => {
    const source = await openSource();
    const apply = (more: Record<string, unknown>) =>
      applySource(as(t.db, 'root'), {
        name: source.name,
        columns: source.columns,
        key: source.key,
        shards: SHARDS,
        ...more,
      });
    const audited = async () =>
      one<{ before: unknown; after: unknown; count: number }>(
        t.db,
        sql`select (array_agg(before order by seq desc))[1] as before,
            (array_agg(after order by seq desc))[1] as after, count(*)::int as count
          from control.audit_event where subject = ${source.name} and outcome <> 'refused'`,
      );
    expect(await apply({ retentionDays: 1 })).toEqual({ created: false });
    expect((await audited()).count).toBe(1);
    expect(await apply({ retentionDays: 30 })).toEqual({ created: false });
    expect((await sourceView(t.db, source.name)).retentionDays).toBe(30);
    expect(await audited()).toEqual({
      before: { retentionDays: 1 },
      after: { retentionDays: 30 },
      count: 2,
    });
    const refused = apply({ retentionDays: 7, shards: 5, complete: false });
    await expect(refused).rejects.toThrow(/other shards, complete;/);
    expect((await sourceView(t.db, source.name)).retentionDays).toBe(30);
    await apply({});
    expect((await sourceView(t.db, source.name)).retentionDays).toBeNull();
  });
});
