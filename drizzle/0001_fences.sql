-- What the table definitions cannot say: overlaps, gaps, append-only rows, readers' functions.
create extension if not exists btree_gist;
--> statement-breakpoint
alter table control.calendar
  add constraint calendar_ordered check (start_at < end_at),
  add constraint calendar_no_overlap
    exclude using gist (zone with =, unit with =, tstzrange(start_at, end_at) with &&);
--> statement-breakpoint
alter table control.generation_range
  add constraint generation_range_no_overlap exclude using gist (generation with =, span with &&),
  add constraint generation_range_not_empty check (not isempty(span));
--> statement-breakpoint
create index generation_range_segment on control.generation_range (segment);
--> statement-breakpoint
create unique index generation_name on control.generation (dataset, name);
--> statement-breakpoint
alter table control.release_partition
  add constraint release_partition_ordered check (start_at < end_at),
  add constraint release_partition_state check (state in ('planned', 'building', 'built', 'failed')),
  add constraint release_partition_no_overlap
    exclude using gist (release with =, tstzrange(start_at, end_at) with &&);
--> statement-breakpoint
alter table control.registry
  add constraint registry_state check (
    (state = 'OPEN' and sealer is null and sealed_until is null and barrier is null)
    or (state = 'SEALED' and sealer is not null and sealed_until is not null and barrier is not null)
  );
--> statement-breakpoint
alter table control.generation
  add constraint generation_state check (state in ('candidate', 'serving', 'kept', 'hidden', 'retired'));
--> statement-breakpoint
create unique index generation_one_serving on control.generation (dataset) where state = 'serving';
--> statement-breakpoint
alter table control.release
  add constraint release_state check (state in (
    'DRAFT', 'SNAPSHOT_PINNED', 'BUILDING', 'INGRESS_SEALED', 'CAUGHT_UP', 'RECONCILED', 'APPROVED',
    'ACTIVE', 'RETIRED', 'REJECTED', 'ABANDONED', 'ROLLED_BACK', 'RECONCILIATION_REQUIRED'
  )),
  -- a release that is active is never held: the cutover reads the hold, and nothing holds after it
  add constraint release_frozen check (state in ('DRAFT', 'REJECTED', 'ABANDONED') or digest is not null);
--> statement-breakpoint
alter table control.signature
  add constraint signature_kind check (kind in ('cutover', 'rollback')),
  add constraint signature_decision check (decision in ('approve', 'reject'));
--> statement-breakpoint
create unique index rollback_one_under_way on control.rollback (dataset)
  where state in ('requested', 'replaying', 'sealed');
--> statement-breakpoint
create unique index audit_event_once on control.audit_event (chain, seq);
--> statement-breakpoint
create index source_event_effective on control.source_event (source, key, revision desc) where effective;
--> statement-breakpoint
create index lease_until on control.lease (until) where ended_at is null;
--> statement-breakpoint
-- A fence read under another isolation level sees the world as it was before it waited.
create function control.require_read_committed() returns boolean language plpgsql volatile
set search_path = pg_catalog, pg_temp as $$
begin
  if current_setting('transaction_isolation') <> 'read committed' then
    raise exception 'this lock is only a fence under READ COMMITTED, the session runs under %',
      current_setting('transaction_isolation') using errcode = 'IL001';
  end if;
  return true;
end $$;
--> statement-breakpoint
-- EXCLUDE forbids overlaps; this forbids gaps: a map covers every instant or does not exist.
create function control.generation_map_whole() returns trigger language plpgsql
set search_path = pg_catalog, pg_temp as $$
declare
  touched bigint := coalesce(new.generation, old.generation);
  covered tstzmultirange;
begin
  select range_agg(span) into covered from control.generation_range where generation = touched;
  if covered is not null and covered <> '{(,)}'::tstzmultirange then
    raise exception 'the map of generation % has a gap: it covers %', touched, covered
      using errcode = 'IL002';
  end if;
  return null;
end $$;
--> statement-breakpoint
create constraint trigger generation_map_whole
  after insert or update or delete on control.generation_range
  deferrable initially deferred for each row execute function control.generation_map_whole();
--> statement-breakpoint
create function control.append_only() returns trigger language plpgsql
set search_path = pg_catalog, pg_temp as $$
begin
  raise exception '% rows can be added, never changed or removed', tg_table_name using errcode = 'IL003';
end $$;
--> statement-breakpoint
create trigger audit_event_append_only before update or delete or truncate on control.audit_event
  for each statement execute function control.append_only();
--> statement-breakpoint
create trigger receipt_append_only before update or delete or truncate on control.receipt
  for each statement execute function control.append_only();
--> statement-breakpoint
create trigger signature_append_only before update or delete or truncate on control.signature
  for each statement execute function control.append_only();
--> statement-breakpoint
create trigger acceptance_append_only before update or delete or truncate on control.acceptance
  for each statement execute function control.append_only();
--> statement-breakpoint
create schema read;
--> statement-breakpoint
-- STABLE: pointer, map and rows come from one snapshot (as VOLATILE it answered 0 rows across a cutover).
create function read.generation(dataset_name text) returns bigint
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  pinned text := current_setting('interlock.lease_' || dataset_name, true);
  found bigint;
begin
  if pinned is not null and pinned <> '' then
    select l.generation into found
    from control.lease l join control.generation g on g.id = l.generation
    where l.id = pinned and l.dataset = dataset_name and l.ended_at is null
      and l.until > statement_timestamp() and g.state in ('serving', 'kept', 'hidden');
    if found is null then
      raise exception 'LEASE_ENDED: the pin on % has ended; select read.unpin(%), then pin again',
        dataset_name, quote_literal(dataset_name) using errcode = 'IL410';
    end if;
    return found;
  end if;
  select r.active_generation into found from control.registry r where r.dataset = dataset_name;
  return found;
end $$;
--> statement-breakpoint
-- Pinning locks the generation's row against hiding and grants the lease in the same statement.
create function read.pin(dataset_name text, for_how_long interval) returns text
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
  granted text;
begin
  for attempt in 1..3 loop
    with serving as (
      select g.id, d.policy
      from control.registry r
      join control.generation g on g.id = r.active_generation
      join control.dataset d on d.name = r.dataset
      where r.dataset = dataset_name and g.state = 'serving'
      for key share of g
    )
    insert into control.lease (id, dataset, person, generation, until, cap_until, renewable)
    select replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''), dataset_name,
      'sql:' || session_user, s.id, u.until, u.until, false
    from serving s, lateral (
      select clock_timestamp() + least(greatest(for_how_long, interval '1 second'),
        make_interval(secs => (s.policy ->> 'leaseSeconds')::int)) as until
    ) u
    returning id into granted;
    exit when granted is not null;
  end loop;
  if granted is null then
    raise exception 'NOT_FOUND: there is no dataset % with a generation in use', dataset_name
      using errcode = 'IL404';
  end if;
  perform set_config('interlock.lease_' || dataset_name, granted, false);
  return granted;
end $$;
--> statement-breakpoint
create function read.unpin(dataset_name text) returns void
language sql volatile set search_path = pg_catalog, pg_temp as $$
  select set_config('interlock.lease_' || dataset_name, '', false);
$$;
