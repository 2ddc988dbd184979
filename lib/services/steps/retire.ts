import { sql } from 'drizzle-orm';
import { affected, type Database, maybeOne, one, rows, type Tx } from '@/lib/db/client';
import { rowsTable } from '@/lib/db/dataset-shape';
import { lockRegistry } from '@/lib/db/statements/registry';
import { reached } from '@/lib/db/step';
import { transaction } from '@/lib/db/transaction';
import { plural } from '@/lib/domain/figures';
import { type Blocker, toWait } from '@/lib/domain/refusal';
import { writeAudit } from '@/lib/services/audit/write';
import { lockRelease } from '@/lib/services/release/load';
import { setState } from '@/lib/services/release/move-state';
import { runnerContext } from '@/lib/services/system';
import { clearUnmapped } from './compact';

interface Kept {
  id: string;
  name: string;
  state: 'kept' | 'hidden';
  release: string | null;
}

/**
 * Retires what is due of a dataset: generations past their window, and at once those of releases
 * that ended before they served. Each step is restartable: hide, then, in later statements, see
 * that nobody holds it, unmap, delete the rows that no map names any more. Only then is it retired:
 * until then whoever looks for what is due finds it hidden, and goes on.
 */
export async function retireGenerations(db: Database, dataset: string): Promise<string[]> {
  const due = await rows<Kept>(
    db,
    sql`select g.id, g.name, g.state, g.release from control.generation g
      where g.dataset = ${dataset} and (g.state = 'hidden'
        or (g.state = 'kept' and g.kept_until is not null and g.kept_until < clock_timestamp()))
      order by g.id`,
  );
  const unmapped: Kept[] = [];
  for (const generation of due) {
    if (generation.state === 'kept' && !(await hide(db, dataset, generation.id))) continue;
    await reached('retire.hidden');
    if ((await unmap(db, dataset, generation.id)).length > 0) continue;
    await reached('retire.unmapped');
    unmapped.push(generation);
  }
  await deleteSegments(db, dataset);
  if (unmapped.length > 0) await clearUnmapped(db, dataset);
  for (const generation of unmapped) await finish(db, dataset, generation);
  return unmapped.map(({ name }) => name);
}

/** No new lease from here: a pin that is under way is waited for, and then its lease is seen. */
export async function hide(db: Database, dataset: string, generation: string): Promise<boolean> {
  return transaction(
    db,
    async (tx) => {
      const registry = await lockRegistry(tx, dataset);
      if (!registry || registry.rollback !== null || registry.active === generation) return false;
      // for update: conflicts with a pin's key share, and with nothing else that readers do
      await tx.execute(sql`select 1 from control.generation where id = ${generation} for update`);
      const hidden = await affected(
        tx,
        sql`update control.generation set state = 'hidden', hidden_at = clock_timestamp()
          where id = ${generation} and state = 'kept' and kept_until < clock_timestamp()
            and not exists (select from control.release x where x.old_generation = ${generation}
              and x.state in ('SNAPSHOT_PINNED', 'BUILDING', 'INGRESS_SEALED', 'CAUGHT_UP', 'RECONCILED', 'APPROVED'))`,
      );
      return hidden === 1;
    },
    { lockTimeoutMs: 1000, retries: 5 },
  );
}

/** Why a hidden generation may not go yet; empty when it may. */
export async function retireBlockers(
  tx: Tx,
  dataset: string,
  generation: string,
): Promise<Blocker[]> {
  const found = await one<{ leases: number; window: boolean; rollback: boolean; running: number }>(
    tx,
    sql`select
        (select count(*) from control.lease where generation = ${generation} and ended_at is null
          and until > clock_timestamp())::int as leases,
        (select coalesce(kept_until > clock_timestamp(), false) from control.generation where id = ${generation}) as window,
        (select rollback is not null from control.registry where dataset = ${dataset}) as rollback,
        (select count(*) from control.release_partition p join control.release x on x.id = p.release
          where x.generation = ${generation} and p.state = 'building')::int as running`,
  );
  return [
    ...(found.leases > 0
      ? [
          toWait(
            'LEASES_OPEN',
            `${plural(found.leases, 'lease')} on the generation ${found.leases === 1 ? 'stands' : 'stand'}.`,
          ),
        ]
      : []),
    ...(found.window ? [toWait('ROLLBACK_WINDOW_OPEN')] : []),
    ...(found.rollback ? [toWait('ROLLBACK_IN_PROGRESS')] : []),
    ...(found.running > 0
      ? [
          toWait(
            'DRAINING',
            `${plural(found.running, 'attempt')} still ${found.running === 1 ? 'writes' : 'write'} to it.`,
          ),
        ]
      : []),
  ];
}

