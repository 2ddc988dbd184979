import { encode } from 'next-auth/jwt';
import { isValidElement, type ReactNode } from 'react';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { Database } from '@/lib/db/client';
import { publish } from '@/lib/services/publication';
import { askRun } from '@/lib/services/runs';
import type { TestDatabase } from '@/lib/testing/database';
import { load, sources } from '@/lib/testing/doors';
import { day, enrol, fix, openShop } from '@/lib/testing/shop';
import { as } from '@/lib/testing/world';
import { useWebDatabase } from '@/lib/web/db';

const secret = 'a secret of this test only';
vi.stubEnv('AUTH_SECRET', secret);
vi.stubEnv('LOG_LEVEL', 'silent');

const asked = vi.hoisted(() => ({ session: undefined as string | undefined }));
vi.mock('next/headers', () => ({
  headers: async () => new Headers(),
  cookies: async () => ({
    get: () => (asked.session === undefined ? undefined : { value: asked.session }),
  }),
}));
vi.mock('next/cache', () => ({ refresh: () => {}, revalidatePath: () => {} }));

let t: TestDatabase;
let release: string;
let run: string;
let noAccess: unknown;
/** Tables that a page's statements read. */
let statements: string[] = [];

beforeAll(async () => {
  noAccess = (await load('app/(console)/_parts/access.tsx')).NoAccess;
  const shop = await openShop();
  t = shop.t;
  release = await shop.w.draft(fix());
  const days = { dataset: 'order_tax', from: day(2, 0), to: day(3, 0) };
  await publish(as(t.db, 'ana'), days);
  run = (await askRun(as(t.db, 'ana'), { ...days, from: day(3, 0), to: day(4, 0) })).id;
  await enrol(t.db, 'nothing', []);
  await enrol(t.db, 'program', ['reader', 'writer']);
  useWebDatabase(watched(t.connect('web')));
});
afterAll(() => t.close());

function watched(db: Database): Database {
  const { $client } = db;
  const unsafe = $client.unsafe.bind($client);
  $client.unsafe = ((text: string, ...rest: []) => {
    statements.push(text);
    return unsafe(text, ...rest);
  }) as typeof unsafe;
  return db;
}

type Page = (props: {
  params: Promise<Record<string, string>>;
  searchParams: Promise<Record<string, string>>;
  children: null;
}) => Promise<ReactNode>;

const pages = sources('app/(console)').filter((file) => /(^|\/)(page|layout)\.tsx$/.test(file));
/** Says of every path that it is not there, and reads nothing. */
const missing = 'app/(console)/[...missing]/page.tsx';

/** What a page shows: its element, or the digest of what Next is told by throwing. */
async function show(file: string): Promise<ReactNode | { thrown: string }> {
  statements = [];
  const { default: page } = (await load(file)) as { default: Page };
  try {
    return await page({
      params: Promise.resolve({
        release,
        run,
        dataset: 'order_tax',
        start: day(2, 0),
        source: 'orders',
      }),
      searchParams: Promise.resolve({}),
      children: null,
    });
  } catch (error) {
    return { thrown: String((error as { digest?: unknown }).digest ?? error) };
  }
}

/** Statements that read anything but who is asking. */
const others = () => statements.filter((text) => !/from control\.person p\b/.test(text));

function holds(node: unknown, type: unknown): boolean {
  if (Array.isArray(node)) return node.some((each) => holds(each, type));
  if (!isValidElement(node)) return false;
  if (node.type === type) return true;
  return Object.values(node.props as Record<string, unknown>).some((prop) => holds(prop, type));
}

it('reads nothing for nobody: each page leads to signing in, also without its frame', async () => {
  asked.session = undefined;
  expect(pages.length).toBeGreaterThan(15);
  for (const file of pages.filter((each) => each !== missing)) {
    expect([file, await show(file)]).toEqual([
      file,
      { thrown: expect.stringMatching(/^NEXT_REDIRECT;.*;\/sign-in\?callbackUrl=/) },
    ]);
    expect([file, statements]).toEqual([file, []]);
  }
});

it.each(['nothing', 'program'])(
  'reads nothing for somebody without a role at the console (%s), also without its frame',
  async (person) => {
    asked.session = await encode({ token: { name: person, sid: 's' }, secret });
    // programs that write events may see their source, those that read rows what was computed again
    const open = person === 'program' ? ['sources/[source]', 'datasets', 'runs/'] : [];
    for (const file of pages.filter((each) => each !== missing)) {
      if (open.some((path) => file.includes(path))) continue;
      const shown = await show(file);
      expect([file, others()]).toEqual([file, []]);
      if (file.endsWith('layout.tsx')) continue;
      const refused =
        holds(shown, noAccess) ||
        (shown as { thrown?: string }).thrown?.startsWith('NEXT_HTTP_ERROR_FALLBACK;404');
      expect([file, refused]).toEqual([file, true]);
    }
  },
);

it('shows each page to who may read it', async () => {
  // nobody but an owner drafts, nobody but an auditor or an admin sees people
  await enrol(t.db, 'reads', ['owner', 'auditor']);
  asked.session = await encode({ token: { name: 'reads', sid: 's' }, secret });
  for (const file of pages.filter((each) => each !== missing)) {
    const shown = await show(file);
    expect([file, others().length > 0]).toEqual([file, true]);
    expect([file, isValidElement(shown), holds(shown, noAccess)]).toEqual([file, true, false]);
  }
});
