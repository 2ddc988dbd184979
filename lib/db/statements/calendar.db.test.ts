import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { affected, rows } from '@/lib/db/client';
import { transaction } from '@/lib/db/transaction';
import { type Instant, instantOf, microsOf } from '@/lib/domain/instant';
import { type TestDatabase, testDatabase } from '@/lib/testing/database';
import { race } from '@/lib/testing/race';
import { locatePartitions } from './calendar';

let t: TestDatabase;
beforeAll(async () => {
  t = await testDatabase();
});
afterAll(() => t.close());

const micros = (text: string) => microsOf(text as Instant);
const locate = async (zone: string, unit: 'hour' | 'day', ...texts: string[]) => {
  const found = await locatePartitions(t.db, { zone, unit }, texts.map(micros));
  return texts.map((text) => {
    const partition = found.get(micros(text));
    return partition ? [instantOf(partition.start), instantOf(partition.end)] : null;
  });
};

describe('the partition of an instant', () => {
  it('is the one between the zone’s own boundaries, where SQL would be wrong', async () => {
    // Havana's day of 2025-11-02 begins at 04:00Z; date_trunc says 05:00Z, which is after the row
    expect(await locate('America/Havana', 'day', '2025-11-02T04:30:00Z')).toEqual([
      ['2025-11-02T04:00:00Z', '2025-11-03T05:00:00Z'],
    ]);
    // a day that Samoa skipped: the instant before its end and its end are of two days with one date between
    expect(
      await locate('Pacific/Apia', 'day', '2011-12-30T09:59:59.999999Z', '2011-12-30T10:00:00Z'),
    ).toEqual([
      ['2011-12-29T10:00:00Z', '2011-12-30T10:00:00Z'],
      ['2011-12-30T10:00:00Z', '2011-12-31T10:00:00Z'],
    ]);
  });

  it('holds its start, not its end', async () => {
    expect(
      await locate(
        'Europe/Berlin',
        'day',
        '2025-10-25T22:00:00Z',
        '2025-10-26T22:59:59.999999Z',
        '2025-10-26T23:00:00Z',
      ),
    ).toEqual([
      ['2025-10-25T22:00:00Z', '2025-10-26T23:00:00Z'],
      ['2025-10-25T22:00:00Z', '2025-10-26T23:00:00Z'],
      ['2025-10-26T23:00:00Z', '2025-10-27T23:00:00Z'],
    ]);
  });

  it('is none before 1900 and from 2200 on', async () => {
    expect(
      await locate(
        'UTC',
        'day',
        '1899-12-31T23:59:59Z',
        '1900-01-01T00:00:00Z',
        '2199-12-31T23:59:59Z',
        '2200-01-01T00:00:00Z',
      ),
    ).toEqual([
      null,
      ['1900-01-01T00:00:00Z', '1900-01-02T00:00:00Z'],
      ['2199-12-31T00:00:00Z', '2200-01-01T00:00:00Z'],
      null,
    ]);
  });

  it('is what the stored calendar says, also where this process’s zone database says another thing', async () => {
    await affected(
      t.db,
      sql`insert into control.calendar (zone, unit, start_at, end_at) values
        ('Asia/Gaza', 'day', '2030-03-29T23:00:00Z', '2030-03-30T22:30:00Z'),
        ('Asia/Gaza', 'day', '2030-03-30T22:30:00Z', '2030-03-31T21:00:00Z')`,
    );
    expect(
      await locate('Asia/Gaza', 'day', '2030-03-30T22:15:00Z', '2030-03-30T22:30:00Z'),
    ).toEqual([
      ['2030-03-29T23:00:00Z', '2030-03-30T22:30:00Z'],
      ['2030-03-30T22:30:00Z', '2030-03-31T21:00:00Z'],
    ]);
  });

  it('is stored once by two processes that need it in one instant', async () => {
    const need = (db: TestDatabase['db']) =>
      transaction(db, (tx) =>
        locatePartitions(tx, { zone: 'Asia/Tokyo', unit: 'hour' }, [
          micros('2011-01-04T12:30:00Z'),
        ]),
      );
    const { first, second } = await race(t.url, need, need);
    expect(first).toEqual(second);
    expect(
      await rows(t.db, sql`select 1 from control.calendar where zone = 'Asia/Tokyo'`),
    ).toHaveLength(1);
  });
});
