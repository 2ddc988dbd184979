CREATE TABLE "control"."correction" (
	"id" bigint generated always as identity PRIMARY KEY NOT NULL,
	"dataset" text NOT NULL,
	"start_at" timestamptz NOT NULL,
	"end_at" timestamptz NOT NULL,
	"kind" text NOT NULL,
	"release" bigint,
	"generation" bigint NOT NULL,
	"transform" text NOT NULL,
	"progress" bigint[] NOT NULL,
	"rows_before" bigint NOT NULL,
	"sums_before" jsonb NOT NULL,
	"partials_before" jsonb NOT NULL,
	"root_before" "bytea" NOT NULL,
	"rows_after" bigint NOT NULL,
	"sums_after" jsonb NOT NULL,
	"partials_after" jsonb NOT NULL,
	"root_after" "bytea" NOT NULL,
	"reason" text NOT NULL,
	"by" text NOT NULL,
	"at" timestamptz DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "correction_kind" CHECK ("control"."correction"."kind" in ('amend', 'cutover', 'rollback')),
	CONSTRAINT "correction_of_a_release" CHECK (("control"."correction"."kind" = 'amend') = ("control"."correction"."release" is null))
);
--> statement-breakpoint
CREATE TABLE "control"."pending_correction" (
	"dataset" text NOT NULL,
	"start_at" timestamptz NOT NULL,
	"shard" integer NOT NULL,
	"offset" bigint NOT NULL,
	"source_key" text NOT NULL,
	"key" text,
	"values" text[],
	"at" timestamptz DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "pending_correction_dataset_start_at_shard_offset_source_key_pk" PRIMARY KEY("dataset","start_at","shard","offset","source_key")
);
--> statement-breakpoint
CREATE TABLE "control"."publication" (
	"id" bigint generated always as identity PRIMARY KEY NOT NULL,
	"dataset" text NOT NULL,
	"range_from" timestamptz NOT NULL,
	"range_to" timestamptz NOT NULL,
	"sent_to" text NOT NULL,
	"document" text,
	"by" text NOT NULL,
	"at" timestamptz DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "publication_interval" CHECK ("control"."publication"."range_from" < "control"."publication"."range_to"),
	CONSTRAINT "publication_not_of_a_fork" CHECK (position('~' in "control"."publication"."dataset") = 0)
);
--> statement-breakpoint
CREATE TABLE "control"."published_partition" (
	"dataset" text NOT NULL,
	"start_at" timestamptz NOT NULL,
	"end_at" timestamptz NOT NULL,
	"publication" bigint NOT NULL,
	"generation" bigint NOT NULL,
	"segment" bigint NOT NULL,
	"transform" text NOT NULL,
	"progress" bigint[] NOT NULL,
	"rows" bigint NOT NULL,
	"sums" jsonb NOT NULL,
	"partials" jsonb NOT NULL,
	"root" "bytea" NOT NULL,
	CONSTRAINT "published_partition_dataset_start_at_pk" PRIMARY KEY("dataset","start_at"),
	CONSTRAINT "published_partition_interval" CHECK ("control"."published_partition"."start_at" < "control"."published_partition"."end_at")
);
--> statement-breakpoint
CREATE TABLE "control"."run" (
	"id" bigint generated always as identity PRIMARY KEY NOT NULL,
	"dataset" text NOT NULL,
	"kind" text NOT NULL,
	"range_from" timestamptz NOT NULL,
	"range_to" timestamptz NOT NULL,
	"owner" text NOT NULL,
	"by" text NOT NULL,
	"state" text DEFAULT 'planned' NOT NULL,
	"answers" jsonb,
	"second_needed" boolean DEFAULT false NOT NULL,
	"second_by" text,
	"second_at" timestamptz,
	"retry_of" bigint,
	"scheduled_for" timestamptz,
	"generation" bigint,
	"epoch" integer,
	"why" text,
	"created_at" timestamptz DEFAULT clock_timestamp() NOT NULL,
	"started_at" timestamptz,
	"ended_at" timestamptz,
	"token" text,
	"lease_until" timestamptz,
	CONSTRAINT "run_interval" CHECK ("control"."run"."range_from" < "control"."run"."range_to"),
	CONSTRAINT "run_kind" CHECK ("control"."run"."kind" in ('adhoc', 'scheduled')),
	CONSTRAINT "run_state" CHECK ("control"."run"."state" in ('second_person', 'planned', 'running', 'done', 'failed', 'cancelled')),
	CONSTRAINT "run_second_person" CHECK ("control"."run"."second_by" is distinct from "control"."run"."by"),
	CONSTRAINT "run_not_of_a_fork" CHECK (position('~' in "control"."run"."dataset") = 0)
);
--> statement-breakpoint
CREATE TABLE "control"."run_partition" (
	"run" bigint NOT NULL,
	"start_at" timestamptz NOT NULL,
	"end_at" timestamptz NOT NULL,
	"state" text DEFAULT 'planned' NOT NULL,
	"reason" text,
	"changed" boolean,
	"rows_before" bigint,
	"root_before" "bytea",
	"rows" bigint,
	"sums" jsonb,
	"root" "bytea",
	"at" timestamptz,
	CONSTRAINT "run_partition_run_start_at_pk" PRIMARY KEY("run","start_at"),
	CONSTRAINT "run_partition_state" CHECK ("control"."run_partition"."state" in ('planned', 'done', 'skipped', 'failed'))
);
--> statement-breakpoint
ALTER TABLE "control"."correction" ADD CONSTRAINT "correction_release_release_id_fk" FOREIGN KEY ("release") REFERENCES "control"."release"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "control"."correction" ADD CONSTRAINT "correction_generation_generation_id_fk" FOREIGN KEY ("generation") REFERENCES "control"."generation"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "control"."correction" ADD CONSTRAINT "correction_transform_transform_digest_fk" FOREIGN KEY ("transform") REFERENCES "control"."transform"("digest") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "control"."publication" ADD CONSTRAINT "publication_dataset_dataset_name_fk" FOREIGN KEY ("dataset") REFERENCES "control"."dataset"("name") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "control"."published_partition" ADD CONSTRAINT "published_partition_dataset_dataset_name_fk" FOREIGN KEY ("dataset") REFERENCES "control"."dataset"("name") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "control"."published_partition" ADD CONSTRAINT "published_partition_publication_publication_id_fk" FOREIGN KEY ("publication") REFERENCES "control"."publication"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "control"."published_partition" ADD CONSTRAINT "published_partition_generation_generation_id_fk" FOREIGN KEY ("generation") REFERENCES "control"."generation"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "control"."published_partition" ADD CONSTRAINT "published_partition_segment_segment_id_fk" FOREIGN KEY ("segment") REFERENCES "control"."segment"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "control"."published_partition" ADD CONSTRAINT "published_partition_transform_transform_digest_fk" FOREIGN KEY ("transform") REFERENCES "control"."transform"("digest") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "control"."run" ADD CONSTRAINT "run_dataset_dataset_name_fk" FOREIGN KEY ("dataset") REFERENCES "control"."dataset"("name") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "control"."run" ADD CONSTRAINT "run_generation_generation_id_fk" FOREIGN KEY ("generation") REFERENCES "control"."generation"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "control"."run_partition" ADD CONSTRAINT "run_partition_run_run_id_fk" FOREIGN KEY ("run") REFERENCES "control"."run"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "correction_partition" ON "control"."correction" USING btree ("dataset","start_at","id");--> statement-breakpoint
CREATE INDEX "correction_release" ON "control"."correction" USING btree ("release");--> statement-breakpoint
CREATE INDEX "pending_correction_source_key" ON "control"."pending_correction" USING btree ("dataset","source_key","start_at");--> statement-breakpoint
CREATE INDEX "pending_correction_key" ON "control"."pending_correction" USING btree ("dataset","key");--> statement-breakpoint
CREATE INDEX "publication_dataset" ON "control"."publication" USING btree ("dataset","id");--> statement-breakpoint
CREATE INDEX "published_partition_publication" ON "control"."published_partition" USING btree ("publication","start_at");--> statement-breakpoint
CREATE INDEX "run_dataset" ON "control"."run" USING btree ("dataset","id");--> statement-breakpoint
CREATE INDEX "run_under_way" ON "control"."run" USING btree ("state") WHERE "control"."run"."state" in ('planned', 'running');--> statement-breakpoint
CREATE UNIQUE INDEX "run_scheduled_once" ON "control"."run" USING btree ("dataset","scheduled_for");--> statement-breakpoint
CREATE INDEX "run_partition_state" ON "control"."run_partition" USING btree ("run","state");--> statement-breakpoint
-- facts of one partition, by the time that the source itself says
create index source_event_time on control.source_event (source, event_time, key) where effective;
--> statement-breakpoint
create trigger publication_append_only before update or delete or truncate on control.publication
  for each statement execute function control.append_only();
