import { sql } from 'drizzle-orm';
import { type Database, one, rows } from '@/lib/db/client';
import { applyDataset } from '@/lib/services/dataset';
import { applySource, shardOf } from '@/lib/services/source';
import { type TestDatabase, testDatabase } from '@/lib/testing/database';
import { as, castPeople, World } from '@/lib/testing/world';

/**
 * A source whose key is not the dataset's key, with two times and with values that can err: what
 * hand-overs of keys, moves across edges and quarantine are told with.
 */
export const items = {
  source: {
    name: 'items',
    columns: [
      { name: 'id', type: 'text', nullable: false },
      { name: 'code', type: 'text', nullable: true },
      { name: 'at', type: 'timestamptz', nullable: true },
      { name: 'later', type: 'timestamptz', nullable: true },
      { name: 'value', type: 'numeric', nullable: true },
      { name: 'seconds', type: 'double precision', nullable: true },
    ],
    key: ['id'],
    eventTime: 'at',
    shards: 8,
  },
  dataset: {
    name: 'prices',
    source: 'items',
    columns: [
      { name: 'code', type: 'text' },
      { name: 'at', type: 'timestamptz' },
      { name: 'value', type: 'numeric' },
    ],
    key: ['code'],
    businessTime: 'at',
    timezone: 'UTC',
    partition: 'day',
    transform: { sql: 'select code, at, value from source' },
    policy: { approvals: { cutover: 1, rollback: 1 } },
  },
};

export interface Item {
  id: string;
  code: string | null;
  at?: string | null;
  later?: string | null;
  value?: string | null;
  seconds?: number | string | null;
  revision?: number;
  op?: 'upsert' | 'delete';
}

export const noon = '2011-01-05T12:00:00Z';

export function item({
  id,
  code,
  at = noon,
  later = at,
  value = '1',
  seconds = null,
  revision = 1,
  op = 'upsert',
}: Item) {
  return {
    eventId: `${id}-r${revision}`,
    key: id,
    revision,
    op,
    payload: op === 'delete' ? undefined : { id, code, at, later, value, seconds },
  };
}

export async function openItems(
  dataset: Record<string, unknown> = {},
): Promise<{ t: TestDatabase; w: World; append: (list: readonly Item[]) => Promise<unknown> }> {
  const t = await testDatabase();
  const w = new World(t.db);
  await castPeople(t.db);
  await applySource(as(t.db, 'root'), items.source);
  await applyDataset(as(t.db, 'root'), { ...items.dataset, ...dataset });
  return { t, w, append: (list) => w.append(list.map(item), 'items') };
}

/** Ids in as many different shards as asked, in the order of their shards. */
export function idsInShards(count: number, prefix = 's'): string[] {
  const found = new Map<number, string>();
  for (let i = 0; found.size < count; i++) {
    const id = `${prefix}${i}`;
    const shard = shardOf(id, items.source.shards);
    if (!found.has(shard)) found.set(shard, id);
  }
  return [...found].sort(([a], [b]) => a - b).map(([, id]) => id);
}

export interface GenerationState {
  /** `<source key> <key> <partition> <value>` of every row whose source key is not in quarantine. */
  rows: string[];
  /** `<source key> <code>`. */
  quarantine: string[];
}

/** What a generation holds, within [from, to) where given: equal for equal facts, however it got there. */
export async function generationState(
  db: Database,
  generation: string,
  from: string | null = null,
  to: string | null = null,
): Promise<GenerationState> {
  const held = await rows<{ text: string }>(
    db,
    sql`select concat_ws(' ', x._source_key, x._key, to_char(x._partition, 'YYYY-MM-DD'), trim_scale(x.value)) as text
      from control.generation_range r
      join ds_prices.rows x on x._segment = r.segment
        and x._partition >= coalesce(lower(r.span), '-infinity')
        and x._partition < coalesce(upper(r.span), 'infinity')
      where r.generation = ${generation}
        and (${from}::timestamptz is null or x._partition >= ${from}::timestamptz)
        and (${to}::timestamptz is null or x._partition < ${to}::timestamptz)
        and not exists (select from control.quarantine q
          where q.generation = r.generation and q.source_key = x._source_key)
      order by 1`,
  );
  const kept = await rows<{ text: string }>(
    db,
    sql`select source_key || ' ' || code as text from control.quarantine
      where generation = ${generation} order by 1`,
  );
  return { rows: held.map((r) => r.text), quarantine: kept.map((q) => q.text) };
}

/** `<key> <partition> <value>` of every row that readers get, through the view, each as often as it is there. */
export async function servedPrices(db: Database): Promise<string[]> {
  const served = await rows<{ text: string }>(
    db,
    sql`select concat_ws(' ', code, to_char(at, 'YYYY-MM-DD'), trim_scale(value)) as text
      from read.prices order by 1`,
  );
  return served.map((row) => row.text);
}

/** A row of `generationState` as readers see it. */
export const asServed = (row: string): string => row.slice(row.indexOf(' ') + 1);

export async function activeGeneration(db: Database): Promise<string> {
  const { id } = await one<{ id: string }>(
    db,
    sql`select active_generation as id from control.registry where dataset = 'prices'`,
  );
  return id;
}

export async function candidateOf(db: Database, release: string): Promise<string> {
  const [name, revision] = release.split('@');
  const { id } = await one<{ id: string }>(
    db,
    sql`select generation as id from control.release where name = ${name} and revision = ${revision}`,
  );
  return id;
}

export const priceRelease = (
  name: string,
  transform: string,
  more: Record<string, unknown> = {},
) => ({
  release: name,
  dataset: 'prices',
  range: { from: '2011-01-03T00:00:00Z', to: '2011-01-11T00:00:00Z' },
  source: { name: 'items' },
  transform: { new: { sql: transform } },
  targetGeneration: `${name}-g`,
  budget: { maxLiveLagSeconds: 3600 },
  approvals: { cutover: 1, rollback: 1 },
  ...more,
});

/** Pins, builds and rehearses a release; its candidate holds facts(W). */
export async function built(w: World, spec: { release: string }): Promise<string> {
  const release = await w.draft(spec);
  await w.move('ana', 'pin', release);
  await w.work(release);
  await w.move('ana', 'build', release);
  await w.work(release);
  await w.move('ana', 'rehearse', release);
  await w.work(release);
  return release;
}

/** From the rehearsal through the cutover, accepting what is in quarantine. */
export async function cutOver(w: World, release: string): Promise<void> {
  const found = await one<{ count: string; digest: string }>(
    w.db,
    sql`select detail ->> 'count' as count, detail ->> 'digest' as digest from control.check_result
      where name = 'quarantine' order by reconciliation desc limit 1`,
  );
  if (found.count !== '0') {
    await w.move('ana', 'accept', release, { what: 'quarantine', ...found, reason: 'known' });
  }
  const evidence = await w.reconciled(release);
  await w.move('bo', 'approve', release, { evidence });
  await w.move('bo', 'sign-rollback', release, { evidence });
  await w.move('dee', 'activate', release);
}
