import { expect, it } from 'vitest';
import type { Database, Tx } from '@/lib/db/client';
import { readOnce } from './kept';

const pool = () => ({ $client: null, close: async () => {} }) as unknown as Database;

/** Counts how often it was read. */
function counting() {
  let times = 0;
  return async () => {
    times += 1;
    return times;
  };
}

it('is read once for each pool and key', async () => {
  const [one, other] = [pool(), pool()];
  const read = counting();
  expect(await Promise.all([readOnce(one, 'a', read), readOnce(one, 'a', read)])).toEqual([1, 1]);
  expect(await readOnce(one, 'b', read)).toBe(2);
  expect(await readOnce(other, 'a', read)).toBe(3);
  expect(await readOnce(one, 'a', read)).toBe(1);
});

it('is read anew each time inside a transaction', async () => {
  const tx = { $client: null } as unknown as Tx;
  const read = counting();
  expect([await readOnce(tx, 'a', read), await readOnce(tx, 'a', read)]).toEqual([1, 2]);
});

it('keeps no failure', async () => {
  const db = pool();
  const failing = () => Promise.reject(new Error('gone'));
  await expect(readOnce(db, 'a', failing)).rejects.toThrow('gone');
  expect(await readOnce(db, 'a', counting())).toBe(1);
});

it('forgets what was not asked for longest', async () => {
  const db = pool();
  const read = counting();
  for (let key = 0; key < 48; key += 1) await readOnce(db, String(key), read);
  expect(await readOnce(db, '0', read)).toBe(1);
  await readOnce(db, 'one more', read);
  expect(await readOnce(db, '0', read)).toBe(1);
  expect(await readOnce(db, '1', read)).toBe(50);
});