--> statement-breakpoint
create trigger published_partition_append_only before update or delete or truncate on control.published_partition
  for each statement execute function control.append_only();
--> statement-breakpoint
create trigger pending_correction_append_only before update or delete or truncate on control.pending_correction
  for each statement execute function control.append_only();
--> statement-breakpoint
create trigger correction_append_only before update or delete or truncate on control.correction
  for each statement execute function control.append_only();
--> statement-breakpoint
-- Besides the triggers: who is no superuser may not even try, the tables' owner included.
revoke update, delete, truncate on control.publication, control.published_partition,
  control.pending_correction, control.correction from public, current_user;
--> statement-breakpoint
-- Every write counts a partition's version on. So whichever writer forgets that a partition was
-- published is stopped here; a candidate's own version of it goes on following the facts.
create function control.published_is_not_written() returns trigger language plpgsql
set search_path = pg_catalog, pg_temp as $$
begin
  if exists (
    select from control.generation_range r
    join control.generation g on g.id = r.generation and g.state in ('serving', 'kept', 'hidden')
    join control.published_partition p
      on p.dataset = split_part(g.dataset, '~', 1) and p.start_at = new.start_at
    where r.segment = new.segment and r.span @> new.start_at
  ) then
    raise exception 'PARTITION_SEALED: partition % was published, its rows never change', new.start_at
      using errcode = 'IL004';
  end if;
  return new;
end $$;
--> statement-breakpoint
create trigger segment_partition_published before update on control.segment_partition
  for each row when (old.version is distinct from new.version)
  execute function control.published_is_not_written();
