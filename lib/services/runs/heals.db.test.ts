import { sql } from 'drizzle-orm';
import { afterEach, expect, it } from 'vitest';
import { affected, type Database, rows } from '@/lib/db/client';
import { onStep } from '@/lib/db/step';
import { runView } from '@/lib/queries/runs';
import { askRun } from '@/lib/services/runs';
import { walkRun } from '@/lib/services/steps/run-walk';
import { type Random, randomFrom } from '@/lib/system/random';
import {
  activeGeneration,
  generationState,
  type Item,
  openItems,
  servedPrices,
} from '@/lib/testing/items';
import { expectedState, factsOf, type Transform } from '@/lib/testing/model';
import { as } from '@/lib/testing/world';

let shop: Awaited<ReturnType<typeof openItems>>;
let stop = () => {};
afterEach(async () => {
  stop();
  await shop.t.close();
});

const at = (n: number) => `2011-01-${String(n).padStart(2, '0')}T00:00:00Z`;
const plain: Transform = ({ code, at: time, value }) => ({
  code,
  at: time ?? null,
  value: Number(value),
});
const model = {
  map: [{ from: null, to: null, transform: 'plain', kept: true }],
  transforms: { plain },
};

/** A seed names a whole history, so that one that fails can be told again. */
it.each([1, 2, 3, 4, 5])(
  'ends at exactly the facts, whatever was changed by hand and came meanwhile (%i)',
  async (seed) => {
    const random = randomFrom(seed);
    const pick = random.below;
    shop = await openItems();
    const { db } = shop.t;
    const history: Item[] = [];
    const revisions = new Map<string, number>();
    const some = (n: number): Item[] =>
      Array.from({ length: n }, () => {
        const id = `s${pick(12)}`;
        const revision = (revisions.get(id) ?? 0) + 1;
        revisions.set(id, revision);
        return {
          id,
          // few codes for many keys: hand-overs and collisions come about by themselves
          code: pick(12) === 0 ? null : `C${pick(14)}`,
          at: `2011-01-0${2 + pick(5)}T1${pick(10)}:00:00Z`,
          value: String(pick(100)),
          revision,
          op: pick(6) === 0 ? ('delete' as const) : ('upsert' as const),
        };
      });
    const append = async (list: Item[]) => {
      // one event of a key in a batch: the log takes them in any order
      const batch = [...new Map(list.map((each) => [each.id, each])).values()];
      await shop.append(batch);
      history.push(...batch);
    };
    await append(some(30));
    await shop.w.live('prices');

    for (let round = 0; round < 3; round++) {
      await tamper(db, random);
      const busy = { left: 3 };
      stop = onStep(async (step) => {
        if (step !== 'run.aside-written' || busy.left === 0) return;
        busy.left -= 1;
        await append(some(1 + pick(3)));
        if (pick(2) === 0) await shop.w.live('prices');
      });
      const { id } = await askRun(as(db, 'ana'), { dataset: 'prices', from: at(1), to: at(9) });
      expect(await walkRun(db, id)).toBe('ended');
      stop();
      const view = await runView(db, id);
      expect(view.failed).toEqual([]);
      await shop.w.live('prices');
      const state = await generationState(db, await activeGeneration(db));
      const { rows: expected, quarantine } = expectedState(model, factsOf(history));
      expect(state).toEqual({ rows: expected, quarantine });
      // no key twice, and nobody but the quarantined keeps a row that no fact yields
      const served = await servedPrices(db);
      const keys = served.map((row) => row.split(' ')[0]);
      expect(new Set(keys).size).toBe(keys.length);
    }
  },
);

/** Changes what is served in three ways, as nothing of the product would. */
async function tamper(db: Database, random: Random): Promise<void> {
  const standing = await rows<{ key: string }>(
    db,
    sql`select x._key as key from control.registry g
      join control.generation_range r on r.generation = g.active_generation
      join ds_prices.rows x on x._segment = r.segment and r.span @> x._partition
      where g.dataset = 'prices' and not exists (select from control.quarantine q
        where q.generation = r.generation and q.source_key = x._source_key) order by 1`,
  );
  for (const { key } of standing) {
    const how = random.below(6);
    if (how === 0) await affected(db, sql`delete from ds_prices.rows where _key = ${key}`);
    if (how === 1)
      await affected(db, sql`update ds_prices.rows set value = 4711 where _key = ${key}`);
    if (how === 2) {
      await affected(
        db,
        sql`insert into ds_prices.rows (_segment, _partition, _key, _source_key, _revision, code, at, value)
          select _segment, _partition, 'by hand of ' || _key, 'nobody ' || _key, 1, 'by hand of ' || _key, at, 1
          from ds_prices.rows where _key = ${key} on conflict do nothing`,
      );
    }
  }
}
