import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sql } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { affected, one, rows } from '@/lib/db/client';
import { transaction } from '@/lib/db/transaction';
import { MOST_ATTEMPTS } from '@/lib/domain/notices';
import { openReceiver, type Receiver } from '@/lib/testing/receiver';
import { refusalOf } from '@/lib/testing/refusal';
import { openShop, type Shop } from '@/lib/testing/shop';
import { as } from '@/lib/testing/world';
import { deliverDue } from './deliver';
import { addSubscriber, changeSubscriber, endSubscriber, resendNotice, writeNotice } from './index';
import { post } from './post';

let shop: Shop;
let receiver: Receiver;
let secret = '';
const dataset = 'order_tax';

beforeEach(async () => {
  shop = await openShop();
  receiver = await openReceiver();
  ({ secret } = await addSubscriber(as(shop.t.db, 'root'), { name: 'office', url: receiver.url }));
});
afterEach(async () => {
  await receiver.close();
  await shop.t.close();
});

const write = (n = 1) =>
  transaction(shop.t.db, (tx) =>
    writeNotice(tx, {
      dataset,
      kind: 'CORRECTED',
      subject: `test ${n}`,
      body: { n, word: 'Ωμέγα' },
    }),
  );
const deliveries = () =>
  rows<{ state: string; attempts: number; status: number | null; error: string | null }>(
    shop.t.db,
    sql`select state, attempts, last_status as status, last_error as error
      from control.notice_delivery order by notice, subscriber`,
  );
/** Lets the wait before the next try, or a dead process's lease, be over. */
const waitIsOver = () =>
  affected(
    shop.t.db,
    sql`update control.notice_delivery set next_attempt_at = clock_timestamp() where state = 'WAITING'`,
  );
const nextInSeconds = async () => {
  const { seconds } = await one<{ seconds: number }>(
    shop.t.db,
    sql`select round(extract(epoch from next_attempt_at - clock_timestamp()))::int as seconds
      from control.notice_delivery`,
  );
  return seconds;
};

