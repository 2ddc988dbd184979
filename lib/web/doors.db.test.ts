import { sql } from 'drizzle-orm';
import { encode } from 'next-auth/jwt';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { affected, one } from '@/lib/db/client';
import { ROLES, type Role, rolesFor, type Verb } from '@/lib/domain/permissions';
import { addSubscriber, testSubscriber } from '@/lib/services/notices';
import { provisionToken } from '@/lib/services/people/tokens';
import type { TestDatabase } from '@/lib/testing/database';
import {
  actionFiles,
  builtActions,
  doorTrace,
  load,
  newestAudit,
  read,
  refusedSince,
  sources,
  statTime,
  strangersAt,
} from '@/lib/testing/doors';
import { enrol, fix, openShop } from '@/lib/testing/shop';
import { as, event, orders, taxSql } from '@/lib/testing/world';
import { methods } from '@/lib/web/api/endpoint';
import { endpoints } from '@/lib/web/api/registry';
import { endpointsOf } from '@/lib/web/api/serve';
import { send } from '@/lib/web/api/test-client';
import { useWebDatabase } from '@/lib/web/db';
import { moveNames } from '@/lib/web/move-input';
import type { Problem } from '@/lib/web/problem';

const secret = 'a secret of this test only';
vi.stubEnv('AUTH_SECRET', secret);
vi.stubEnv('LOG_LEVEL', 'silent');

const asked = vi.hoisted(() => ({ session: undefined as string | undefined }));
vi.mock('next/headers', () => ({
  headers: async () => new Headers({ origin: 'http://localhost:3000', host: 'localhost:3000' }),
  cookies: async () => ({
    get: () => (asked.session === undefined ? undefined : { value: asked.session }),
  }),
}));
vi.mock('next/cache', () => ({ refresh: () => {}, revalidatePath: () => {} }));

let t: TestDatabase;
let release: string;
let notice: string;
const tokens = {} as Record<Role | 'turncoat', string>;

beforeAll(async () => {
  const shop = await openShop();
  t = shop.t;
  useWebDatabase(t.connect('web'));
  release = await shop.w.draft(fix());
  await addSubscriber(as(t.db, 'root'), { name: 'office', url: 'https://example.org/in' });
  notice = (await testSubscriber(as(t.db, 'root'), { name: 'office' })).id;
  const make = async (person: string, roles: readonly Role[]) =>
    (await provisionToken(t.db, { person, roles, requestId: 'set-up' })).token;
  for (const role of ROLES) tokens[role] = await make(`p-${role}`, [role]);
  tokens.turncoat = await make('turncoat', ROLES);
});
afterAll(() => t.close());

const signIn = async (name: string | null) => {
  asked.session = name === null ? undefined : await encode({ token: { name, sid: 's1' }, secret });
};
beforeEach(() => signIn(null));

const wrongFor = (verb: Verb) => ROLES.filter((role) => !rolesFor(verb).includes(role));

// --- the API -------------------------------------------------------------------------------

const closed = endpoints.flatMap((endpoint) =>
  endpoint.permission === 'public' ? [] : [{ ...endpoint, permission: endpoint.permission }],
);

/** Real names and a body that would do something, were the door open. */
const bodies: Record<string, unknown> = {
  putPerson: { roles: ['admin'] },
  putSource: { ...orders.source, retentionDays: 1 },
  appendEvents: { events: [event({ line: 'new', at: '2011-01-05T00:00:00Z' })] },
  putDataset: { ...orders.dataset, policy: { ...orders.dataset.policy, leaseSeconds: 60 } },
  claimPartitions: { from: '2011-01-04T00:00:00Z', to: '2011-01-06T00:00:00Z' },
  markContaminated: {
    from: '2011-01-04T00:00:00Z',
    to: '2011-01-06T00:00:00Z',
    reason: 'the old rate',
  },
  checkTransform: { dataset: 'order_tax', sql: taxSql('0.2') },
  createRelease: fix(),
  patchRelease: { deadline: '2031-01-01T00:00:00Z' },
  samplePartition: { partition: '2011-01-04T00:00:00Z' },
  addSubscriber: { name: 'mine', url: 'https://example.org/in' },
  changeSubscriber: { url: 'https://example.org/elsewhere' },
  resendNotice: { subscriber: 'office' },
};

const pathOf = (path: string) =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const names: Record<string, string> = {
      release,
      dataset: 'order_tax',
      source: 'orders',
      subscriber: 'office',
      notice,
    };
    return names[name] ?? (name === 'person' ? 'eve' : 'x');
  });

