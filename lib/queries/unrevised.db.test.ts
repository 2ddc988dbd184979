import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { approvalPage } from '@/lib/queries/approval-view';
import { navCounts } from '@/lib/queries/nav';
import { rejectionOf } from '@/lib/queries/rejection';
import { specView } from '@/lib/queries/spec';
import { unrevisedBriefs } from '@/lib/queries/unrevised';
import { type TestDatabase, testDatabase } from '@/lib/testing/database';
import { event, taxSql, vatFix, World } from '@/lib/testing/world';

let t: TestDatabase;
let w: World;
let release = '';

const range = { from: '2011-01-04T00:00:00Z', to: '2011-01-06T00:00:00Z' };
const ana = { person: 'ana', roles: ['owner' as const] };
const waiting = async (viewer: Parameters<typeof unrevisedBriefs>[1]) =>
  (await unrevisedBriefs(t.db, viewer)).map((brief) => [brief.release, brief.since.why]);

beforeAll(async () => {
  t = await testDatabase();
  w = new World(t.db);
  await w.shop();
  await w.append([event({ line: 'l4', at: '2011-01-04T12:00:00Z', price: '100.00' })]);
  await w.live();
  release = await w.draft(vatFix(range, { transform: { new: { sql: taxSql('0.2') } } }));
  await w.move('ana', 'pin', release);
});
afterAll(() => t.close());

describe('a rejected release', () => {
  it('waits for nobody before it is rejected', async () => {
    expect(await waiting(ana)).toEqual([]);
    expect(await rejectionOf(t.db, release)).toBeNull();
  });

  it('waits for its authors, with the comment', async () => {
    await w.move('bo', 'reject', release, { comment: 'the rate is written oddly' });
    expect(await waiting(ana)).toEqual([[release, 'the rate is written oddly']]);
    expect((await navCounts(t.db, ana)).waiting).toBe(1);
    expect(await rejectionOf(t.db, release)).toMatchObject({
      by: 'bo',
      comment: 'the rate is written oddly',
    });
  });

  it('waits for nobody who did not write it, and for no author who may not draft', async () => {
    expect(await waiting({ person: 'both', roles: ['owner'] })).toEqual([]);
    expect(await waiting({ person: 'ana', roles: ['auditor'] })).toEqual([]);
  });

  it('is answered by the next revision, which says so', async () => {
    const next = await w.draft(vatFix(range, { targetGeneration: 'vat-fix-g3' }));
    expect(next).toBe('vat-fix@2');
    expect(await waiting(ana)).toEqual([]);
    expect((await navCounts(t.db, ana)).waiting).toBe(1);
    expect(await approvalPage(t.db, release)).toMatchObject({ laterRevision: next, answers: null });
    expect(await approvalPage(t.db, next)).toMatchObject({
      laterRevision: null,
      answers: { release, by: 'bo', comment: 'the rate is written oddly' },
    });
    expect((await specView(t.db, next)).before).toMatchObject({ release, sql: taxSql('0.2') });
  });
});
