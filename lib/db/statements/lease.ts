import { randomBytes } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { affected, type Database, maybeOne } from '@/lib/db/client';

export interface Lease {
  id: string;
  /** The generation's name. */
  generation: string;
  generationId: string;
  until: string;
}

/**
 * Pins the generation in use for a reader: the generation's row is locked against hiding, seen not
 * hidden, and the lease inserted, all in one statement. Null: the pointer moved under it, or there
 * is no generation in use; read the pointer again.
 */
export async function grantLeaseOnce(
  db: Database,
  input: { dataset: string; person: string; seconds: number; capSeconds: number },
): Promise<Lease | null> {
  // 256 random bits: a lease is looked up by its id, and must not be guessed
  const id = randomBytes(32).toString('hex');
  return maybeOne<Lease>(
    db,
    sql`with serving as (
        select g.id, g.name from control.registry r
        join control.generation g on g.id = r.active_generation
        where r.dataset = ${input.dataset} and g.state = 'serving'
        for key share of g
      ), granted as (
        insert into control.lease (id, dataset, person, generation, until, cap_until)
        select ${id}, ${input.dataset}, ${input.person}, s.id,
          clock_timestamp() + make_interval(secs => ${input.seconds}),
          clock_timestamp() + make_interval(secs => ${input.capSeconds})
        from serving s
        returning id, generation, until
      )
      select g.id, s.name as generation, g.generation as "generationId", g.until from granted g join serving s on s.id = g.generation`,
  );
}

/**
 * Renews a live lease by `seconds` from now, never beyond its cap; null where it has ended. A
 * generation that is hidden takes no new leases, but its readers read on until theirs end; those
 * are renewed no more, so that retiring it does not wait for ever.
 */
export async function renewLease(
  db: Database,
  id: string,
  seconds: number,
): Promise<(Lease & { dataset: string }) | null> {
  return maybeOne(
    db,
    sql`update control.lease l
      set until = case when l.renewable and g.state <> 'hidden' then
          greatest(l.until, least(l.cap_until, clock_timestamp() + make_interval(secs => ${seconds})))
        else l.until end
      from control.generation g
      where l.id = ${id} and g.id = l.generation and l.ended_at is null
        and l.until > clock_timestamp() and g.state in ('serving', 'kept', 'hidden')
      returning l.id, g.name as generation, l.until, l.generation as "generationId", l.dataset`,
  );
}

/** Ends a lease; false where there is none that is live. */
export async function endLeaseOf(db: Database, id: string): Promise<boolean> {
  const ended = await affected(
    db,
    sql`update control.lease set ended_at = clock_timestamp(), until = least(until, clock_timestamp())
      where id = ${id} and ended_at is null`,
  );
  return ended === 1;
}