const call = ({ method, path, id }: (typeof closed)[number], token: string | undefined) =>
  send(method, pathOf(path), {
    token,
    headers: { 'if-match': '*' },
    ...(method === 'GET' || method === 'DELETE' ? {} : { body: bodies[id] ?? {} }),
  });

// --- route files beside the API ------------------------------------------------------------

/** Open to everybody, each for its reason. */
const openRoutes: Record<string, string> = {
  'app/api/auth/[...nextauth]/route.ts': 'signing in; its own test is sign-in.db.test.ts',
  'app/healthz/route.ts': 'a load balancer asks; says nothing but that the process answers',
  'app/readyz/route.ts': 'a load balancer asks; says nothing but that the database answers',
  'app/metrics/route.ts': 'a scraper asks; counts and names of datasets, no data',
};

/** What the console's own pages read, and what that needs. */
const consoleRoutes: Record<string, Verb> = {
  'app/(console)/audit/export/route.ts': 'audit.read',
  'app/(console)/corrections/export/route.ts': 'correction.read',
  'app/(console)/datasets/[dataset]/calendar/live/route.ts': 'dataset.read',
  'app/(console)/datasets/[dataset]/live/route.ts': 'dataset.read',
  'app/(console)/datasets/live/route.ts': 'dataset.read',
  'app/(console)/live/stamp/route.ts': 'release.read',
  'app/(console)/oncall/live/route.ts': 'release.read',
  'app/(console)/releases/[release]/ingress/live/route.ts': 'release.read',
  'app/(console)/releases/[release]/reconciliation/export/route.ts': 'release.read',
  'app/(console)/runs/[run]/live/route.ts': 'dataset.read',
  'app/(console)/runs/live/route.ts': 'dataset.read',
  'app/(console)/sources/[source]/live/route.ts': 'source.read',
};

type RouteHandler = (
  request: Request,
  context: { params: Promise<Record<string, string>> },
) => Promise<Response>;

async function ask(file: string): Promise<{ status: number; body: Record<string, unknown> }> {
  const { GET } = (await load(file)) as { GET: RouteHandler };
  const params = { release, dataset: 'order_tax', source: 'orders' };
  const response = await GET(new Request('http://localhost:3000/any'), {
    params: Promise.resolve(params),
  });
  const text = await response.text();
  return { status: response.status, body: response.ok ? {} : JSON.parse(text) };
}

// --- server actions ------------------------------------------------------------------------

interface ActionDoor {
  verb: Verb;
  /** What it is called with, which would do something, were the door open. */
  args: () => unknown[];
}

const form = { name: 'vat-fix' };
const claimed = { dataset: 'order_tax', from: '2011-01-04', to: '2011-01-06', owner: 'nightly' };
const ranged = { dataset: 'order_tax', from: '2011-01-04', to: '2011-01-06' };
const answers = { overwritable: true, earlierComplete: true, publishedSeen: true, tell: null };
const moveDoor: ActionDoor = {
  verb: 'release.pin',
  args: () => [{ move: 'pin', release, body: {} }],
};

