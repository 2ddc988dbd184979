import { sql } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { affected, type Database, one, rows } from '@/lib/db/client';
import { transaction } from '@/lib/db/transaction';
import type { AskedKind } from '@/lib/domain/notices';
import { amend, publish } from '@/lib/services/publication';
import { drilled } from '@/lib/testing/drill';
import { refusalOf } from '@/lib/testing/refusal';
import { day, fix, line, openShop, type Shop } from '@/lib/testing/shop';
import { as, cast, type Person } from '@/lib/testing/world';
import {
  addSubscriber,
  changeSubscriber,
  endSubscriber,
  resendNotice,
  testSubscriber,
  writeNotice,
} from './index';

let shop: Shop;
const dataset = 'order_tax';
const url = 'https://example.org/in';

beforeEach(async () => {
  shop = await openShop();
});
afterEach(() => shop.t.close());

const root = () => as(shop.t.db, 'root');
const add = (name: string, more: { dataset?: string; kinds?: AskedKind[] } = {}) =>
  addSubscriber(root(), { name, url, ...more });
const notices = () =>
  rows<{ kind: string; subject: string; body: Record<string, unknown>; to: string[] }>(
    shop.t.db,
    sql`select n.kind, n.subject, n.body, array(select d.subscriber from control.notice_delivery d
        where d.notice = n.id order by d.subscriber) as "to"
      from control.notice n order by n.id`,
  );
const heads = async () => (await notices()).map(({ kind, subject, to }) => [kind, subject, ...to]);
const audits = () =>
  rows<{ chain: string; subject: string; outcome: string; before: unknown; after: unknown }>(
    shop.t.db,
    sql`select chain, subject, outcome, before, after from control.audit_event
      where verb = 'subscriber.manage' order by id`,
  );

async function signed(): Promise<string> {
  const release = await shop.w.rehearsed(fix());
  await shop.w.reconciled(release);
  await shop.w.sign(release);
  return release;
}