describe('a delivery', () => {
  it('is posted as signed JSON, and told once by two runners at once', async () => {
    for (let n = 1; n <= 20; n++) await write(n);
    const other = shop.t.connect('runner');
    const tries = await Promise.all([deliverDue(shop.t.db), deliverDue(other)]);
    expect(tries[0] + tries[1]).toBe(20);
    expect(new Set(receiver.calls.map(({ body }) => body.id)).size).toBe(20);
    expect(receiver.calls).toHaveLength(20);
    expect(await deliveries()).toEqual(
      Array.from({ length: 20 }, () => ({
        state: 'DELIVERED',
        attempts: 1,
        status: 200,
        error: null,
      })),
    );
    // told is told
    expect(await deliverDue(shop.t.db)).toBe(0);
  });

  it('says what it is of, under an id and a signature that check out', async () => {
    await write();
    await deliverDue(shop.t.db);
    const { notice } = await one<{ notice: { uuid: string; at: string } }>(
      shop.t.db,
      sql`select jsonb_build_object('uuid', uuid) as notice from control.notice`,
    );
    const [call] = receiver.calls;
    expect(call).toMatchObject({
      method: 'POST',
      url: '/in',
      headers: { 'content-type': 'application/json', 'interlock-notice': notice.uuid },
      body: { id: notice.uuid, kind: 'CORRECTED', dataset, subject: 'test 1', body: { n: 1 } },
    });
    expect(Object.keys(call?.body ?? {})).toEqual([
      'id',
      'kind',
      'dataset',
      'subject',
      'at',
      'body',
    ]);
    const said = /^t=(\d{10}),v1=([0-9a-f]{64})$/.exec(
      String(call?.headers['interlock-signature']),
    );
    const mac = createHmac('sha256', secret).update(`${said?.[1]}.${call?.text}`).digest('hex');
    expect(said?.[2]).toBe(mac);
    expect(secret).toMatch(/^ils_[A-Za-z0-9_-]{43}$/);
  });

  it('is tried again after a wait where the answer was no success, and then delivered', async () => {
    await write();
    receiver.answer = (response) => {
      response.statusCode = 500;
      response.end(`<b>down</b>\u0000\r\n${'x'.repeat(5_000)}`);
    };
    expect(await deliverDue(shop.t.db)).toBe(1);
    const [failed] = await deliveries();
    expect(failed).toMatchObject({ state: 'WAITING', attempts: 1, status: 500 });
    expect(failed?.error).toMatch(/^It answered 500\. <b>down<\/b> x+$/);
    expect(failed?.error).toHaveLength(500);
    expect(await nextInSeconds()).toBeGreaterThan(25);
    // not due yet
    expect(await deliverDue(shop.t.db)).toBe(0);
    await waitIsOver();
    receiver.answer = (response) => {
      response.statusCode = 204;
      response.end();
    };
    expect(await deliverDue(shop.t.db)).toBe(1);
    expect(await deliveries()).toEqual([
      { state: 'DELIVERED', attempts: 2, status: 204, error: null },
    ]);
    expect(receiver.calls[0]?.body).toEqual(receiver.calls[1]?.body);
  });

  it('is given up after the last try, and sent again when an admin says so', async () => {
    await write();
    const url = receiver.url;
    await receiver.close();
    for (let n = 1; n <= MOST_ATTEMPTS; n++) {
      expect(await deliverDue(shop.t.db)).toBe(1);
      if (n === 8) expect(await nextInSeconds()).toBeGreaterThan(3_590);
      await waitIsOver();
    }
    expect(await deliveries()).toEqual([
      {
        state: 'FAILED',
        attempts: MOST_ATTEMPTS,
        status: null,
        error: expect.stringContaining('ECONNREFUSED'),
      },
    ]);
    expect(await deliverDue(shop.t.db)).toBe(0);

    const { notice } = await one<{ notice: string }>(
      shop.t.db,
      sql`select uuid as notice from control.notice`,
    );
    receiver = await openReceiver();
    expect(receiver.url).not.toBe(url);
    await changeSubscriber(as(shop.t.db, 'root'), { name: 'office', url: receiver.url });
    await resendNotice(as(shop.t.db, 'root'), { notice, subscriber: 'office' });
    expect(await deliverDue(shop.t.db)).toBe(1);
    expect(receiver.calls.map(({ body }) => body.id)).toEqual([notice]);
    expect(await deliveries()).toMatchObject([{ state: 'DELIVERED', attempts: 1 }]);
    const again = resendNotice(as(shop.t.db, 'root'), { notice, subscriber: 'office' });
    expect(await refusalOf(again)).toMatchObject({ code: 'DELIVERY_NOT_FAILED' });
  });

  it('follows no redirect', async () => {
    const elsewhere = await openReceiver();
    try {
      await write();
      receiver.answer = (response) => {
        response.writeHead(307, { location: elsewhere.url });
        response.end();
      };
      await deliverDue(shop.t.db);
      expect(elsewhere.calls).toEqual([]);
      expect(await deliveries()).toMatchObject([
        { state: 'WAITING', status: 307, error: expect.stringContaining('not followed') },
      ]);
    } finally {
      await elsewhere.close();
    }
  });

  it('of a process that died after the call is told again under the same id, when its lease is over', async () => {
    await write();
    const died = deliverDue(shop.t.db, {
      lanes: 1,
      post: async (letter) => {
        await post(letter);
        throw new Error('killed');
      },
    });
    await expect(died).rejects.toThrow('killed');
    expect(receiver.calls).toHaveLength(1);
    expect(await deliveries()).toMatchObject([{ state: 'WAITING', attempts: 1, status: null }]);
    // while it may still be alive nobody else takes it
    expect(await deliverDue(shop.t.db)).toBe(0);
    await waitIsOver();
    expect(await deliverDue(shop.t.db)).toBe(1);
    expect(new Set(receiver.calls.map(({ body }) => body.id)).size).toBe(1);
    expect(receiver.calls).toHaveLength(2);
    expect(await deliveries()).toMatchObject([{ state: 'DELIVERED', attempts: 2 }]);
  });

  it('whose failure comes too late leaves the later try alone, and whose success does not', async () => {
    await write();
    const second = () => deliverDue(shop.t.db);
    await deliverDue(shop.t.db, {
      lanes: 1,
      post: async () => {
        await waitIsOver();
        receiver.answer = (response) => {
          response.statusCode = 503;
          response.end();
        };
        await second();
        return { delivered: false, status: null, error: 'too late' };
      },
    });
    expect(await deliveries()).toMatchObject([{ state: 'WAITING', attempts: 2, status: 503 }]);
    await waitIsOver();
    await deliverDue(shop.t.db, {
      lanes: 1,
      post: async () => {
        await waitIsOver();
        await second();
        return { delivered: true, status: 200 };
      },
    });
    expect(await deliveries()).toMatchObject([{ state: 'DELIVERED', attempts: 4, status: 200 }]);
  });

  it('of whose last try no word came is given up', async () => {
    await write();
    await affected(shop.t.db, sql`update control.notice_delivery set attempts = ${MOST_ATTEMPTS}`);
    expect(await deliverDue(shop.t.db)).toBe(0);
    expect(await deliveries()).toMatchObject([
      { state: 'FAILED', error: expect.stringContaining('before it could say') },
    ]);
  });

  it('holds nobody up: one that never answers keeps no other from being told', async () => {
    const other = await openReceiver();
    try {
      await addSubscriber(as(shop.t.db, 'root'), { name: 'silent', url: other.url });
      for (let n = 1; n <= 8; n++) await write(n);
      const told = new Promise<void>((resolve) => {
        receiver.answer = (response) => {
          response.end();
          if (receiver.calls.length === 8) resolve();
        };
      });
      let giveUp = () => {};
      const silence = new Promise<void>((resolve) => {
        giveUp = resolve;
      });
      const delivering = deliverDue(shop.t.db, {
        post: async (letter) => {
          if (letter.url !== other.url) return post(letter);
          await silence;
          return { delivered: false, status: null, error: 'never answered' };
        },
      });
      await told;
      giveUp();
      expect(await delivering).toBe(16);
    } finally {
      await other.close();
    }
  });

  it('of an ended subscriber is given up, also one that was written in that moment', async () => {
    await write();
    await endSubscriber(as(shop.t.db, 'root'), { name: 'office' });
    expect(await deliveries()).toMatchObject([
      { state: 'FAILED', error: 'The subscriber was ended.' },
    ]);
    // as a transaction that had read it before leaves it
    await affected(shop.t.db, sql`update control.notice_delivery set state = 'WAITING'`);
    expect(await deliverDue(shop.t.db)).toBe(0);
    expect(await deliveries()).toMatchObject([
      { state: 'FAILED', error: 'The subscriber was ended.' },
    ]);
    expect(receiver.calls).toEqual([]);
  });
});

