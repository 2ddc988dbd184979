import { sql } from 'drizzle-orm';
import { array, type Database, maybeOne, rows, type Tx } from '@/lib/db/client';

/** The offsets of one shard that a chunk covers: `after` < offset ≤ `upto`. */
export interface PruneWindow {
  shard: number;
  after: string;
  upto: string;
}

/** Sources whose log is not kept for ever, and how many shards each has. */
export function prunedSources(db: Database): Promise<{ name: string; shards: number }[]> {
  return rows(
    db,
    sql`select name, shards from control.source where retention_days is not null order by name`,
  );
}

/**
 * Locks a source and the registry rows of its datasets. The source's row keeps datasets from being
 * made on it and snapshots from being taken (both lock it by their foreign key), a registry row
 * everything that could come to need an event: pins, cutovers, rollbacks, live writing. False:
 * somebody holds one of them; nothing waits, so that nobody waits for this in turn.
 */
export async function lockForPruning(tx: Tx, source: string): Promise<boolean> {
  const locked = await maybeOne(
    tx,
    sql`select 1 from control.source
      where name = ${source} and retention_days is not null and control.require_read_committed()
      for update skip locked`,
  );
  if (!locked) return false;
  const datasets = await rows<{ name: string }>(
    tx,
    // of a fork that was retired, the dataset's row stays as a record and needs nothing
    sql`select d.name from control.dataset d
      where d.source = ${source} and (d.fork_of is null
        or exists (select from control.registry r where r.dataset = d.name))`,
  );
  const registries = await rows(
    tx,
    sql`select r.dataset from control.registry r
      where r.dataset = any(${array(
        datasets.map((d) => d.name),
        'text',
      )})
      order by r.dataset for update skip locked`,
  );
  return registries.length === datasets.length;
}

/**
 * What may be covered next, at most `size` offsets a shard; shards where that is nothing are left
 * out. Per shard the bound is the smallest of: the last offset received before the retention began,
 * the progress of every generation of the source that is not retired (a kept one's is where its
 * rollback would begin), and the watermark of every release under way, whose comparisons read what
 * came after its snapshot. Read it again under `lockForPruning` before acting on it.
 */
export function pruneWindows(
  tx: Database | Tx,
  source: string,
  size: number,
): Promise<PruneWindow[]> {
  return rows(
    tx,
    sql`with needed as (
        select p.offsets from control.dataset d
        join control.generation g on g.dataset = d.name and g.state <> 'retired'
        join control.generation_progress p on p.generation = g.id
        where d.source = ${source}
        union all
        select x.watermark from control.dataset d
        join control.release x on x.dataset = d.name and x.watermark is not null
        where d.source = ${source} and (
          x.state in ('SNAPSHOT_PINNED', 'BUILDING', 'INGRESS_SEALED', 'CAUGHT_UP', 'RECONCILED', 'APPROVED')
          or (x.state = 'RECONCILIATION_REQUIRED' and x.trouble_from is distinct from 'ACTIVE'))
      ),
      bounds as (
        select h.shard, h.retained_from - 1 as after, least(
          h.retained_from - 1 + ${size}::bigint,
          h.last_offset,
          (select min(n.offsets[h.shard + 1]) from needed n),
          (select min(e."offset") - 1 from control.source_event e
            where e.source = h.source and e.shard = h.shard and e."offset" >= h.retained_from
              and e."offset" < h.retained_from + ${size}::bigint
              and e.received_at >= clock_timestamp() - s.retention_days * interval '24 hours')
        ) as upto
        from control.source s join control.source_shard h on h.source = s.name
        where s.name = ${source} and s.retention_days is not null
      )
      select shard, after, upto from bounds where upto > after order by shard`,
  );
}

/**
 * Removes what is superseded at the windows' ends: every event that is not effective, every older
 * event of a key that has a newer effective one, and a delete that is the newest. What stays is the
 * newest event of each key that lives: facts(W) is the same as before for every W at or above the
 * ends. Only keys with an event in a window can have changed, so nothing else is looked at.
 *
 * The caller holds `lockForPruning` and read the windows under it.
 *
 * @returns how many events went
 */
export async function pruneEvents(
  tx: Tx,
  source: string,
  windows: readonly PruneWindow[],
): Promise<number> {
  const removed = await rows<{ shard: number; count: number }>(
    tx,
    sql`with covered as materialized (
        select e.shard, e."offset", e.key, e.op, e.effective
        from ${windowsSql(windows)}
        join control.source_event e on e.source = ${source} and e.shard = w.shard
          and e."offset" > w.after and e."offset" <= w.upto
      ),
      newest as materialized (
        select distinct on (key) key, shard, "offset", op from covered
        where effective order by key, "offset" desc
      ),
      gone as materialized (
        select shard, "offset" from covered where not effective
        union all
        select e.shard, e."offset" from newest n
        join control.source_event e on e.source = ${source} and e.key = n.key and e.effective
          and (e."offset" < n."offset" or (e."offset" = n."offset" and n.op = 'delete'))
      ),
      removed as (
        delete from control.source_event e using gone g
        where e.source = ${source} and e.shard = g.shard and e."offset" = g."offset"
        returning e.shard
      )
      select shard, count(*)::int as count from removed group by shard`,
  );
  const gone = new Map(removed.map(({ shard, count }) => [shard, count]));
  // last, since appends to a shard wait from here to the commit
  const moved = await rows(
    tx,
    sql`update control.source_shard h set retained_from = w.upto + 1,
        base_events = h.base_events + w.upto - w.after - g.count
      from ${windowsSql(windows)}
      join unnest(${array(
        windows.map((w) => w.shard),
        'integer',
      )}, ${array(
        windows.map((w) => gone.get(w.shard) ?? 0),
        'bigint',
      )}) as g (shard, count) on g.shard = w.shard
      where h.source = ${source} and h.shard = w.shard and h.retained_from = w.after + 1
      returning h.shard`,
  );
  if (moved.length !== windows.length) {
    throw new Error(`the log of ${source} was pruned by somebody else in spite of the lock`);
  }
  return removed.reduce((sum, { count }) => sum + count, 0);
}

const windowsSql = (windows: readonly PruneWindow[]) =>
  sql`unnest(${array(
    windows.map((w) => w.shard),
    'integer',
  )}, ${array(
    windows.map((w) => w.after),
    'bigint',
  )}, ${array(
    windows.map((w) => w.upto),
    'bigint',
  )}) as w (shard, after, upto)`;
