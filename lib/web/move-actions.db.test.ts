import { encode } from 'next-auth/jwt';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { findRelease } from '@/lib/services/release/load';
import { type TestDatabase, testDatabase } from '@/lib/testing/database';
import { event, vatFix, World } from '@/lib/testing/world';
import { useWebDatabase } from '@/lib/web/db';
import { moveActions, noSuchMove } from '@/lib/web/move-actions';

const secret = 'a secret of this test only';
vi.stubEnv('AUTH_SECRET', secret);
vi.stubEnv('LOG_LEVEL', 'silent');

const asked = vi.hoisted(() => ({ session: '', refreshed: 0 }));
vi.mock('next/headers', () => ({
  headers: async () => new Headers({ origin: 'http://localhost:3000', host: 'localhost:3000' }),
  cookies: async () => ({ get: () => ({ value: asked.session }) }),
}));
vi.mock('next/cache', () => ({
  refresh: () => {
    asked.refreshed += 1;
  },
}));

let t: TestDatabase;
let w: World;
let release: string;

beforeAll(async () => {
  t = await testDatabase();
  useWebDatabase(t.connect('web'));
  w = new World(t.db);
  await w.shop();
  await w.append([event({ line: 'l1', at: '2011-01-05T12:00:00Z' })]);
  await w.live();
  release = await w.draft(vatFix({ from: '2011-01-04T00:00:00Z', to: '2011-01-07T00:00:00Z' }));
});
afterAll(() => t.close());

const signIn = async (name: string) => {
  asked.session = await encode({ token: { name, sid: 's1' }, secret });
};
beforeEach(() => signIn('ana'));

const shown = async () => ({
  version: (await findRelease(t.db, release)).version,
  at: new Date().toISOString(),
});
const codeOf = (result: Awaited<ReturnType<typeof moveActions.pin>>) =>
  result.ok ? 'ok' : result.problem.code;

describe('moveActions', () => {
  it('makes a move and has the page rendered anew', async () => {
    const before = asked.refreshed;
    expect(codeOf(await moveActions.pin({ release, seen: await shown() }))).toBe('ok');
    expect(await w.state(release)).toBe('SNAPSHOT_PINNED');
    expect(asked.refreshed).toBe(before + 1);
  });

  it('refuses what was decided on an old page, and says what changed', async () => {
    const seen = await shown();
    await w.move('dee', 'hold', release, { reason: 'reading' });
    const before = asked.refreshed;
    const refused = await moveActions.build({ release, seen });
    // with the refusal the page shows what is there now
    expect(asked.refreshed).toBe(before + 1);
    expect(refused).toMatchObject({
      ok: false,
      problem: {
        code: 'CHANGED_SINCE_SEEN',
        blockers: [{ kind: 'fix', message: expect.stringMatching(`^dee held ${release}, `) }],
      },
    });
    expect(await w.state(release)).toBe('SNAPSHOT_PINNED');
    await w.move('dee', 'unhold', release);
  });

  it('does a repeated try once, and a refused one again', async () => {
    await signIn('dee');
    const seen = await shown();
    const hold = () => moveActions.hold({ release, seen, key: 'one-opening' });
    expect(codeOf(await hold())).toBe('ok');
    const { version } = await findRelease(t.db, release);
    // the answer was lost: the same opening is asked again, with what it had seen
    expect(codeOf(await hold())).toBe('ok');
    expect((await findRelease(t.db, release)).version).toBe(version);

    await signIn('ana');
    const build = async () => moveActions.build({ release, key: 'another', seen: await shown() });
    expect(codeOf(await build())).toBe('HELD');
    await w.move('dee', 'unhold', release);
    expect(codeOf(await build())).toBe('ok');
  });

  it('asks for the permission of its own verb', async () => {
    await signIn('eve');
    expect(codeOf(await moveActions.abandon({ release }))).toBe('FORBIDDEN');
    expect(await w.state(release)).toBe('BUILDING');
  });

  it('judges the body by the move’s own input', async () => {
    const result = await moveActions.pause({ release, body: { planDigest: 'x' } });
    expect(result).toMatchObject({ ok: false, problem: { code: 'UNKNOWN_FIELD' } });
    expect(noSuchMove().problem.code).toBe('INVALID_INPUT');
  });

  it('says so of what is no move at all', async () => {
    const { moveRelease } = await import('@/app/(console)/releases/[release]/move-action');
    for (const given of [undefined, null, 1, 'pin', {}, { move: ['pin'] }, { move: '__proto__' }]) {
      const result = await moveRelease(given as never);
      expect(result).toMatchObject({ ok: false, problem: { code: 'INVALID_INPUT' } });
    }
  });
});