describe('one post', () => {
  const letter = (url: string) => ({ url, secret: 'ils_x', id: 'x', body: '{}' });

  it('gives up a server that does not answer in time', async () => {
    receiver.answer = () => {};
    expect(await post(letter(receiver.url), 50)).toEqual({
      delivered: false,
      status: null,
      error: 'No answer within 0.05 s.',
    });
  });

  it('gives up one whose answer never ends, and keeps what it said so far', async () => {
    receiver.answer = (response) => {
      response.statusCode = 502;
      response.write('still thinking');
    };
    expect(await post(letter(receiver.url), 300)).toEqual({
      delivered: false,
      status: 502,
      error: 'It answered 502. still thinking',
    });
  });

  it('reads no more of an endless answer than it keeps', async () => {
    const server = createServer((_, response) => {
      response.statusCode = 400;
      const more = () => {
        while (response.write('y'.repeat(1_000)));
        response.once('drain', more);
      };
      more();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
      const outcome = await post(letter(url));
      expect(outcome).toMatchObject({ delivered: false, status: 400 });
      expect('error' in outcome && outcome.error).toHaveLength(500);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });

  it('says why where there is nobody', async () => {
    const { url } = receiver;
    await receiver.close();
    expect(await post(letter(url))).toMatchObject({
      status: null,
      error: expect.stringContaining('ECONNREFUSED'),
    });
    expect(await post(letter('http://no-such-host.invalid/'))).toMatchObject({
      status: null,
      error: expect.stringMatching(/^It could not be reached: /),
    });
    receiver = await openReceiver();
  });
});
