import { sql } from 'drizzle-orm';
import { type Database, one, type Tx } from '@/lib/db/client';
import { releaseId } from '@/lib/queries/release-ref';

/**
 * What a page would show anew, as one short text: while it stays the same there is nothing to read
 * again, however often is asked.
 */
export interface Stamp {
  stamp: string;
  now: string;
}

/**
 * The stamp of a release: its row, its plan, its reconciliation, its dataset's ingress.
 *
 * @throws NotFound
 */
export async function releaseStamp(db: Database | Tx, reference: string): Promise<Stamp> {
  const id = await releaseId(db, reference);
  return one<Stamp>(
    db,
    sql`select clock_timestamp() as now, md5(jsonb_build_array(
        r.version, r.draining, r.evidence, r.rehearse_asked_at,
        -- others' claims stand in a build's way
        case when r.state = 'SNAPSHOT_PINNED' then (select jsonb_build_array(count(*), max(c.at))
          from control.claim c where c.dataset = r.dataset) end,
        (select jsonb_object_agg(p.state, p.n) from (
          select state, count(*) as n from control.release_partition
          where release = r.id group by state) p),
        (select jsonb_build_array(sum(p.attempt), max(p.updated_at))
          from control.release_partition p where p.release = r.id),
        (select count(*) from control.receipt t where t.release = r.id),
        (select jsonb_build_array(c.id, c.verdict,
            (select count(*) from control.reconciliation_partition q where q.reconciliation = c.id))
          from control.reconciliation c where c.release = r.id order by c.id desc limit 1),
        (select count(*) from control.signature s where s.release = r.id),
        (select count(*) from control.acceptance a where a.release = r.id),
        (select s.ready_at is not null from control.snapshot s where s.id = r.snapshot),
        (select jsonb_build_array(g.epoch, g.state, g.active_generation, g.sealer, g.rollback)
          from control.registry g where g.dataset = r.dataset),
        -- their times change with each look, what they found seldom does
        (select jsonb_agg(jsonb_build_array(k.key, k.value -> 'figure', k.value -> 'passed')
            order by k.key)
          from control.cutover c, jsonb_each(c.checks) k where c.release = r.id),
        (select jsonb_build_array(b.state, b.steps) from control.rollback b
          where b.release = r.id order by b.id desc limit 1),
        case when r.state = 'INGRESS_SEALED' then (select p.offsets
          from control.generation_progress p where p.generation = r.generation) end,
        (select count(*) from control.quarantine q where q.generation = r.generation),
        (select jsonb_build_array(k.id, k.outcome, jsonb_array_length(k.steps))
          from control.drill k where k.release = r.id order by k.id desc limit 1),
        (select jsonb_build_array(max(c.id), max(t.id)) from control.contamination c
          left join control.contamination_turn t on t.contamination = c.id
          where c.dataset = r.dataset),
        (select jsonb_agg(s.state order by s.id) from control.shadow_read s where s.release = r.id),
        (select max(e.id) from control.audit_event e
          where e.subject = r.name || '@' || r.revision),
        (select jsonb_agg(d.state order by d.notice, d.subscriber)
          from control.notice n join control.notice_delivery d on d.notice = n.id
          where n.dataset = r.dataset and n.subject = r.name || '@' || r.revision)
      )::text) as stamp
    from control.release r where r.id = ${id}`,
  );
}

/** The stamp of lists of releases and datasets: what anybody or the runner did, and how far work is. */
export function overviewStamp(db: Database | Tx): Promise<Stamp> {
  return one<Stamp>(
    db,
    sql`select clock_timestamp() as now, md5(jsonb_build_array(
        (select max(id) from control.audit_event where chain <> 'heads'),
        (select sum(version) from control.release),
        (select jsonb_object_agg(p.state, p.n) from (
          select p.state, count(*) as n from control.release_partition p
          join control.release r on r.id = p.release
          where r.state in ('SNAPSHOT_PINNED', 'BUILDING') group by p.state) p),
        (select jsonb_agg(jsonb_build_array(g.dataset, g.epoch, g.state, g.active_generation,
            g.rollback, g.loading_generation) order by g.dataset) from control.registry g),
        (select jsonb_build_array(max(id), max(ended_at)) from control.reconciliation),
        (select count(*) from control.signature),
        (select jsonb_agg(jsonb_build_array(p.generation, p.events) order by p.generation)
          from control.generation_progress p
          join control.registry g on g.active_generation = p.generation)
      )::text) as stamp`,
  );
}

/** The stamp of the list of subscribers: who they are, and what became of what they are told. */
export function subscriberStamp(db: Database | Tx): Promise<Stamp> {
  return one<Stamp>(
    db,
    sql`select clock_timestamp() as now, md5(jsonb_build_array(
        (select jsonb_agg(to_jsonb(s) - 'secret' order by s.name) from control.subscriber s),
        (select jsonb_agg(jsonb_build_array(d.subscriber, d.state, d.n, d.attempts)
            order by d.subscriber, d.state)
          from (select subscriber, state, count(*) as n, sum(attempts) as attempts
            from control.notice_delivery group by subscriber, state) d)
      )::text) as stamp`,
  );
}