describe('a notice', () => {
  it('is written by a cutover, a rollback and what they correct, to whoever asked', async () => {
    await add('all');
    await add('switches', { dataset, kinds: ['CUTOVER', 'ROLLED_BACK'] });
    await add('published', { kinds: ['PUBLISHED'] });
    await publish(as(shop.t.db, 'ana'), {
      dataset,
      from: day(4, 0),
      to: day(6, 0),
      sentTo: 'finance',
    });
    const release = await signed();
    await shop.w.move('dee', 'activate', release);
    await shop.w.move('dee', 'rollback', release);
    await shop.w.work(release);
    expect(await shop.w.state(release)).toBe('ROLLED_BACK');

    const interval = `[${day(4, 0)}, ${day(6, 0)})`;
    expect(await heads()).toEqual([
      ['PUBLISHED', interval, 'all', 'published'],
      ['CUTOVER', release, 'all', 'switches'],
      ['CORRECTED', interval, 'all'],
      ['ROLLED_BACK', release, 'all', 'switches'],
      ['CORRECTED', interval, 'all'],
    ]);
    const [published, cutover, corrected, back] = (await notices()).map(({ body }) => body);
    expect(published).toMatchObject({
      sentTo: 'finance',
      sealed: 2,
      already: 0,
      rows: '2',
      by: 'ana',
    });
    expect(cutover).toMatchObject({
      release,
      generations: { new: 'vat-fix-g2' },
      epoch: { before: 1, after: 2 },
      by: 'dee',
      link: `/releases/${release}/cutover`,
    });
    expect(corrected).toMatchObject({
      cause: 'cutover',
      partitions: 2,
      range: { from: day(4, 0), to: day(6, 0) },
      release,
    });
    expect(back).toMatchObject({
      generations: { old: 'vat-fix-g2' },
      epoch: { before: 2, after: 3 },
    });
  });

  it('is written by an amendment, one for the partition', async () => {
    await add('all');
    const days = { dataset, from: day(4, 0), to: day(6, 0), sentTo: 'finance' };
    await publish(as(shop.t.db, 'ana'), days);
    await shop.w.append([line(4, { line: 'late' })]);
    await shop.w.live();
    await amend(as(shop.t.db, 'ana'), { dataset, partition: day(4, 0), reason: 'a late line' });
    expect((await notices()).slice(1)).toMatchObject([
      {
        kind: 'CORRECTED',
        subject: `[${day(4, 0)}, ${day(5, 0)})`,
        body: { cause: 'amend', partitions: 1, release: null, reason: 'a late line', by: 'ana' },
        to: ['all'],
      },
    ]);
  });

  it('is not written by a cutover that is refused, nor by one whose transaction fails', async () => {
    await add('all');
    const release = await signed();
    await shop.w.move('ana', 'hold', release);
    expect(await refusalOf(shop.w.move('dee', 'activate', release))).toMatchObject({
      code: 'HELD',
    });
    expect(await notices()).toEqual([]);
    const failing = transaction(shop.t.db, async (tx) => {
      await writeNotice(tx, { dataset, kind: 'CUTOVER', subject: release, body: {} });
      throw new Error('the move failed');
    });
    await expect(failing).rejects.toThrow('the move failed');
    expect(await notices()).toEqual([]);
    expect(await jobs(shop.t.db)).toBe(0);
    await shop.w.move('ana', 'unhold', release);
    await shop.w.move('dee', 'activate', release);
    expect(await heads()).toEqual([['CUTOVER', release, 'all']]);
    expect(await jobs(shop.t.db)).toBe(1);
  });

  it('is not written by a drill, which cuts over and rolls back on a fork', async () => {
    await add('all');
    const release = await shop.w.rehearsed(fix());
    expect((await drilled(shop.w, release)).outcome).toBe('passed');
    expect(await notices()).toEqual([]);
  });

  it('is kept also where nobody asked, and asks for no job then', async () => {
    await add('others', { kinds: ['PUBLISHED'] });
    const release = await signed();
    await shop.w.move('dee', 'activate', release);
    expect(await heads()).toEqual([['CUTOVER', release]]);
    expect(await jobs(shop.t.db)).toBe(0);
  });

  it('is never changed or removed', async () => {
    await transaction(shop.t.db, (tx) =>
      writeNotice(tx, { dataset, kind: 'CUTOVER', subject: 'x@1', body: {} }),
    );
    for (const statement of [
      sql`update control.notice set subject = 'y@1'`,
      sql`delete from control.notice`,
    ]) {
      await expect(affected(shop.t.db, statement)).rejects.toMatchObject({
        cause: { message: expect.stringContaining('never changed or removed') },
      });
    }
  });

  it('can be written by an owner of the tables who is no superuser', async () => {
    await add('all');
    const { db } = shop.t;
    // roles belong to the cluster: this one is of this database alone
    const role = sql.identifier(`owner_of_${shop.t.name}`);
    await affected(db, sql`create role ${role} nologin`);
    try {
      await affected(db, sql`grant usage on schema control, graphile_worker to ${role}`);
      await affected(db, sql`grant all on all tables in schema control to ${role}`);
      for (const table of ['notice', 'notice_delivery', 'subscriber']) {
        await affected(db, sql`alter table control.${sql.identifier(table)} owner to ${role}`);
      }
      await affected(db, sql`revoke delete, truncate on control.notice from ${role}`);
      await affected(
        db,
        sql`with n as (insert into control.notice (dataset, kind, subject, body)
            values (${dataset}, 'CUTOVER', 'x@1', '{}') returning id)
          insert into control.notice_delivery (notice, subscriber) select id, 'all' from n`,
      );
      expect(await heads()).toEqual([['CUTOVER', 'x@1', 'all']]);
    } finally {
      await affected(db, sql`reassign owned by ${role} to current_user`);
      await affected(db, sql`drop owned by ${role}`);
      await affected(db, sql`drop role ${role}`);
    }
  });
});

const jobs = async (db: Database) => {
  const { n } = await one<{ n: number }>(
    db,
    sql`select count(*)::int as n from graphile_worker.jobs where task_identifier = 'tell'`,
  );
  return n;
};

