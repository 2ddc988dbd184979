import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { affected, type Database, rows, type Tx } from '@/lib/db/client';
import { transaction } from '@/lib/db/transaction';
import { rates, servedText } from '@/lib/faults/support/oracle';
import { Scenario, week } from '@/lib/faults/support/scenario';
import { retireGenerations } from '@/lib/services/steps/retire';
import { line } from '@/lib/testing/shop';

let s: Scenario;
beforeAll(async () => {
  s = await Scenario.open();
});
afterAll(() => s.t.close());

const read = async (tx: Database | Tx) =>
  (await rows<Record<string, unknown>>(tx, sql`select * from read.order_tax`))
    .map(servedText)
    .sort();

it('it reads the old generation whole to its end, and holds up nobody: seal, cutover, rollback, retiring', async () => {
  const release = await s.rehearsed();
  const snapshot = s.t.connect('tool', 1);
  const cursor = s.t.connect('tool', 1);
  const latest = s.t.connect('tool', 1);
  const at = s.ledger.ends;
  const old = s.ledger.rowsAt(at, rates());
  const fixed = () => s.ledger.rowsAt(s.ledger.ends, rates(week));

  await transaction(
    snapshot,
    async (bi) => {
      // a session that has not even touched the view when everything changes under it
      await rows(bi, sql`select 1 from control.setting`);
      await transaction(cursor, async (half) => {
        await half.execute(sql`declare half cursor for select * from read.order_tax`);
        const first = await rows<Record<string, unknown>>(half, sql`fetch 3 from half`);
        await transaction(latest, async (each) => {
          expect(await read(each)).toEqual(old);

          await s.write([line(5, { revision: 2, price: '50.00' })]);
          await s.signed(release);
          await s.w.move('dee', 'activate', release);
          await s.write([line(6, { revision: 2, price: '60.00' }), line(9)]);
          // one statement is of one generation, the next may be of another
          expect(await read(each)).toEqual(fixed());

          await affected(
            s.db,
            sql`update control.generation set kept_until = clock_timestamp() - interval '1 second'
              where state = 'kept'`,
          );
          expect(await retireGenerations(s.db, 'order_tax')).toEqual(['order_tax-g1']);
          expect(await read(each)).toEqual(fixed());
        });
        const rest = await rows<Record<string, unknown>>(half, sql`fetch all from half`);
        expect([...first, ...rest].map(servedText).sort()).toEqual(old);
      });
      expect(await read(bi)).toEqual(old);
      expect(await read(bi)).toEqual(old);
    },
    { isolation: 'repeatable read' },
  );
  await s.expectAll('vat-fix-g2');
});

it('nor does one that is open across a rollback see anything but its own snapshot', async () => {
  s.rates.set('next-g', rates(week, { from: week.from, to: week.to, rate: '0.20' }));
  const release = await s.activated({
    release: 'next',
    targetGeneration: 'next-g',
    range: { from: '2011-01-05T00:00:00Z', to: '2011-01-06T00:00:00Z' },
  });
  const snapshot = s.t.connect('tool', 1);
  await transaction(
    snapshot,
    async (bi) => {
      const before = await read(bi);
      await s.write([line(5, { revision: 3, price: '70.00' })]);
      await s.w.move('dee', 'rollback', release);
      await s.w.work(release);
      await s.expectAll('vat-fix-g2');
      expect(await read(bi)).toEqual(before);
    },
    { isolation: 'repeatable read' },
  );
});
