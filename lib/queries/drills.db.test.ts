import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rows } from '@/lib/db/client';
import { onStep } from '@/lib/db/step';
import { drilled, newestDrill, runDrill } from '@/lib/testing/drill';
import { fix, line, openShop, type Shop } from '@/lib/testing/shop';
import { adminCounts } from './admin';
import { adminBudgets } from './admin-budgets';
import { approvalPage } from './approval-view';
import { auditFacets } from './audit-facets';
import { auditList } from './audit-list';
import { cutoverPage } from './cutover-view';
import { datasetList, datasetView } from './dataset-view';
import { datasetsOverview } from './datasets-overview';
import { draftDatasets } from './draft';
import { drillsOf } from './drills';
import { findByName } from './find';
import { navCounts } from './nav';
import { oncallPage } from './oncall-view';
import { overview } from './overview';
import { releaseHeader } from './release-header';
import { releaseList } from './release-list';
import { releaseView } from './release-view';
import { releasesPage } from './releases';
import { sourceView } from './source-view';
import { overviewStamp, releaseStamp } from './stamp';

let shop: Shop;
let release = '';
const viewer = { person: 'ana', roles: ['owner'] as const };
const page = { limit: 100 };

beforeAll(async () => {
  shop = await openShop();
  release = await shop.w.rehearsed(fix());
  await shop.w.move('dee', 'drill', release);
});
afterAll(() => shop.t.close());

/** Everything that lists, counts or finds something for people, as one text. */
async function listed(): Promise<string> {
  const { db } = shop.t;
  const everything = [
    await adminBudgets(db, page),
    await auditFacets(db),
    await auditList(db, { withoutAnchors: true }, page),
    await datasetList(db, page),
    await datasetsOverview(db),
    await draftDatasets(db),
    await findByName(db, 'drill'),
    await findByName(db, 'order'),
    await findByName(db, 'vat'),
    await navCounts(db, viewer),
    await oncallPage(db).then(({ drills: _, ...rest }) => rest),
    await overview(db, viewer).then(({ lastDrill: _, ...rest }) => rest),
    await releaseHeader(db, viewer, release).then(({ drill: _, ...rest }) => rest),
    await releaseList(db, {}, page),
    await releaseView(db, release).then(({ drill: _, ...rest }) => rest),
    await releasesPage(db, viewer, {}, page),
    await sourceView(db, 'orders'),
  ];
  return JSON.stringify(everything);
}

describe('a drill that runs', () => {
  it('is hidden from every list, at every step, but for its own record', async () => {
    const seen = new Set<string>();
    let busy = false;
    const stop = onStep(async (name) => {
      if (busy || seen.has(name)) return;
      busy = true;
      seen.add(name);
      // the audit rows of the two that people see name the fork, and nothing else does
      const text = (await listed()).replaceAll(/"fork":"[^"]*"/g, '"fork":""');
      expect([name, /.{0,60}~.{0,60}/.exec(text)?.[0]]).toEqual([name, undefined]);
      expect(await navCounts(shop.t.db, viewer)).toMatchObject({
        underWay: 1,
        rollingBack: 0,
        inWindow: 0,
      });
      expect(await adminCounts(shop.t.db)).toMatchObject({ budgets: 1 });
      busy = false;
    });
    await runDrill(shop.w);
    stop();
    expect([...seen]).toContain('rollback.sealed');
  });

  it('is not to be read by its name', async () => {
    const { fork } = await newestDrill(shop.t.db);
    await expect(datasetView(shop.t.db, fork)).rejects.toThrow('There is no dataset');
  });

  it('and its stamps tell pages when to read again', async () => {
    const before = [await releaseStamp(shop.t.db, release), await overviewStamp(shop.t.db)];
    await shop.w.move('dee', 'drill', release);
    const asked = [await releaseStamp(shop.t.db, release), await overviewStamp(shop.t.db)];
    expect(asked.map(({ stamp }) => stamp)).not.toEqual(before.map(({ stamp }) => stamp));
    const running = await releaseView(shop.t.db, release);
    expect(running).toMatchObject({
      flags: { working: true },
      drill: { outcome: null, steps: [] },
    });
    await runDrill(shop.w);
    expect((await releaseStamp(shop.t.db, release)).stamp).not.toBe(asked[0]?.stamp);
  });
});

describe('a drill that ended', () => {
  it('is shown with its figures, newest first', async () => {
    await shop.w.append([line(5, { revision: 2, price: '200.00' })]);
    await shop.w.live();
    await drilled(shop.w, release);
    const [id] = await rows<{ id: string }>(
      shop.t.db,
      sql`select max(release) as id from control.drill`,
    );
    const all = await drillsOf(shop.t.db, id?.id ?? '', 10);
    expect(all.map(({ outcome }) => outcome)).toEqual(['passed', 'passed', 'passed']);
    expect(all[0]).toMatchObject({
      release,
      dataset: 'order_tax',
      zone: 'Europe/London',
      by: 'dee',
      rowsCopied: '4',
      rollbackSeconds: expect.any(Number),
      cutoverSeconds: expect.any(Number),
    });
    const { drills } = await oncallPage(shop.t.db);
    expect(drills).toEqual(all);
    expect((await overview(shop.t.db, viewer)).lastDrill).toEqual(all[0]);
    expect((await releaseHeader(shop.t.db, viewer, release)).drill).toEqual(all[0]);
    expect((await releaseView(shop.t.db, release)).drill).toEqual(all[0]);
  });

  it('stands among the gates and the conditions of the cutover', async () => {
    expect((await approvalPage(shop.t.db, release)).drill).toMatchObject({
      required: false,
      holds: true,
      last: { outcome: 'passed' },
    });
    const { conditions } = await cutoverPage(shop.t.db, release, 'dee');
    expect(conditions.find(({ code }) => code === 'DRILL_MISSING')).toEqual({
      code: 'DRILL_MISSING',
      holds: true,
      expected: 'none required',
      current: '0:00',
    });
  });

  it('has a chain of its own, shown to whoever names it', async () => {
    const { fork } = await newestDrill(shop.t.db);
    const { items } = await auditList(shop.t.db, { dataset: fork }, page);
    expect(items.map(({ verb }) => verb)).toContain('release.rolled-back');
  });
});
