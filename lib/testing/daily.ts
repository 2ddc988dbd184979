import { sql } from 'drizzle-orm';
import { type Database, one, rows } from '@/lib/db/client';
import { applyDataset } from '@/lib/services/dataset';
import { applySource, shardOf } from '@/lib/services/source';
import { type TestDatabase, testDatabase } from '@/lib/testing/database';
import { as, castPeople, World } from '@/lib/testing/world';

/** Order lines, and what a day of them comes to: a dataset of grain `partition`. */
export const lines = {
  source: {
    name: 'order_lines',
    columns: [
      { name: 'order_id', type: 'text', nullable: false },
      { name: 'dt', type: 'timestamptz', nullable: true },
      { name: 'amount', type: 'bigint', nullable: true },
      { name: 'status', type: 'text', nullable: true },
    ],
    key: ['order_id'],
    eventTime: 'dt',
    shards: 8,
  },
  dataset: {
    name: 'daily',
    source: 'order_lines',
    columns: [
      { name: 'dt', type: 'timestamptz' },
      { name: 'orders', type: 'bigint', nullable: false },
      { name: 'amount', type: 'bigint' },
    ],
    key: ['dt'],
    businessTime: 'dt',
    timezone: 'UTC',
    partition: 'day',
    grain: 'partition',
    sourceTime: 'dt',
    transform: { sql: dailySql() },
    conserved: [{ name: 'amount', old: 'sum(amount)', new: 'sum(amount)', source: 'sum(amount)' }],
    rollups: [
      { metric: 'orders', sql: 'sum(orders)' },
      { metric: 'amount', sql: 'sum(amount)' },
    ],
    policy: { approvals: { cutover: 1, rollback: 1 } },
  },
};

/** A day's orders and amount; `amount` is SQL over the day's lines. */
export function dailySql(amount = 'sum(amount)', where = 'true'): string {
  return `select date_trunc('day', dt, 'UTC') as dt, count(*) as orders, ${amount} as amount
    from source where ${where} group by 1`;
}

export interface Line {
  id: string;
  /** A day of February 2026; null: no time. */
  day: number | null;
  amount?: string | null;
  status?: string;
  revision?: number;
  op?: 'upsert' | 'delete';
}

export const dayOf = (n: number): string => `2026-02-${String(n).padStart(2, '0')}T00:00:00Z`;

/** One event of the source, at noon of its day. */
export function lineEvent({ id, day, amount = '100', status = 'ok', revision = 1, op }: Line) {
  const dt = day === null ? null : dayOf(day).replace('T00', 'T12');
  return {
    eventId: `${id}-r${revision}`,
    key: id,
    revision,
    op: op ?? 'upsert',
    payload: op === 'delete' ? undefined : { order_id: id, dt, amount, status },
  };
}

export interface Daily {
  t: TestDatabase;
  w: World;
  append: (list: readonly Line[]) => Promise<unknown>;
}

export async function openDaily(dataset: Record<string, unknown> = {}): Promise<Daily> {
  const t = await testDatabase();
  const w = new World(t.db);
  await castPeople(t.db);
  await applySource(as(t.db, 'root'), lines.source);
  await applyDataset(as(t.db, 'root'), { ...lines.dataset, ...dataset });
  return { t, w, append: (list) => w.append(list.map(lineEvent), 'order_lines') };
}

/** Order ids in as many different shards as asked, in the order of their shards. */
export function ordersInShards(count: number): string[] {
  const found = new Map<number, string>();
  for (let i = 0; found.size < count; i++) {
    const shard = shardOf(`o${i}`, lines.source.shards);
    if (!found.has(shard)) found.set(shard, `o${i}`);
  }
  return [...found].sort(([a], [b]) => a - b).map(([, id]) => id);
}

/** `<day> <orders> <amount>` of every row that a generation of `daily` holds, kept ones included. */
export async function heldDays(db: Database, generation: string): Promise<string[]> {
  const held = await rows<{ text: string }>(
    db,
    sql`select concat_ws(' ', to_char(x._partition, 'DD'), x.orders, coalesce(x.amount::text, 'null')) as text
      from control.generation_range r
      join ds_daily.rows x on x._segment = r.segment
        and x._partition >= coalesce(lower(r.span), '-infinity')
        and x._partition < coalesce(upper(r.span), 'infinity')
      where r.generation = ${generation} order by 1`,
  );
  return held.map((row) => row.text);
}

/** `<key> <code>` of what a generation has in quarantine. */
export async function quarantineOf(db: Database, generation: string): Promise<string[]> {
  const found = await rows<{ text: string }>(
    db,
    sql`select source_key || ' ' || code as text from control.quarantine
      where generation = ${generation} order by 1`,
  );
  return found.map((q) => q.text);
}

export async function activeDaily(db: Database): Promise<string> {
  const { id } = await one<{ id: string }>(
    db,
    sql`select active_generation as id from control.registry where dataset = 'daily'`,
  );
  return id;
}