/** Takes a hidden generation's map away, unless somebody holds it: answers who. */
async function unmap(db: Database, dataset: string, generation: string): Promise<Blocker[]> {
  return transaction(db, async (tx) => {
    await lockRegistry(tx, dataset);
    await tx.execute(sql`select 1 from control.generation where id = ${generation} for update`);
    const blockers = await retireBlockers(tx, dataset, generation);
    if (blockers.length > 0) return blockers;
    await tx.execute(sql`delete from control.generation_range where generation = ${generation}`);
    await tx.execute(sql`delete from control.quarantine where generation = ${generation}`);
    return [];
  });
}

/** Nothing of it is left: it is retired, and the release that replaced it is over. */
async function finish(db: Database, dataset: string, generation: Kept): Promise<void> {
  await transaction(db, async (tx) => {
    await lockRegistry(tx, dataset);
    const replaced = await maybeOne<{ id: string }>(
      tx,
      sql`select id from control.release where old_generation = ${generation.id} and state = 'ACTIVE'`,
    );
    const own = generation.release === null ? null : await lockRelease(tx, generation.release);
    const by = replaced ? await lockRelease(tx, replaced.id) : null;
    const retired = await affected(
      tx,
      sql`update control.generation set state = 'retired', retired_at = clock_timestamp()
        where id = ${generation.id} and state = 'hidden'`,
    );
    // another process was at it too
    if (retired !== 1) return;
    if (own?.draining) {
      await tx.execute(sql`update control.release set draining = false where id = ${own.id}`);
    }
    if (by) await setState(tx, runnerContext(), by, { to: 'RETIRED' });
    await writeAudit(tx, runnerContext(), {
      chain: `dataset:${dataset}`,
      verb: 'generation.retire',
      subject: generation.name,
      after: { generation: generation.id, release: by ? `${by.name}@${by.revision}` : null },
    });
  });
}

const chunk = 20_000;

/** Deletes the rows of segments that no generation's map names, a bounded number at a time. */
export async function deleteSegments(db: Database, dataset: string): Promise<void> {
  const segments = await rows<{ id: string }>(
    db,
    sql`select s.id from control.segment s
      where s.dataset = ${dataset} and s.deleted_at is null
        and not exists (select from control.generation_range r where r.segment = s.id)
        -- without an ingress it is a fork that is over: nobody turns a map to a copy there any more
        and (s.kind not in ('copy', 'run') or (s.created_at < clock_timestamp() - interval '15 minutes'
          and not exists (select from control.segment_partition p where p.segment = s.id))
          or not exists (select from control.registry r where r.dataset = s.dataset))
        and s.id is distinct from (select write_segment from control.registry where dataset = ${dataset})
        and not exists (select from control.rollback b where b.segment = s.id
          and b.state in ('requested', 'replaying', 'sealed'))
        and not exists (select from control.release x where x.segment = s.id
          and exists (select from control.generation_range m where m.generation = x.generation))`,
  );
  const table = sql.raw(rowsTable(dataset));
  for (const { id } of segments) {
    for (;;) {
      const gone = await affected(
        db,
        sql`delete from ${table} where ctid in (select ctid from ${table} where _segment = ${id} limit ${chunk})`,
      );
      await reached('retire.rows-deleted');
      if (gone < chunk) break;
    }
    await transaction(db, async (tx) => {
      await tx.execute(sql`delete from control.segment_partition where segment = ${id}`);
      await tx.execute(
        sql`update control.segment set deleted_at = clock_timestamp() where id = ${id}`,
      );
    });
  }
}
