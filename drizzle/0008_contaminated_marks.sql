CREATE TABLE "control"."contamination" (
	"id" bigint generated always as identity PRIMARY KEY NOT NULL,
	"dataset" text NOT NULL,
	"range_from" timestamptz NOT NULL,
	"range_to" timestamptz NOT NULL,
	"reason" text NOT NULL,
	"served_since" timestamptz,
	"repaired_by" text,
	"by" text NOT NULL,
	"at" timestamptz DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "contamination_interval" CHECK ("control"."contamination"."range_from" < "control"."contamination"."range_to"),
	CONSTRAINT "contamination_not_of_a_fork" CHECK (position('~' in "control"."contamination"."dataset") = 0)
);
--> statement-breakpoint
CREATE TABLE "control"."contamination_turn" (
	"id" bigint generated always as identity PRIMARY KEY NOT NULL,
	"contamination" bigint NOT NULL,
	"kind" text NOT NULL,
	"release" text,
	"cutover" bigint,
	"rollback" bigint,
	"reason" text,
	"by" text NOT NULL,
	"at" timestamptz DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "contamination_turn_kind" CHECK (case "control"."contamination_turn"."kind"
        when 'LINKED' then "control"."contamination_turn"."release" is not null and num_nonnulls("control"."contamination_turn"."cutover", "control"."contamination_turn"."rollback", "control"."contamination_turn"."reason") = 0
        when 'LIFTED' then num_nonnulls("control"."contamination_turn"."cutover", "control"."contamination_turn"."reason") = 1 and num_nonnulls("control"."contamination_turn"."release", "control"."contamination_turn"."rollback") = 0
        when 'PUT_BACK' then "control"."contamination_turn"."rollback" is not null and num_nonnulls("control"."contamination_turn"."release", "control"."contamination_turn"."cutover", "control"."contamination_turn"."reason") = 0
        else false end)
);
--> statement-breakpoint
ALTER TABLE "control"."contamination" ADD CONSTRAINT "contamination_dataset_dataset_name_fk" FOREIGN KEY ("dataset") REFERENCES "control"."dataset"("name") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "control"."contamination_turn" ADD CONSTRAINT "contamination_turn_contamination_contamination_id_fk" FOREIGN KEY ("contamination") REFERENCES "control"."contamination"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "control"."contamination_turn" ADD CONSTRAINT "contamination_turn_cutover_cutover_release_fk" FOREIGN KEY ("cutover") REFERENCES "control"."cutover"("release") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "control"."contamination_turn" ADD CONSTRAINT "contamination_turn_rollback_rollback_id_fk" FOREIGN KEY ("rollback") REFERENCES "control"."rollback"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "contamination_dataset" ON "control"."contamination" USING btree ("dataset","id");--> statement-breakpoint
CREATE INDEX "contamination_turn_of" ON "control"."contamination_turn" USING btree ("contamination","id");--> statement-breakpoint
CREATE INDEX "contamination_turn_cutover" ON "control"."contamination_turn" USING btree ("cutover");--> statement-breakpoint
create trigger contamination_append_only before update or delete or truncate on control.contamination
  for each statement execute function control.append_only();
--> statement-breakpoint
create trigger contamination_turn_append_only before update or delete or truncate on control.contamination_turn
  for each statement execute function control.append_only();
--> statement-breakpoint
-- Besides the triggers: who is no superuser may not even try, the tables' owner included. Updating
-- marks stays granted, since a turn's reference locks its mark, and a lock needs that right; that of
-- publications was taken away before, without which nothing can be published by such an owner.
revoke delete, truncate on control.contamination, control.contamination_turn
  from public, current_user;
--> statement-breakpoint
revoke update on control.contamination_turn from public, current_user;
--> statement-breakpoint
grant update on control.publication to current_user;
--> statement-breakpoint
-- The marks that concern whoever reads a generation: those of its dataset but for the ones that a
-- cutover lifted on the way to it, and the ones that a person found to be wrong themselves. So a
-- reader who stayed behind is still warned, and after a rollback so is everybody again.
create function control.contaminating(reading bigint)
returns table (id bigint, range_from timestamptz, range_to timestamptz, reason text,
  served_since timestamptz, repaired_by text)
language sql stable set search_path = pg_catalog, pg_temp as $$
  with recursive line(generation) as (
    select reading
    union
    select r.old_generation
    from line l
    join control.generation g on g.id = l.generation
    join control.release r on r.id = g.release
    where r.old_generation is not null
  )
  select c.id, c.range_from, c.range_to, c.reason, c.served_since,
    coalesce((select t.release from control.contamination_turn t
      where t.contamination = c.id and t.kind = 'LINKED' order by t.id desc limit 1), c.repaired_by)
  from control.generation here
  join control.contamination c on c.dataset = here.dataset
  where here.id = reading
    and not exists (
      select from control.contamination_turn t
      left join control.cutover k on k.release = t.cutover
      where t.contamination = c.id and t.kind = 'LIFTED'
        and (t.cutover is null or k.to_generation in (select l.generation from line l)))
$$;
--> statement-breakpoint
-- For the generation that the session reads: the one in use, or the one that it has pinned.
create function read.contaminated(dataset_name text)
returns table ("from" timestamptz, "to" timestamptz, reason text, repaired_by text)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select m.range_from, m.range_to, m.reason, m.repaired_by
  from control.contaminating(read.generation(dataset_name)) m
  order by m.range_from, m.id
$$;