describe('subscribers', () => {
  it('are added, changed and ended, each a row in the audit chain without the secret', async () => {
    const added = await add('office', { dataset, kinds: ['PUBLISHED', 'CUTOVER'] });
    expect(added).toMatchObject({ name: 'office', dataset, url, kinds: ['CUTOVER', 'PUBLISHED'] });
    await changeSubscriber(root(), { name: 'office', url: 'https://example.org/in?key=hidden' });
    await changeSubscriber(root(), { name: 'office', kinds: [] });
    // nothing to change
    await changeSubscriber(root(), { name: 'office', kinds: [] });
    const { id } = await testSubscriber(root(), { name: 'office' });
    expect(await heads()).toEqual([['TEST', 'office', 'office']]);
    await endSubscriber(root(), { name: 'office' });
    await endSubscriber(root(), { name: 'office' });
    const written = await audits();
    expect(written.map(({ after }) => (after as { did: string }).did)).toEqual([
      'added',
      'changed',
      'changed',
      'tested',
      'ended',
    ]);
    expect(written.every(({ chain }) => chain === `dataset:${dataset}`)).toBe(true);
    expect(written[3]?.after).toEqual({ did: 'tested', notice: id });
    expect(written[4]?.after).toEqual({ did: 'ended', givenUp: 1 });
    const text = JSON.stringify(written);
    expect(text).not.toContain(added.secret);
    expect(text).not.toContain('hidden');
    expect(text).toContain('in?…');
  });

  it('are told nothing once ended, and neither tested, changed nor sent to again', async () => {
    await add('office');
    const { id: notice } = await testSubscriber(root(), { name: 'office' });
    await endSubscriber(root(), { name: 'office' });
    await shop.w.move('dee', 'activate', await signed());
    expect((await heads()).at(-1)).toHaveLength(2);
    for (const refused of [
      () => testSubscriber(root(), { name: 'office' }),
      () => changeSubscriber(root(), { name: 'office', kinds: ['CUTOVER'] }),
      () => resendNotice(root(), { notice, subscriber: 'office' }),
    ]) {
      expect(await refusalOf(refused())).toMatchObject({ code: 'SUBSCRIBER_ENDED' });
    }
  });

  it('are named once, and of a dataset that is there', async () => {
    await add('office');
    expect(await refusalOf(add('office'))).toMatchObject({ code: 'ALREADY_EXISTS' });
    await endSubscriber(root(), { name: 'office' });
    expect(await refusalOf(add('office'))).toMatchObject({ code: 'ALREADY_EXISTS' });
    expect(await refusalOf(add('other', { dataset: 'nothing' }))).toMatchObject({ status: 404 });
    expect(await refusalOf(add('Not a name'))).toMatchObject({ code: 'INVALID_NAME' });
    const signedIn = { name: 'other', url: 'https://ana:x@example.org/' };
    expect(await refusalOf(addSubscriber(root(), signedIn))).toMatchObject({
      code: 'INVALID_INPUT',
    });
    for (const missing of [
      () => endSubscriber(root(), { name: 'nobody' }),
      () => testSubscriber(root(), { name: 'nobody' }),
      () => resendNotice(root(), { notice: 'no id', subscriber: 'office' }),
      () => resendNotice(root(), { notice: crypto.randomUUID(), subscriber: 'office' }),
    ]) {
      expect(await refusalOf(missing())).toMatchObject({ status: 404 });
    }
  });

  it('are an admin’s to manage, and nobody else’s', async () => {
    await add('office');
    const { id: notice } = await testSubscriber(root(), { name: 'office' });
    const before = (await audits()).length;
    const others = (Object.keys(cast) as Person[]).filter((person) => person !== 'root');
    for (const person of others) {
      const ctx = as(shop.t.db, person);
      for (const refused of [
        () => addSubscriber(ctx, { name: 'mine', url }),
        () => changeSubscriber(ctx, { name: 'office', url: 'https://evil.example/' }),
        () => testSubscriber(ctx, { name: 'office' }),
        () => resendNotice(ctx, { notice, subscriber: 'office' }),
        () => endSubscriber(ctx, { name: 'office' }),
      ]) {
        expect([person, await refusalOf(refused())]).toMatchObject([person, { code: 'FORBIDDEN' }]);
      }
    }
    const refusals = (await audits()).slice(before);
    expect(refusals).toHaveLength(5 * others.length);
    expect(refusals.every(({ outcome }) => outcome === 'refused')).toBe(true);
    expect(await heads()).toEqual([['TEST', 'office', 'office']]);
  });
});