const actions: Record<string, Record<string, ActionDoor>> = {
  'app/(console)/admin/actions.ts': {
    makePerson: {
      verb: 'people.write',
      args: () => [{ person: 'newcomer', displayName: '', email: '', roles: ['admin'] }],
    },
    changeRoles: {
      verb: 'people.write',
      args: () => [{ person: 'eve', roles: ['admin'], seen: ['auditor'] }],
    },
    makeToken: { verb: 'token.create', args: () => [{ person: 'eve', roles: ['auditor'] }] },
    endToken: { verb: 'token.revoke', args: () => [{ person: 'eve', id: 'x' }] },
    setPolicy: {
      verb: 'dataset.apply',
      args: () => [
        {
          dataset: 'order_tax',
          policy: { ...orders.dataset.policy, leaseSeconds: 60 },
          seen: orders.dataset.policy,
        },
      ],
    },
    newSubscriber: {
      verb: 'subscriber.manage',
      args: () => [{ name: 'mine', dataset: null, url: 'https://example.org/in', kinds: [] }],
    },
    setSubscriber: {
      verb: 'subscriber.manage',
      args: () => [{ name: 'office', url: 'https://example.org/elsewhere', kinds: [] }],
    },
    stopSubscriber: { verb: 'subscriber.manage', args: () => [{ name: 'office' }] },
    tryOut: { verb: 'subscriber.manage', args: () => [{ name: 'office' }] },
    sendAgain: {
      verb: 'subscriber.manage',
      args: () => [{ name: 'office', notices: [notice] }],
    },
    setRetention: {
      verb: 'source.apply',
      args: () => [{ source: 'orders', retentionDays: 1, seen: null }],
    },
  },
  'app/(console)/audit/verify-action.ts': {
    verifyChains: { verb: 'audit.verify', args: () => [] },
  },
  'app/(console)/corrections/actions.ts': {
    readPublish: { verb: 'dataset.publish', args: () => [ranged] },
    publishRange: {
      verb: 'dataset.publish',
      args: () => [{ ...ranged, sentTo: 'finance', document: '', key: 'k' }],
    },
    recordCorrection: {
      verb: 'dataset.amend',
      args: () => [
        { dataset: 'order_tax', partition: '2011-01-04T00:00:00Z', reason: 'late', key: 'k' },
      ],
    },
  },
  'app/(console)/datasets/[dataset]/claim-actions.ts': {
    claimTyped: { verb: 'dataset.claim', args: () => [claimed] },
    letGo: { verb: 'dataset.release-claims', args: () => [claimed] },
  },
  'app/(console)/datasets/[dataset]/contamination-actions.ts': {
    markTyped: {
      verb: 'dataset.mark-contaminated',
      args: () => [{ ...ranged, reason: 'wrong', servedSince: '', repairedBy: '', key: 'k' }],
    },
    linkMark: {
      verb: 'dataset.link-contamination',
      args: () => [{ dataset: 'order_tax', id: '1', release: 'vat-fix', key: 'k' }],
    },
    liftMark: {
      verb: 'dataset.lift-contamination',
      args: () => [{ dataset: 'order_tax', id: '1', reason: 'right', key: 'k' }],
    },
  },
  'app/(console)/datasets/[dataset]/report-actions.ts': {
    saveTyped: {
      verb: 'report.save',
      args: () => [
        {
          dataset: 'order_tax',
          name: 'lines',
          sql: 'select count(*) as lines from order_tax',
          limitSeconds: 30,
          key: 'k',
        },
      ],
    },
    endSaved: {
      verb: 'report.end',
      args: () => [{ dataset: 'order_tax', id: '1', key: 'k' }],
    },
  },
  'app/(console)/find-action.ts': { find: { verb: 'release.read', args: () => ['vat'] } },
  'app/(console)/releases/(draft)/actions.ts': {
    previewDraft: { verb: 'release.read', args: () => [{ form, release }] },
    keepDraft: { verb: 'release.create', args: () => [{ form, from: release }] },
    saveDraft: { verb: 'release.edit', args: () => [{ form, release, version: 1 }] },
    sampleDraft: {
      verb: 'release.read',
      args: () => [{ release, partition: '2011-01-04T00:00:00Z' }],
    },
  },
  'app/(console)/releases/[release]/move-action.ts': { moveRelease: moveDoor },
  'app/(console)/releases/[release]/reconciliation/shadow-actions.ts': {
    askShadow: { verb: 'release.shadow', args: () => [{ release }] },
  },
  'app/(console)/runs/actions.ts': {
    readQuestions: { verb: 'dataset.run', args: () => [ranged] },
    ask: { verb: 'dataset.run', args: () => [{ ...ranged, owner: '', answers, key: 'k' }] },
    confirm: { verb: 'dataset.confirm-run', args: () => [{ dataset: 'order_tax', run: '1' }] },
    cancel: {
      verb: 'dataset.run',
      args: () => [{ dataset: 'order_tax', run: '1', reason: 'no' }],
    },
    retry: { verb: 'dataset.run', args: () => [{ dataset: 'order_tax', run: '1', key: 'k' }] },
  },
  'app/(console)/sources/[source]/stream-action.ts': {
    switchDemoStream: { verb: 'demo.stream', args: () => [true] },
  },
};

/** Every action with its arguments; making a move once for each move there is. */
const actionDoors = Object.entries(actions).flatMap(([file, named]) =>
  Object.entries(named).flatMap(([name, door]) =>
    name === 'moveRelease'
      ? moveNames.map((move) => ({
          file,
          name,
          verb: `release.${move}` as Verb,
          args: () => [{ move, release, body: {} }] as unknown[],
        }))
      : [{ file, name, ...door }],
  ),
);

type Result = { ok: true } | { ok: false; problem: Problem };

async function act({ file, name, args }: (typeof actionDoors)[number]): Promise<string> {
  const run = (await load(file))[name] as (...given: unknown[]) => Promise<Result>;
  const result = await run(...args());
  return result.ok ? 'ok' : result.problem.code;
}

