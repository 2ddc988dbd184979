import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { affected, type Database, rows } from '@/lib/db/client';
import { storeCalendar } from '@/lib/db/statements/calendar';
import { claim, claimsView, releaseClaims } from '@/lib/services/claims';
import { race } from '@/lib/testing/race';
import { day, openShop, type Shop } from '@/lib/testing/shop';
import { as, type Person } from '@/lib/testing/world';

let shop: Shop;
let db: Database;
beforeAll(async () => {
  shop = await openShop();
  db = shop.t.db;
});
afterAll(() => shop.t.close());
beforeEach(async () => {
  await affected(db, sql`delete from control.claim`);
});

const dataset = 'order_tax';
const from = (n: number) => day(n, 0);
const range = (first: number, end: number, owner?: string) => ({
  dataset,
  from: from(first),
  to: from(end),
  owner,
});
const days = (...list: number[]) => list.map((n) => from(n));
const stored = () =>
  rows<{ start: string; owner: string }>(
    db,
    sql`select start_at as start, owner from control.claim order by start_at`,
  );
const audited = (verb: string) =>
  rows<{ outcome: string; actor: string; reason: string | null }>(
    db,
    sql`select outcome, actor, reason from control.audit_event where verb = ${verb} order by id`,
  );
const failure = async (promise: Promise<unknown>) =>
  promise.then(
    () => null,
    (error) => error,
  );

describe('claiming', () => {
  it('grants and denies date by date, and grants one’s own again', async () => {
    expect(await claim(as(db, 'ana'), range(4, 6, 'repair'))).toEqual({
      dataset,
      owner: 'repair',
      range: { from: from(4), to: from(6) },
      claimed: days(4, 5),
      denied: [],
    });
    expect(await claim(as(db, 'dee'), range(5, 8, 'nightly'))).toMatchObject({
      claimed: days(6, 7),
      denied: [[from(5), 'repair']],
    });
    expect(await claim(as(db, 'ana'), range(3, 8, 'repair'))).toMatchObject({
      claimed: days(3, 4, 5),
      denied: [
        [from(6), 'nightly'],
        [from(7), 'nightly'],
      ],
    });
    expect((await stored()).map((c) => c.owner)).toEqual([
      'repair',
      'repair',
      'repair',
      'nightly',
      'nightly',
    ]);
  });

  it('is the caller’s own without an owner’s name', async () => {
    expect((await claim(as(db, 'ana'), range(4, 5))).owner).toBe('ana');
    expect((await releaseClaims(as(db, 'ana'), range(4, 5))).released).toEqual(days(4));
  });

  it('writes one row of audit for a change or a denial, and none for nothing', async () => {
    const before = (await audited('dataset.claim')).length;
    await claim(as(db, 'ana'), range(4, 6, 'repair'));
    await claim(as(db, 'ana'), range(4, 6, 'repair'));
    await claim(as(db, 'dee'), range(4, 7, 'nightly'));
    await claim(as(db, 'dee'), range(4, 5, 'nightly'));
    expect((await audited('dataset.claim')).slice(before)).toEqual([
      { outcome: 'done', actor: 'ana', reason: null },
      { outcome: 'done', actor: 'dee', reason: '2 partitions are claimed by repair.' },
      { outcome: 'refused', actor: 'dee', reason: '1 partition is claimed by repair.' },
    ]);
  });

  it('goes by partitions that are longer or shorter than 24 hours, and beyond the plan', async () => {
    const answer = await claim(as(db, 'ana'), {
      dataset,
      from: '2011-03-26T00:00:00Z',
      to: '2011-03-28T23:00:00+00:00',
      owner: 'spring',
    });
    expect(answer.claimed).toEqual([
      '2011-03-26T00:00:00Z',
      '2011-03-27T00:00:00Z',
      '2011-03-27T23:00:00Z',
    ]);
  });
});

describe('letting go', () => {
  it('is of one’s own only, and says whose the rest is', async () => {
    await claim(as(db, 'ana'), range(4, 6, 'repair'));
    await claim(as(db, 'dee'), range(6, 8, 'nightly'));
    expect(await releaseClaims(as(db, 'ana'), range(5, 8, 'repair'))).toEqual({
      dataset,
      owner: 'repair',
      range: { from: from(5), to: from(8) },
      released: days(5),
      claimed: [],
      denied: [
        [from(6), 'nightly'],
        [from(7), 'nightly'],
      ],
    });
    expect((await stored()).map((c) => c.start)).toEqual(days(4, 6, 7));
    expect((await releaseClaims(as(db, 'ana'), range(5, 6, 'repair'))).released).toEqual([]);
  });
});

