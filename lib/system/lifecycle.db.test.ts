import { sql } from 'drizzle-orm';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { one } from '@/lib/db/client';
import { Forbidden, Refused } from '@/lib/domain/refusal';
import { fix, openShop, type Shop } from '@/lib/testing/shop';
import { cast, type Person } from '@/lib/testing/world';

/** Where a move may lead, by hand; what is not here is refused. */
const table: Record<string, Record<string, readonly string[]>> = {
  DRAFT: { pin: ['SNAPSHOT_PINNED'], abandon: ['ABANDONED'] },
  SNAPSHOT_PINNED: { build: ['BUILDING'], reject: ['REJECTED'], abandon: ['ABANDONED'] },
  BUILDING: {
    rehearse: ['BUILDING'],
    seal: ['INGRESS_SEALED'],
    reject: ['REJECTED'],
    abandon: ['ABANDONED'],
  },
  INGRESS_SEALED: {
    reopen: ['BUILDING'],
    reject: ['REJECTED'],
    abandon: ['ABANDONED'],
    work: ['RECONCILED'],
  },
  RECONCILED: {
    approve: ['RECONCILED', 'APPROVED'],
    'sign-rollback': ['RECONCILED'],
    reject: ['REJECTED'],
    reopen: ['BUILDING'],
    abandon: ['ABANDONED'],
  },
  APPROVED: {
    activate: ['ACTIVE'],
    'sign-rollback': ['APPROVED'],
    reject: ['REJECTED'],
    reopen: ['BUILDING'],
    abandon: ['ABANDONED'],
  },
  ACTIVE: { rollback: ['ACTIVE'], 'sign-rollback': ['ACTIVE'], work: ['ACTIVE', 'ROLLED_BACK'] },
  REJECTED: {},
  ABANDONED: {},
  ROLLED_BACK: {},
};
/** Flags, which lead nowhere; and who may at all. */
const flags = ['pause', 'resume', 'hold', 'unhold'] as const;
const may: Record<string, readonly Person[]> = {
  pin: ['ana', 'both'],
  build: ['ana', 'both'],
  rehearse: ['ana', 'dee', 'both'],
  seal: ['ana', 'dee', 'both'],
  reopen: ['ana', 'dee', 'both'],
  abandon: ['ana', 'dee', 'both'],
  approve: ['bo', 'cyd', 'both'],
  'sign-rollback': ['bo', 'cyd', 'both'],
  reject: ['bo', 'cyd', 'both'],
  activate: ['dee', 'both'],
  rollback: ['dee', 'both'],
};

const moves = Object.keys(may);
const people = Object.keys(cast) as Person[];
/** Mostly what is next, by whom it is for; else anything by anybody. */
const step = fc.oneof(
  { weight: 6, arbitrary: fc.constant('next' as const) },
  {
    weight: 2,
    arbitrary: fc.record({
      move: fc.constantFrom(...moves, ...flags),
      person: fc.constantFrom(...people),
    }),
  },
  { weight: 1, arbitrary: fc.constant('work' as const) },
);

let shop: Shop;
let release = '';
let signed: Person = 'bo';
beforeAll(async () => {
  shop = await openShop();
});
afterAll(() => shop.t.close());

const standing = () =>
  one<{ state: string; version: number; held: boolean; paused: boolean }>(
    shop.t.db,
    sql`select state, version, held_at is not null as held, paused_at is not null as paused
      from control.release where name || '@' || revision = ${release}`,
  );
const evidence = async () =>
  (
    await one<{ evidence: string | null }>(
      shop.t.db,
      sql`select evidence from control.release where name || '@' || revision = ${release}`,
    )
  ).evidence ?? 'sha256:none';

/** The move that the line asks for, by somebody whose turn it is. */
function next(state: string): { move: string; person: Person } | 'work' {
  signed = signed === 'bo' ? 'cyd' : 'bo';
  switch (state) {
    case 'DRAFT':
      return { move: 'pin', person: 'ana' };
    case 'SNAPSHOT_PINNED':
      return { move: 'build', person: 'ana' };
    case 'BUILDING':
      return { move: 'seal', person: 'dee' };
    case 'RECONCILED':
      return { move: 'approve', person: signed };
    case 'APPROVED':
      return { move: 'activate', person: 'dee' };
    default:
      return 'work';
  }
}