describe('the lists are whole', () => {
  const routes = sources('app').filter((file) => /(^|\/)route\.tsx?$/.test(file));
  const ofApi = (file: string) => file.startsWith('app/api/v1/');

  it('each route file is reached through the registry, guarded as a page’s read, or open on purpose', () => {
    expect(routes.filter((file) => !ofApi(file)).sort()).toEqual(
      [...Object.keys(openRoutes), ...Object.keys(consoleRoutes)].sort(),
    );
    const reached = new Set<unknown>();
    for (const file of routes.filter(ofApi)) {
      if (file === 'app/api/v1/[[...path]]/route.ts') {
        expect(read(file)).toContain('= serveNothing();');
        continue;
      }
      const template = /= serve\(\s*'([^']+)',?\s*\);/.exec(read(file))?.[1] ?? '';
      expect([file, endpointsOf(template).length > 0]).toEqual([file, true]);
      for (const endpoint of endpointsOf(template)) reached.add(endpoint);
    }
    expect(reached).toEqual(new Set(endpoints));
    expect(endpoints.filter((e) => e.permission === 'public').map((e) => e.path)).toEqual([
      '/openapi.json',
    ]);
  });

  it('a route of the console only reads, and exports nothing else', async () => {
    for (const file of Object.keys(consoleRoutes)) {
      const others = [...methods, 'HEAD', 'OPTIONS'].filter((method) => method !== 'GET');
      const exported = Object.keys(await load(file));
      expect([file, exported.filter((name) => others.includes(name))]).toEqual([file, []]);
    }
  });

  it('each server action is listed, in the sources and in the build', async () => {
    const files = actionFiles();
    expect(files).toEqual(Object.keys(actions).sort());
    for (const file of files) {
      // an action inside another module would be one that nobody finds
      expect(read(file)).toMatch(/^(['"])use server\1;/);
      expect(read(file).match(/(['"])use server\1/g)).toHaveLength(1);
      const exported = Object.entries(await load(file)).filter(([, v]) => typeof v === 'function');
      expect(exported.map(([name]) => name).sort()).toEqual(
        Object.keys(actions[file] ?? {}).sort(),
      );
    }
    const built = builtActions(Math.max(...files.map((file) => statTime(file) ?? Infinity)));
    const listed = Object.entries(actions).flatMap(([file, named]) =>
      Object.keys(named).map((name) => `${file} ${name}`),
    );
    // one that no page uses is not in the build
    expect(listed).toEqual(expect.arrayContaining(built ?? []));
  });
});

describe('nobody', () => {
  it('is refused at each endpoint, with no token and with bad ones, and counted', async () => {
    const before = await doorTrace(t.db);
    const audit = await newestAudit(t.db);
    const bad = [undefined, 'x', `ilk_${'A'.repeat(43)}`];
    for (const endpoint of closed) {
      for (const token of bad) {
        const { status, body } = await call(endpoint, token);
        expect([endpoint.id, token, status]).toEqual([endpoint.id, token, 401]);
        expect(body.code).toBe('UNAUTHENTICATED');
      }
    }
    expect(await doorTrace(t.db)).toEqual(before);
    expect(await newestAudit(t.db)).toBe(audit);
    expect(await strangersAt(t.db, 'api')).toBe(closed.length);
    expect(await strangersAt(t.db, 'api-token')).toBe(2 * closed.length);
  });

  it('is refused at each route of the console and each server action, and counted', async () => {
    const before = await doorTrace(t.db);
    const audit = await newestAudit(t.db);
    const forged = await encode({ token: { name: 'p-admin' }, secret: 'somebody else’s secret' });
    for (const session of [undefined, 'nonsense', forged]) {
      asked.session = session;
      for (const file of Object.keys(consoleRoutes)) {
        expect([file, await ask(file)]).toMatchObject([
          file,
          { status: 401, body: { code: 'UNAUTHENTICATED' } },
        ]);
      }
      for (const door of actionDoors) {
        expect([door.name, await act(door)]).toEqual([door.name, 'UNAUTHENTICATED']);
      }
    }
    expect(await doorTrace(t.db)).toEqual(before);
    expect(await newestAudit(t.db)).toBe(audit);
    expect(await strangersAt(t.db, 'page')).toBe(3 * Object.keys(consoleRoutes).length);
    expect(await strangersAt(t.db, 'action')).toBe(3 * actionDoors.length);
  });
});

describe('each wrong role', () => {
  it('is refused at each endpoint; nothing changes but a row that says so', async () => {
    const before = await doorTrace(t.db);
    for (const endpoint of closed) {
      const audit = await newestAudit(t.db);
      const wrong = wrongFor(endpoint.permission);
      for (const role of wrong) {
        const { status, body } = await call(endpoint, tokens[role]);
        expect([endpoint.id, role, status]).toEqual([endpoint.id, role, 403]);
        expect(body.code).toBe('FORBIDDEN');
      }
      expect(await refusedSince(t.db, audit)).toMatchObject(
        wrong.map((role) => ({ actor: `p-${role}`, verb: endpoint.permission })),
      );
    }
    expect(await doorTrace(t.db)).toEqual(before);
  });

  it('is refused at each route of the console likewise', async () => {
    const before = await doorTrace(t.db);
    for (const [file, verb] of Object.entries(consoleRoutes)) {
      const audit = await newestAudit(t.db);
      for (const role of wrongFor(verb)) {
        await signIn(`p-${role}`);
        expect([file, role, await ask(file)]).toMatchObject([
          file,
          role,
          { status: 403, body: { code: 'FORBIDDEN' } },
        ]);
      }
      expect(await refusedSince(t.db, audit)).toMatchObject(
        wrongFor(verb).map((role) => ({ actor: `p-${role}`, verb })),
      );
    }
    expect(await doorTrace(t.db)).toEqual(before);
  });

  it('is refused at each server action likewise', async () => {
    const before = await doorTrace(t.db);
    for (const door of actionDoors) {
      const audit = await newestAudit(t.db);
      const wrong = wrongFor(door.verb);
      for (const role of wrong) {
        await signIn(`p-${role}`);
        expect([door.verb, role, await act(door)]).toEqual([door.verb, role, 'FORBIDDEN']);
      }
      expect(await refusedSince(t.db, audit)).toMatchObject(
        wrong.map((role) => ({ actor: `p-${role}`, verb: door.verb })),
      );
    }
    expect(await doorTrace(t.db)).toEqual(before);
  });
});

describe('who lost their roles, or is gone', () => {
  const setRoles = (roles: Role[]) =>
    send('PUT', '/people/turncoat', { token: tokens.admin, body: { roles } });
  const everywhere = async (status: number, code: string) => {
    for (const endpoint of closed) {
      const answer = await call(endpoint, tokens.turncoat);
      expect([endpoint.id, answer.status]).toEqual([endpoint.id, status]);
    }
    for (const file of Object.keys(consoleRoutes)) {
      expect([file, (await ask(file)).status]).toEqual([file, status]);
    }
    for (const door of actionDoors) {
      expect([door.verb, await act(door)]).toEqual([door.verb, code]);
    }
  };
  const gets = '/releases';

  it('is refused at the very next call, everywhere, with the token and the session they had', async () => {
    await signIn('turncoat');
    expect((await send('GET', gets, { token: tokens.turncoat })).status).toBe(200);
    expect((await ask('app/(console)/live/stamp/route.ts')).status).toBe(200);
    expect((await setRoles([])).status).toBe(200);
    const before = await doorTrace(t.db);
    await everywhere(403, 'FORBIDDEN');
    expect(await doorTrace(t.db)).toEqual(before);

    expect((await setRoles(['auditor'])).status).toBe(200);
    expect((await send('GET', gets, { token: tokens.turncoat })).status).toBe(200);
    await affected(t.db, sql`delete from control.token where person = 'turncoat'`);
    await affected(t.db, sql`delete from control.person_role where person = 'turncoat'`);
    await affected(t.db, sql`delete from control.person where name = 'turncoat'`);
    await everywhere(401, 'UNAUTHENTICATED');
  });

  it('holds for one role of several, and for the role that a token does not carry', async () => {
    await enrol(t.db, 'two', ['owner', 'admin']);
    const { token } = await provisionToken(t.db, {
      person: 'two',
      roles: ['owner'],
      requestId: 'set-up',
    });
    const asAdmin = () => send('GET', '/people', { token });
    const asOwner = () => send('POST', `/releases/${release}/pause`, { token, body: { by: 1 } });
    expect((await asAdmin()).status).toBe(403);
    expect((await asOwner()).status).toBe(422);
    await send('PUT', '/people/two', { token: tokens.admin, body: { roles: ['admin'] } });
    expect((await asOwner()).status).toBe(403);
    const { state } = await one<{ state: string }>(t.db, sql`select state from control.release`);
    expect(state).toBe('DRAFT');
  });
});
