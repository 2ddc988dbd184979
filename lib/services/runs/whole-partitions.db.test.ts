import { sql } from 'drizzle-orm';
import { afterEach, expect, it } from 'vitest';
import { affected, rows } from '@/lib/db/client';
import { onStep } from '@/lib/db/step';
import { runView } from '@/lib/queries/runs';
import { askRun } from '@/lib/services/runs';
import { walkRun } from '@/lib/services/steps/run-walk';
import { openItems } from '@/lib/testing/items';
import { as } from '@/lib/testing/world';

let shop: Awaited<ReturnType<typeof openItems>>;
let stop = () => {};
afterEach(async () => {
  stop();
  await shop.t.close();
});

const at = (n: number, hour = 0) => `2011-01-0${n}T${String(hour).padStart(2, '0')}:00:00Z`;

it('of grain partition are computed whole, with the events that came meanwhile', async () => {
  shop = await openItems({
    grain: 'partition',
    sourceTime: 'at',
    key: ['code', 'at'],
    transform: {
      sql: `select code, date_trunc('day', at, 'UTC') as at, sum(value) as value from source group by 1, 2`,
    },
  });
  const { db } = shop.t;
  const served = async () =>
    (
      await rows<{ text: string }>(
        db,
        sql`select concat_ws(' ', code, to_char(at, 'DD'), trim_scale(value)) as text from read.prices order by 1`,
      )
    ).map(({ text }) => text);
  await shop.append([
    { id: 'a', code: 'X', at: at(2, 9), value: '1' },
    { id: 'b', code: 'X', at: at(2, 10), value: '2' },
    { id: 'c', code: 'X', at: at(3, 9), value: '4' },
    { id: 'd', code: 'Y', at: at(3, 9), value: '8' },
  ]);
  await shop.w.live('prices');
  expect(await served()).toEqual(['X 02 3', 'X 03 4', 'Y 03 8']);
  await affected(db, sql`update ds_prices.rows set value = 100`);
  let once = true;
  stop = onStep(async (step) => {
    if (step !== 'run.aside-written' || !once) return;
    once = false;
    await shop.append([
      { id: 'b', code: 'X', at: at(3, 10), value: '2', revision: 2 },
      { id: 'e', code: 'Z', at: at(2, 10), value: '5' },
    ]);
    await shop.w.live('prices');
    // what live writing left as it stood, since it was as it should be
    await affected(db, sql`update ds_prices.rows set value = 7 where code = 'Z'`);
  });
  const { id } = await askRun(as(db, 'ana'), { dataset: 'prices', from: at(1), to: at(5) });
  expect(await walkRun(db, id)).toBe('ended');
  expect(await served()).toEqual(['X 02 1', 'X 03 6', 'Y 03 8', 'Z 02 5']);
  expect(await runView(db, id)).toMatchObject({
    green: true,
    done: [at(2), at(3)],
    // the third was set right by the events of its own, before it was looked at
    changed: [at(2)],
    skipped: [
      [at(1), 'no_data'],
      [at(4), 'no_data'],
    ],
    failed: [],
  });
});