describe('what is refused', () => {
  it.each([
    ['an end within a partition', { to: day(6, 12) }, 'RANGE_NOT_ON_PARTITION_EDGE', '/to'],
    ['a start within one', { from: day(3, 1) }, 'RANGE_NOT_ON_PARTITION_EDGE', '/from'],
    ['a reversed range', { to: from(2) }, 'EMPTY_RANGE', '/from'],
    ['an empty range', { to: from(4) }, 'EMPTY_RANGE', '/from'],
    ['a time without an offset', { to: '2011-01-06T00:00:00' }, 'AMBIGUOUS_TIME', '/to'],
    ['no end', { to: undefined }, 'REQUIRED', '/to'],
    ['a year without a calendar', { to: '2300-01-01T00:00:00Z' }, 'RANGE_OUTSIDE_CALENDAR', '/to'],
    ['a release’s name', { owner: 'vat-fix@1' }, 'INVALID_NAME', '/owner'],
    ['a name of two lines', { owner: 'a\nb' }, 'INVALID_NAME', '/owner'],
    ['a name with blanks around it', { owner: ' a' }, 'INVALID_NAME', '/owner'],
    ['an unknown field', { owners: 'a' }, 'UNKNOWN_FIELD', '/owners'],
  ])('%s', async (_, more, code, pointer) => {
    for (const verb of [claim, releaseClaims]) {
      const error = await failure(verb(as(db, 'ana'), { ...range(4, 6, 'a'), ...more } as never));
      expect(error).toMatchObject({ code, issues: [expect.objectContaining({ pointer, code })] });
      if (code === 'RANGE_NOT_ON_PARTITION_EDGE') expect(error.issues[0].edges).toBeDefined();
    }
    expect(await stored()).toEqual([]);
  });

  it('a dataset that is not there', async () => {
    const error = await failure(claim(as(db, 'ana'), { ...range(4, 6, 'a'), dataset: 'nothing' }));
    expect(error).toMatchObject({ code: 'NOT_FOUND' });
    expect(await failure(claimsView(db, { dataset: 'nothing' }, 'ana'))).toMatchObject({
      code: 'NOT_FOUND',
    });
  });

  it.each(['bo', 'eve', 'root', 'feed', 'reader'] as Person[])('%s’s role', async (person) => {
    for (const verb of [claim, releaseClaims]) {
      const error = await failure(verb(as(db, person), range(4, 6, 'a')));
      expect(error).toMatchObject({ code: 'FORBIDDEN' });
    }
    expect(await stored()).toEqual([]);
  });

  it('edges that another zone database stored', async () => {
    const at = (text: string) => BigInt(Date.parse(text)) * 1000n;
    await storeCalendar(db as never, 'Europe/London', 'day', [
      { start: at('2031-05-01T00:00:00Z'), end: at('2031-05-02T00:00:00Z') },
    ]);
    const error = await failure(
      claim(as(db, 'ana'), {
        dataset,
        from: '2031-04-30T23:00:00Z',
        to: '2031-05-01T23:00:00Z',
        owner: 'a',
      }),
    );
    expect(error).toMatchObject({ code: 'RANGE_NOT_ON_PARTITION_EDGE' });
    expect(await stored()).toEqual([]);
  });
});

describe('what is shown', () => {
  it('puts consecutive partitions of one owner together, and says who stands where', async () => {
    await claim(as(db, 'ana'), range(4, 5, 'repair'));
    await claim(as(db, 'ana'), range(5, 6, 'repair'));
    await claim(as(db, 'dee'), range(6, 7, 'nightly'));
    await claim(as(db, 'ana'), range(7, 8, 'repair'));
    const view = await claimsView(db, { dataset, owner: 'repair' }, 'ana');
    expect(view.range).toEqual({ from: null, to: null });
    expect(view.claimed).toEqual(days(4, 5, 7));
    expect(view.denied).toEqual([[from(6), 'nightly']]);
    expect(
      view.claims.map(({ from, to, partitions, owner, by }) => [from, to, partitions, owner, by]),
    ).toEqual([
      [from(4), from(6), 2, 'repair', 'ana'],
      [from(6), from(7), 1, 'nightly', 'dee'],
      [from(7), from(8), 1, 'repair', 'ana'],
    ]);
    const part = await claimsView(db, { ...range(6, 8), owner: undefined }, 'dee');
    expect(part.range).toEqual({ from: from(6), to: from(8) });
    expect(part.denied).toEqual([
      [from(6), 'nightly'],
      [from(7), 'repair'],
    ]);
  });
});

describe.each([
  ['the low range first', 4, 6, 5, 8],
  ['the high range first', 5, 8, 4, 6],
])('two at once, %s', (_, a, b, c, d) => {
  it('never grants one partition twice', async () => {
    const { first, second } = await race(
      shop.t.url,
      (on) => claim(as(on, 'ana'), range(a, b, 'x')),
      (on) => claim(as(on, 'dee'), range(c, d, 'y')),
    );
    if (first.status !== 'fulfilled' || second.status !== 'fulfilled') {
      throw new Error('both have an answer');
    }
    expect(first.value.denied).toEqual([]);
    expect(second.value.denied).toEqual([[from(5), 'x']]);
    const both = [...first.value.claimed, ...second.value.claimed].sort();
    expect(both).toEqual(days(4, 5, 6, 7));
    expect((await stored()).map((row) => row.start)).toEqual(both);
  });

  it('grants what was let go while it waited', async () => {
    await claim(as(db, 'ana'), range(a, b, 'x'));
    const { first, second } = await race(
      shop.t.url,
      (on) => releaseClaims(as(on, 'ana'), range(a, b, 'x')),
      (on) => claim(as(on, 'dee'), range(c, d, 'y')),
    );
    expect(first.status).toBe('fulfilled');
    expect(second).toMatchObject({ status: 'fulfilled', value: { denied: [] } });
    expect((await stored()).every((row) => row.owner === 'y')).toBe(true);
  });
});

it('does not deadlock twenty owners who claim and let go of crossing ranges', async () => {
  const owners = Array.from({ length: 20 }, (_, n) => n);
  const answers = await Promise.all(
    owners.map(async (n) => {
      const mine = range(2 + (n % 4), 6 + (n % 3), `owner ${n}`);
      const got = await claim(as(db, 'ana'), mine);
      return n % 2 === 0
        ? { ...got, claimed: [], let: await releaseClaims(as(db, 'ana'), mine) }
        : got;
    }),
  );
  const held = await stored();
  const kept = answers.flatMap((answer) =>
    answer.claimed.map((start) => `${start} ${answer.owner}`),
  );
  expect(held.map(({ start, owner }) => `${start} ${owner}`)).toEqual(kept.sort());
});
