import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { affected, type Database, rows } from '@/lib/db/client';
import { provisionToken } from '@/lib/services/people/tokens';
import { built, cutOver, openItems, priceRelease } from '@/lib/testing/items';
import { send, type TestAnswer } from '@/lib/web/api/test-client';
import { useWebDatabase } from '@/lib/web/db';

vi.stubEnv('AUTH_SECRET', 'a secret of this test only');
vi.stubEnv('LOG_LEVEL', 'silent');

const READS = 10_000;
const SWITCHES = 50;
/** Every row's value is the factor of the generation that it is of. */
const ROWS = 60;

let shop: Awaited<ReturnType<typeof openItems>>;
let token = '';
/** By the name of a generation. */
const factors = new Map<string, number>([['prices-g1', 1]]);
const reads = { view: 0, unpinned: 0, paged: 0, pinned: 0 };
let switches = 0;
let over = false;

const total = () => reads.view + reads.unpinned + reads.paged + reads.pinned;
const at = (n: number) => `2011-01-${String(3 + (n % 8)).padStart(2, '0')}T12:00:00Z`;

beforeAll(async () => {
  shop = await openItems();
  useWebDatabase(shop.t.connect('web'));
  await shop.append(
    Array.from({ length: ROWS }, (_, n) => ({ id: `i${n}`, code: `C${n}`, at: at(n) })),
  );
  await shop.w.live('prices');
  ({ token } = await provisionToken(shop.t.db, {
    person: 'reader',
    roles: ['reader'],
    requestId: 'set-up',
  }));
});
afterAll(() => shop.t.close());

interface Page {
  generation: string;
  rows: { code: string; value: string }[];
  lease: { id: string };
  nextCursor: string | null;
}

/** One request for rows: answered, and every row of the generation that it says. */
async function page(query: string): Promise<Page> {
  const answer: TestAnswer<Page> = await send('GET', `/datasets/prices/rows?${query}`, { token });
  if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`);
  const { generation, rows: found } = answer.body;
  expect(answer.headers.get('x-interlock-generation')).toBe(generation);
  expect([...new Set(found.map((row) => Number(row.value)))]).toEqual([factors.get(generation)]);
  return answer.body;
}

async function readView(db: Database): Promise<void> {
  const found = await rows<{ value: string; n: number }>(
    db,
    sql`select value, count(*)::int as n from read.prices group by value`,
  );
  expect(found).toHaveLength(1);
  expect(found[0]?.n).toBe(ROWS);
  reads.view += 1;
}

async function readUnpinned(): Promise<void> {
  expect((await page('limit=100')).rows).toHaveLength(ROWS);
  reads.unpinned += 1;
}

/** From the first page to the last: one generation, every row once. */
async function readPages(): Promise<void> {
  const seen = new Set<string>();
  let cursor: string | null = null;
  let generation: string | null = null;
  do {
    const found: Page = await page(`limit=25${cursor ? `&cursor=${cursor}` : ''}`);
    generation ??= found.generation;
    expect(found.generation).toBe(generation);
    for (const { code } of found.rows) seen.add(code);
    cursor = found.nextCursor;
    reads.paged += 1;
  } while (cursor !== null);
  expect(seen.size).toBe(ROWS);
}

/** Several reads under one lease, whatever is switched between them. */
async function readPinned(): Promise<void> {
  const lease: TestAnswer<{ id: string; generation: string }> = await send(
    'POST',
    '/datasets/prices/leases',
    { token, body: { seconds: 60 } },
  );
  expect(lease.status).toBe(201);
  for (let n = 0; n < 4; n++) {
    const found = await page(`limit=100&lease=${lease.body.id}`);
    expect(found.generation).toBe(lease.body.generation);
    expect(found.rows).toHaveLength(ROWS);
    reads.pinned += 1;
  }
  await send('DELETE', `/leases/${lease.body.id}`, { token });
}

async function reader(read: () => Promise<void>): Promise<void> {
  while (!over) await read();
}

/** A release that multiplies everything, cut over and rolled back, again and again. */
async function switcher(): Promise<void> {
  for (let n = 2; switches < SWITCHES || total() < READS; n++) {
    factors.set(`times${n}-g`, n);
    const release = await built(
      shop.w,
      priceRelease(`times${n}`, `select code, at, value * ${n} as value from source`, {
        expectedDiff: [{ rule: 'any', where: 'true', columns: ['value'] }],
      }),
    );
    await cutOver(shop.w, release);
    switches += 1;
    await shop.w.move('dee', 'rollback', release);
    await shop.w.work(release);
    expect(await shop.w.state(release)).toBe('ROLLED_BACK');
    switches += 1;
    // what was gone back from is over: nobody has to copy for it
    await affected(
      shop.t.db,
      sql`update control.generation set kept_until = clock_timestamp() + interval '1 minute'
        where state = 'kept'`,
    );
  }
}

it(`answers ${READS} reads during ${SWITCHES} switches, none of them mixed`, async () => {
  const views = shop.t.connect('tool', 2);
  await Promise.all([
    switcher().finally(() => {
      over = true;
    }),
    reader(() => readView(views)),
    reader(() => readView(views)),
    reader(readUnpinned),
    reader(readPages),
    reader(readPinned),
  ]);
  expect(switches).toBeGreaterThanOrEqual(SWITCHES);
  expect(total()).toBeGreaterThanOrEqual(READS);
  for (const n of Object.values(reads)) expect(n).toBeGreaterThan(READS / 20);
}, 900_000);