async function make(person: Person, move: string): Promise<Error | null> {
  const body: Record<string, unknown> = { comment: 'because', reason: 'because' };
  if (move === 'approve' || move === 'sign-rollback') body.evidence = await evidence();
  try {
    await shop.w.move(person, move as never, release, body);
    return null;
  } catch (error) {
    if (error instanceof Refused || error instanceof Forbidden) return error;
    throw error;
  }
}

/** A digest of what moves change, in one statement: the property runs hundreds of them. */
async function trace(): Promise<unknown> {
  const tables = [
    'release',
    'release_state',
    'release_author',
    'registry',
    'generation',
    'generation_range',
    'evidence',
    'signature',
    'cutover',
    'rollback',
  ];
  return one(
    shop.t.db,
    sql.raw(
      `select ${tables
        .map(
          (name) =>
            `(select md5(coalesce(string_agg(x::text, '|' order by x::text), '')) from control.${name} x) as ${name}`,
        )
        .join(', ')}`,
    ),
  );
}

const refusals = async () =>
  (
    await one<{ n: number }>(
      shop.t.db,
      sql`select count(*)::int as n from control.audit_event where outcome = 'refused'`,
    )
  ).n;

async function tried(person: Person, move: string): Promise<void> {
  const before = await standing();
  const left = await trace();
  const told = `${move} by ${person} in ${before.state}`;
  const known = await refusals();
  const refused = await make(person, move);
  const after = await standing();
  if (refused) {
    expect(await trace(), told).toEqual(left);
    expect(await refusals(), told).toBe(known + 1);
    return;
  }
  if ((flags as readonly string[]).includes(move)) {
    expect(after.state, told).toBe(before.state);
    return;
  }
  expect(may[move], told).toContain(person);
  expect(table[before.state]?.[move] ?? [], told).toContain(after.state);
  if (move === 'seal' || move === 'approve' || move === 'activate') {
    expect(before.held, told).toBe(false);
  }
  // the same once more changes nothing
  const again = await make(person, move);
  const later = await standing();
  if (again === null) expect(table[after.state]?.[move] ?? [after.state]).toContain(later.state);
  else expect(later, `${told}, again`).toEqual(after);
}

async function worked(): Promise<void> {
  const before = await standing();
  await shop.w.work(release);
  const after = await standing();
  const may = table[before.state]?.work ?? [before.state];
  expect([...may, before.state], `the runner in ${before.state}`).toContain(after.state);
  await shop.w.work(release);
  expect((await standing()).state).toBe(after.state);
}

/** Back to where the next release can begin, by whatever way there is. */
async function finish(): Promise<void> {
  for (const flag of ['unhold', 'resume']) await make('both', flag);
  const { state } = await standing();
  if (state === 'ACTIVE') {
    await make('bo', 'sign-rollback');
    await make('dee', 'rollback');
    await shop.w.work(release);
  } else {
    await make('ana', 'abandon');
    await shop.w.work(release);
  }
  expect(['ROLLED_BACK', 'ABANDONED', 'REJECTED']).toContain((await standing()).state);
}

it('goes where the table says and nowhere else, whatever is tried by whom', async () => {
  const reached = new Set<string>();
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 12, maxLength: 24 }), async (steps) => {
      release = await shop.w.draft(fix());
      for (const one of steps) {
        const { state } = await standing();
        reached.add(state);
        const chosen = one === 'next' ? next(state) : one;
        if (chosen === 'work') await worked();
        else await tried(chosen.person, chosen.move);
        // a rehearsal is asked for and done, or nothing gets beyond the build
        if (one === 'next' && (await standing()).state === 'BUILDING') {
          await worked();
          await make('ana', 'rehearse');
          await worked();
        }
      }
      await finish();
    }),
    // once straight along the line, so that every state of it is tried
    { numRuns: 50, examples: [[Array(20).fill('next')]] },
  );
  for (const state of Object.keys(table)) {
    if (!['REJECTED', 'ABANDONED', 'ROLLED_BACK'].includes(state)) expect(reached).toContain(state);
  }
}, 600_000);
