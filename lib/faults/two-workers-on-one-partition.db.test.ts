import { sql } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { one } from '@/lib/db/client';
import { renewAttempt, settleAttempt } from '@/lib/db/statements/attempt';
import { Attempts } from '@/lib/faults/support/attempts';
import { Scenario } from '@/lib/faults/support/scenario';
import { moves } from '@/lib/services/release';
import { buildPartition } from '@/lib/services/steps/build-partition';
import { failedAttempt } from '@/lib/services/steps/failed-attempt';
import { race } from '@/lib/testing/race';
import { traceOf } from '@/lib/testing/refusal';
import { as } from '@/lib/testing/world';

let s: Scenario;
let a: Attempts;

beforeAll(async () => {
  s = await Scenario.open();
  a = await Attempts.open(s);
});
afterAll(() => s.t.close());

describe('two workers on one partition', () => {
  afterEach(() => s.expectAll('order_tax-g1'));

  it('claim one after the other, and never the same', async () => {
    const { first, second } = await race(
      s.t.url,
      (db) => a.claim(db, 'w1'),
      (db) => a.claim(db, 'w2'),
    );
    expect(first).toMatchObject({
      value: { kind: 'claimed', attempt: { start: '2011-01-04T00:00:00Z' } },
    });
    expect(second).toMatchObject({
      value: { kind: 'claimed', attempt: { start: '2011-01-05T00:00:00Z' } },
    });
    // two at once were frozen as the limit
    expect(await a.claim(s.db, 'w3')).toEqual({ kind: 'none', why: 'limit' });
    for (const { start } of await a.partitions()) {
      const token = await one<{ token: string | null }>(
        s.db,
        sql`select token from control.release_partition where start_at = ${start}`,
      );
      if (token.token === null) continue;
      const attempt = { release: a.id, start, end: start, attempt: 1, token: token.token };
      expect(await settleAttempt(s.db, attempt, 'cancelled', null)).toBe(true);
    }
  });

  it('never pass the limit, however many ask at once', async () => {
    const pool = s.t.connect('tool', 8);
    const claims = await Promise.all(Array.from({ length: 8 }, (_, i) => a.claim(pool, `w${i}`)));
    expect(claims.filter((c) => c.kind === 'claimed')).toHaveLength(2);
    for (const c of claims) {
      if (c.kind === 'claimed') await settleAttempt(s.db, c.attempt, 'cancelled', null);
    }
  });

  it('claim nothing once a pause that they waited for is there', async () => {
    const { first, second } = await race(
      s.t.url,
      (db) => moves.pause(as(db, 'dee'), { release: a.release }),
      (db) => a.claim(db, 'w1'),
    );
    expect(first.status).toBe('fulfilled');
    expect(second).toEqual({ status: 'fulfilled', value: { kind: 'none', why: 'paused' } });
    await s.w.move('dee', 'resume', a.release);
  });

  it('an old token that wakes up after its partition was given away writes nothing', async () => {
    const sleeping = await a.mustClaim('sleeper');
    await a.expire(sleeping);
    expect(await a.reclaim(s.db)).toMatchObject([{ start: sleeping.start }]);
    const waking = await a.mustClaim('waker');
    expect(waking).toMatchObject({ start: sleeping.start, attempt: sleeping.attempt + 1 });

    const before = await traceOf(s.db);
    expect(await buildPartition(s.db, sleeping)).toEqual({ kind: 'stale' });
    expect(await renewAttempt(s.db, sleeping, 30)).toBe(false);
    await failedAttempt(s.db, sleeping, 'too late');
    expect(await settleAttempt(s.db, sleeping, 'accepted', null)).toBe(false);
    const after = await traceOf(s.db);
    // only which connection had last tried is noted
    expect({ ...after, 'control.attempt': '' }).toEqual({ ...before, 'control.attempt': '' });

    expect(await buildPartition(s.db, waking)).toEqual({ kind: 'accepted', rows: '1' });
    expect(await buildPartition(s.db, sleeping)).toEqual({ kind: 'stale' });
    expect(await a.built()).toEqual([{ line: 'l4', tax: '20.00' }]);
    expect(await a.receipts()).toEqual([{ start: waking.start, attempt: waking.attempt }]);
  });

  it('a worker that froze inside its transaction is cut off, and the next one builds', async () => {
    const frozen = await a.mustClaim('frozen');
    await a.expire(frozen);
    const { first, second } = await race(
      s.t.url,
      (db) => buildPartition(db, frozen),
      (db) => a.reclaim(db),
      { expect: 'passed' },
    );
    expect(first.status).toBe('rejected');
    expect(second.status).toBe('fulfilled');
    // the sweeper goes round again until the connection has let go
    await expect
      .poll(() => a.reclaim(s.db).then(() => a.partitions()), { timeout: 10_000 })
      .toContainEqual({
        start: frozen.start,
        state: 'planned',
        attempt: frozen.attempt,
      });
    expect(await a.built()).toHaveLength(1);
    expect(await buildPartition(s.db, await a.mustClaim('next'))).toMatchObject({
      kind: 'accepted',
    });
    expect(await a.built()).toHaveLength(2);
  });
});

it('what they built between them is cut over, each row once', async () => {
  await s.w.work(a.release);
  await s.w.move('ana', 'rehearse', a.release);
  await s.w.work(a.release);
  await s.signed(a.release);
  await s.w.move('dee', 'activate', a.release);
  await s.expectAll('vat-fix-g2');
});
