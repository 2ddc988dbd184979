import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Database, rows } from '@/lib/db/client';
import { applyDataset } from '@/lib/services/dataset';
import { race } from '@/lib/testing/race';
import { refusalOf, refusedIn } from '@/lib/testing/refusal';
import { by, fix, moveAs, openShop, type Shop } from '@/lib/testing/shop';
import { as, orders } from '@/lib/testing/world';
import { createRelease, patchRelease } from './draft';

let shop: Shop;
beforeAll(async () => {
  shop = await openShop();
});
afterAll(() => shop.t.close());

const owner = (db: Database, person: string) => by(db, person, ['owner']);
const authors = (reference: string) =>
  rows<{ person: string }>(
    shop.t.db,
    sql`select person from control.release_author a join control.release x on x.id = a.release
      where x.name || '@' || x.revision = ${reference} order by person`,
  ).then((list) => list.map((a) => a.person));

describe('two drafts of one revision', () => {
  it('become two revisions, and the second carries the first one’s author', async () => {
    const { first, second } = await race(
      shop.t.url,
      (db) => createRelease(owner(db, 'ana'), fix({ release: 'twice@1' })),
      (db) => createRelease(owner(db, 'ben'), fix({ release: 'twice@1' })),
    );
    expect(first).toMatchObject({ value: { name: 'twice', revision: 1 } });
    expect(second).toMatchObject({ value: { name: 'twice', revision: 2 } });
    expect(await authors('twice@1')).toEqual(['ana']);
    expect(await authors('twice@2')).toEqual(['ana', 'ben']);
  });

  it('of one name on another dataset are refused', async () => {
    await applyDataset(as(shop.t.db, 'root'), { ...orders.dataset, name: 'elsewhere' });
    const draft = createRelease(
      owner(shop.t.db, 'ana'),
      fix({ release: 'twice', dataset: 'elsewhere' }),
    );
    expect((await refusalOf(draft)).code).toBe('ALREADY_EXISTS');
  });
});

describe('a draft', () => {
  it('is edited by one at a time: the second edit of one version is refused', async () => {
    const { name } = await createRelease(owner(shop.t.db, 'ana'), fix({ release: 'edited' }));
    const edit = (person: string) => (db: Database) =>
      patchRelease(owner(db, person), {
        release: `${name}@1`,
        version: 1,
        spec: { expected: { partitions: 4 } },
      });
    const { first, second } = await race(shop.t.url, edit('ben'), edit('cleo'));
    expect(first.status).toBe('fulfilled');
    expect(await refusedIn(second)).toMatchObject({ status: 409, code: 'CHANGED_SINCE_SEEN' });
    expect(await authors('edited@1')).toEqual(['ana', 'ben']);
  });

  it('that is pinned meanwhile takes no edit, and the pin has the field as it was', async () => {
    const release = 'edited@1';
    const pin = (db: Database) => moveAs(owner(db, 'ana'), 'pin', release);
    const edit = (db: Database) =>
      patchRelease(owner(db, 'ben'), {
        release,
        version: 2,
        spec: { expected: { partitions: 9 } },
      });
    const { first, second } = await race(shop.t.url, pin, edit);
    expect(first.status).toBe('fulfilled');
    expect(await refusedIn(second)).toMatchObject({ code: 'NOT_A_DRAFT' });
    expect(
      await rows(
        shop.t.db,
        sql`select spec #>> '{expected,partitions}' as n, digest is not null as frozen
        from control.release where name = 'edited'`,
      ),
    ).toEqual([{ n: '4', frozen: true }]);
  });

  it('over part of a range that is under way is not pinned: one of two wins, in the same instant too', async () => {
    const range = { from: '2011-01-06T00:00:00Z', to: '2011-01-09T00:00:00Z' };
    await createRelease(
      owner(shop.t.db, 'ben'),
      fix({ release: 'across', targetGeneration: 'across-g', range }),
    );
    expect(await refusalOf(moveAs(owner(shop.t.db, 'ben'), 'pin', 'across@1'))).toEqual({
      status: 409,
      code: 'RELEASE_OVERLAP',
      codes: ['RELEASE_OVERLAP'],
    });
    await shop.w.move('ana', 'abandon', 'edited@1');
    await createRelease(
      owner(shop.t.db, 'ana'),
      fix({ release: 'rival', targetGeneration: 'rival-g' }),
    );
    const { first, second } = await race(
      shop.t.url,
      (db) => moveAs(owner(db, 'ana'), 'pin', 'rival@1'),
      (db) => moveAs(owner(db, 'ben'), 'pin', 'across@1'),
    );
    expect(first.status).toBe('fulfilled');
    expect(await refusedIn(second)).toMatchObject({ code: 'RELEASE_OVERLAP' });
  });
});

describe('the dataset’s policy', () => {
  it('is the floor of every release, and is not lowered under one that is under way', async () => {
    const lower = {
      ...orders.dataset,
      policy: { ...orders.dataset.policy, approvals: { cutover: 1, rollback: 1 } },
    };
    await createRelease(
      owner(shop.t.db, 'ana'),
      fix({
        release: 'few',
        targetGeneration: 'few-g',
        approvals: { cutover: 1 },
        range: {
          from: '2011-01-02T00:00:00Z',
          to: '2011-01-03T00:00:00Z',
        },
      }),
    );
    await moveAs(owner(shop.t.db, 'ana'), 'pin', 'few@1');
    expect(
      await rows(
        shop.t.db,
        sql`select approvals_needed as n from control.release where name = 'few'`,
      ),
    ).toEqual([{ n: 2 }]);
    expect(await refusalOf(applyDataset(as(shop.t.db, 'root'), lower))).toMatchObject({
      status: 409,
      code: 'POLICY_LOWERED',
    });
  });

  it('is judged by what it is when its turn comes, not when the call began', async () => {
    const policy = (cutover: number) => ({
      ...orders.dataset,
      policy: { ...orders.dataset.policy, approvals: { cutover, rollback: 1 } },
    });
    const { first, second } = await race(
      shop.t.url,
      (db) => applyDataset(as(db, 'root'), policy(3)),
      (db) => applyDataset(as(db, 'root'), policy(2)),
    );
    expect(first.status).toBe('fulfilled');
    expect(await refusedIn(second)).toMatchObject({ code: 'POLICY_LOWERED' });
    expect(
      await rows(
        shop.t.db,
        sql`select policy #>> '{approvals,cutover}' as n from control.dataset
        where name = 'order_tax'`,
      ),
    ).toEqual([{ n: '3' }]);
  });
});
