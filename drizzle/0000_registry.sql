CREATE SCHEMA "control";
--> statement-breakpoint
CREATE TABLE "control"."audit_event" (
	"id" bigint generated always as identity PRIMARY KEY NOT NULL,
	"chain" text NOT NULL,
	"seq" bigint NOT NULL,
	"prev" text NOT NULL,
	"hash" text NOT NULL,
	"at" timestamptz NOT NULL,
	"actor" text NOT NULL,
	"verb" text NOT NULL,
	"subject" text NOT NULL,
	"outcome" text NOT NULL,
	"before" jsonb,
	"after" jsonb,
	"reason" text,
	"evidence" text,
	"request_id" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "control"."audit_head" (
	"chain" text NOT NULL,
	"seq" bigint NOT NULL,
	"hash" text NOT NULL,
	CONSTRAINT "audit_head_chain_pk" PRIMARY KEY("chain")
);
--> statement-breakpoint
CREATE TABLE "control"."stranger_call" (
	"window_start" timestamptz NOT NULL,
	"door" text NOT NULL,
	"count" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "stranger_call_window_start_door_pk" PRIMARY KEY("window_start","door")
);
--> statement-breakpoint
CREATE TABLE "control"."calendar" (
	"zone" text NOT NULL,
	"unit" text NOT NULL,
	"start_at" timestamptz NOT NULL,
	"end_at" timestamptz NOT NULL,
	CONSTRAINT "calendar_zone_unit_start_at_pk" PRIMARY KEY("zone","unit","start_at")
);
--> statement-breakpoint
CREATE TABLE "control"."dataset" (
	"name" text PRIMARY KEY NOT NULL,
	"source" text NOT NULL,
	"columns" jsonb NOT NULL,
	"columns_digest" text NOT NULL,
	"key" text[] NOT NULL,
	"business_time" text NOT NULL,
	"timezone" text NOT NULL,
	"partition" text NOT NULL,
	"grain" text NOT NULL,
	"source_time" text,
	"conserved" jsonb NOT NULL,
	"rollups" jsonb NOT NULL,
	"policy" jsonb NOT NULL,
	"created_at" timestamptz DEFAULT clock_timestamp() NOT NULL,
	"created_by" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "control"."generation" (
	"id" bigint generated always as identity PRIMARY KEY NOT NULL,
	"dataset" text NOT NULL,
	"name" text NOT NULL,
	"state" text NOT NULL,
	"release" bigint,
	"transform" text NOT NULL,
	"created_at" timestamptz DEFAULT clock_timestamp() NOT NULL,
	"served_from" timestamptz,
	"served_until" timestamptz,
	"kept_until" timestamptz,
	"hidden_at" timestamptz,
	"retired_at" timestamptz,
	"manifest_root" text,
	"catch_up_root" text
);
--> statement-breakpoint
CREATE TABLE "control"."generation_progress" (
	"generation" bigint PRIMARY KEY NOT NULL,
	"offsets" bigint[] NOT NULL,
	"applied_at" timestamptz DEFAULT clock_timestamp() NOT NULL,
	"event_received_at" timestamptz,
	"events" bigint DEFAULT '0' NOT NULL
);
--> statement-breakpoint
CREATE TABLE "control"."generation_range" (
	"generation" bigint NOT NULL,
	"span" "tstzrange" NOT NULL,
	"segment" bigint,
	"transform" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "control"."lease" (
	"id" text PRIMARY KEY NOT NULL,
	"dataset" text NOT NULL,
	"person" text NOT NULL,
	"generation" bigint NOT NULL,
	"created_at" timestamptz DEFAULT clock_timestamp() NOT NULL,
	"until" timestamptz NOT NULL,
	"cap_until" timestamptz NOT NULL,
	"ended_at" timestamptz,
	"renewable" boolean DEFAULT true NOT NULL
);
--> statement-breakpoint
CREATE TABLE "control"."quarantine" (
	"generation" bigint NOT NULL,
	"source_key" text NOT NULL,
	"code" text NOT NULL,
	"error" text NOT NULL,
	"wanted_key" text,
	"business_time" timestamptz,
	"since" timestamptz DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "quarantine_generation_source_key_pk" PRIMARY KEY("generation","source_key")
);
--> statement-breakpoint
CREATE TABLE "control"."registry" (
	"dataset" text PRIMARY KEY NOT NULL,
	"active_generation" bigint,
	"epoch" integer DEFAULT 1 NOT NULL,
	"state" text DEFAULT 'OPEN' NOT NULL,
	"sealer" text,
	"sealed_at" timestamptz,
	"sealed_until" timestamptz,
	"barrier" bigint[],
	"write_segment" bigint NOT NULL,
	"rollback" bigint,
	"loading_generation" bigint,
	"load_target" bigint[]
);
--> statement-breakpoint
CREATE TABLE "control"."segment" (
	"id" bigint generated always as identity PRIMARY KEY NOT NULL,
	"dataset" text NOT NULL,
	"kind" text NOT NULL,
	"created_at" timestamptz DEFAULT clock_timestamp() NOT NULL,
	"deleted_at" timestamptz
);
--> statement-breakpoint
CREATE TABLE "control"."segment_partition" (
	"segment" bigint NOT NULL,
	"start_at" timestamptz NOT NULL,
	"end_at" timestamptz NOT NULL,
	"version" bigint DEFAULT '1' NOT NULL,
	"figures_version" bigint DEFAULT '0' NOT NULL,
	"dirty_buckets" text DEFAULT '1111111111111111111111111111111111111111111111111111111111111111' NOT NULL,
	"rows" bigint DEFAULT '0' NOT NULL,
	"sums" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"nulls" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"partials" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"bucket_rows" integer[],
	"bucket_hashes" "bytea"[],
	"root" "bytea",
	"touched_at" timestamptz DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "segment_partition_segment_start_at_pk" PRIMARY KEY("segment","start_at")
);
--> statement-breakpoint
CREATE TABLE "control"."transform" (
	"digest" text PRIMARY KEY NOT NULL,
	"sql" text NOT NULL,
	"commit" text,
	"lock" text,
	"created_at" timestamptz DEFAULT clock_timestamp() NOT NULL,
	"created_by" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "control"."snapshot" (
	"id" bigint generated always as identity PRIMARY KEY NOT NULL,
	"source" text NOT NULL,
	"name" text NOT NULL,
	"watermark" bigint[] NOT NULL,
	"complete" boolean NOT NULL,
	"rows" bigint DEFAULT '0' NOT NULL,
	"created_at" timestamptz DEFAULT clock_timestamp() NOT NULL,
	"ready_at" timestamptz,
	"dropped_at" timestamptz,
	CONSTRAINT "snapshot_name_unique" UNIQUE("name")
);
--> statement-breakpoint
CREATE TABLE "control"."source" (
	"name" text PRIMARY KEY NOT NULL,
	"columns" jsonb NOT NULL,
	"key" text[] NOT NULL,
	"event_time" text,
	"shards" integer NOT NULL,
	"complete" boolean NOT NULL,
	"created_at" timestamptz DEFAULT clock_timestamp() NOT NULL,
	"created_by" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "control"."source_event" (
	"source" text NOT NULL,
	"shard" integer NOT NULL,
	"offset" bigint NOT NULL,
	"event_id" text NOT NULL,
	"key" text NOT NULL,
	"revision" bigint NOT NULL,
	"op" text NOT NULL,
	"event_time" timestamptz,
	"payload" jsonb,
	"digest" text NOT NULL,
	"received_at" timestamptz DEFAULT clock_timestamp() NOT NULL,
	"effective" boolean NOT NULL,
	CONSTRAINT "source_event_source_shard_offset_pk" PRIMARY KEY("source","shard","offset")
);
--> statement-breakpoint
CREATE TABLE "control"."source_key" (
	"source" text NOT NULL,
	"key" text NOT NULL,
	"shard" integer NOT NULL,
	"newest_revision" bigint NOT NULL,
	"deleted" boolean NOT NULL,
	CONSTRAINT "source_key_source_key_pk" PRIMARY KEY("source","key")
);
--> statement-breakpoint
CREATE TABLE "control"."source_shard" (
	"source" text NOT NULL,
	"shard" integer NOT NULL,
	"last_offset" bigint DEFAULT '0' NOT NULL,
	"retained_from" bigint DEFAULT '1' NOT NULL,
	CONSTRAINT "source_shard_source_shard_pk" PRIMARY KEY("source","shard")
);
--> statement-breakpoint
CREATE TABLE "control"."idempotency" (
	"person" text NOT NULL,
	"route" text NOT NULL,
	"key" text NOT NULL,
	"body_digest" text NOT NULL,
	"status" integer,
	"answer" jsonb,
	"created_at" timestamptz DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "idempotency_person_route_key_pk" PRIMARY KEY("person","route","key")
);
--> statement-breakpoint
CREATE TABLE "control"."person" (
	"name" text PRIMARY KEY NOT NULL,
	"display_name" text NOT NULL,
	"email" text,
	"demo" boolean DEFAULT false NOT NULL,
	"created_at" timestamptz DEFAULT clock_timestamp() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "control"."person_role" (
	"person" text NOT NULL,
	"role" text NOT NULL,
	"granted_at" timestamptz DEFAULT clock_timestamp() NOT NULL,
	"granted_by" text,
	CONSTRAINT "person_role_person_role_pk" PRIMARY KEY("person","role")
);
--> statement-breakpoint
CREATE TABLE "control"."setting" (
	"name" text PRIMARY KEY NOT NULL,
	"value" jsonb NOT NULL,
	"changed_at" timestamptz DEFAULT clock_timestamp() NOT NULL,
	"changed_by" text
);
--> statement-breakpoint
CREATE TABLE "control"."token" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"person" text NOT NULL,
	"hash" text NOT NULL,
	"roles" text[] NOT NULL,
	"created_at" timestamptz DEFAULT clock_timestamp() NOT NULL,
	"created_by" text,
	"last_used_at" timestamptz,
	"revoked_at" timestamptz,
	CONSTRAINT "token_hash_unique" UNIQUE("hash")
);
--> statement-breakpoint
CREATE TABLE "control"."check_result" (
	"reconciliation" bigint NOT NULL,
	"name" text NOT NULL,
	"position" integer NOT NULL,
	"verdict" text NOT NULL,
	"figure" text NOT NULL,
	"expected" text NOT NULL,
	"detail" jsonb NOT NULL,
	"digest" text NOT NULL,
	"at" timestamptz DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "check_result_reconciliation_name_pk" PRIMARY KEY("reconciliation","name")
);
--> statement-breakpoint
CREATE TABLE "control"."reconciliation" (
	"id" bigint generated always as identity PRIMARY KEY NOT NULL,
	"release" bigint NOT NULL,
	"kind" text NOT NULL,
	"verdict" text DEFAULT 'running' NOT NULL,
	"epoch" integer NOT NULL,
	"old_progress" bigint[],
	"new_progress" bigint[],
	"started_at" timestamptz DEFAULT clock_timestamp() NOT NULL,
	"ended_at" timestamptz,
	"by" text NOT NULL,
	"why" text,
	"unexplained" bigint DEFAULT '0' NOT NULL,
	"drift" bigint DEFAULT '0' NOT NULL,
	"changed" bigint DEFAULT '0' NOT NULL,
	"compared" bigint DEFAULT '0' NOT NULL
);
--> statement-breakpoint
CREATE TABLE "control"."reconciliation_partition" (
	"reconciliation" bigint NOT NULL,
	"start_at" timestamptz NOT NULL,
	"end_at" timestamptz NOT NULL,
	"old_segment" bigint,
	"old_version" bigint,
	"new_segment" bigint,
	"new_version" bigint,
	"carried_from" bigint,
	"old_rows" bigint NOT NULL,
	"control_rows" bigint NOT NULL,
	"new_rows" bigint NOT NULL,
	"unexplained" bigint NOT NULL,
	"drift" bigint NOT NULL,
	"drift_digest" text NOT NULL,
	"changed" bigint NOT NULL,
	"classes" jsonb NOT NULL,
	"columns" jsonb NOT NULL,
	"conserved" jsonb NOT NULL,
	"bucket_changed" integer[] NOT NULL,
	"bucket_unexplained" integer[] NOT NULL,
	"contract" jsonb NOT NULL,
	"samples" jsonb NOT NULL,
	CONSTRAINT "reconciliation_partition_reconciliation_start_at_pk" PRIMARY KEY("reconciliation","start_at")
);
--> statement-breakpoint
CREATE TABLE "control"."acceptance" (
	"id" bigint generated always as identity PRIMARY KEY NOT NULL,
	"release" bigint NOT NULL,
	"what" text NOT NULL,
	"partition" timestamptz,
	"class" text,
	"count" bigint NOT NULL,
	"digest" text NOT NULL,
	"reason" text NOT NULL,
	"person" text NOT NULL,
	"at" timestamptz DEFAULT clock_timestamp() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "control"."attempt" (
	"release" bigint NOT NULL,
	"start_at" timestamptz NOT NULL,
	"attempt" integer NOT NULL,
	"token" text NOT NULL,
	"worker" text NOT NULL,
	"backend_pid" integer,
	"backend_start" timestamptz,
	"started_at" timestamptz DEFAULT clock_timestamp() NOT NULL,
	"lease_until" timestamptz NOT NULL,
	"ended_at" timestamptz,
	"outcome" text,
	"error" text,
	CONSTRAINT "attempt_release_start_at_attempt_pk" PRIMARY KEY("release","start_at","attempt")
);
--> statement-breakpoint
CREATE TABLE "control"."cutover" (
	"release" bigint PRIMARY KEY NOT NULL,
	"by" text NOT NULL,
	"at" timestamptz DEFAULT clock_timestamp() NOT NULL,
	"epoch_before" integer NOT NULL,
	"epoch_after" integer NOT NULL,
	"from_generation" bigint NOT NULL,
	"to_generation" bigint NOT NULL,
	"barrier" bigint[] NOT NULL,
	"evidence" text NOT NULL,
	"request_id" text NOT NULL,
	"checks" jsonb DEFAULT '{}'::jsonb NOT NULL
);
--> statement-breakpoint
CREATE TABLE "control"."evidence" (
	"digest" text PRIMARY KEY NOT NULL,
	"release" bigint NOT NULL,
	"basis" text NOT NULL,
	"parts" jsonb NOT NULL,
	"reconciliation" bigint NOT NULL,
	"at" timestamptz DEFAULT clock_timestamp() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "control"."receipt" (
	"release" bigint NOT NULL,
	"start_at" timestamptz NOT NULL,
	"end_at" timestamptz NOT NULL,
	"attempt" integer NOT NULL,
	"token" text NOT NULL,
	"release_digest" text NOT NULL,
	"transform" text NOT NULL,
	"input_root" text NOT NULL,
	"output_root" text NOT NULL,
	"facts_in" bigint NOT NULL,
	"rows_out" bigint NOT NULL,
	"filtered" bigint NOT NULL,
	"quarantined" bigint NOT NULL,
	"sums" jsonb NOT NULL,
	"at" timestamptz DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "receipt_release_start_at_pk" PRIMARY KEY("release","start_at")
);
--> statement-breakpoint
CREATE TABLE "control"."release" (
	"id" bigint generated always as identity PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"revision" integer NOT NULL,
	"dataset" text NOT NULL,
	"state" text DEFAULT 'DRAFT' NOT NULL,
	"spec" jsonb NOT NULL,
	"version" integer DEFAULT 1 NOT NULL,
	"digest" text,
	"plan_digest" text,
	"old_transform" text,
	"new_transform" text,
	"range_from" timestamptz,
	"range_to" timestamptz,
	"old_generation" bigint,
	"generation" bigint,
	"segment" bigint,
	"snapshot" bigint,
	"watermark" bigint[],
	"approvals_needed" integer,
	"rollback_approvals_needed" integer,
	"executor_may_approve" boolean,
	"rollback_window_seconds" integer,
	"concurrency" integer,
	"max_sealed_seconds" integer,
	"max_buffered_events" bigint,
	"max_live_lag_seconds" integer,
	"max_failed_partitions" integer,
	"deadline" timestamptz,
	"sealed_epoch" integer,
	"barrier" bigint[],
	"lag_at_seal_seconds" text,
	"evidence" text,
	"paused_at" timestamptz,
	"paused_by" text,
	"paused_why" text,
	"held_at" timestamptz,
	"held_by" text,
	"held_why" text,
	"draining" boolean DEFAULT false NOT NULL,
	"rehearse_asked_at" timestamptz,
	"rehearse_asked_by" text,
	"trouble_step" text,
	"trouble_code" text,
	"trouble_why" text,
	"trouble_from" text,
	"created_by" text NOT NULL,
	"created_at" timestamptz DEFAULT clock_timestamp() NOT NULL,
	"updated_at" timestamptz DEFAULT clock_timestamp() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "control"."release_author" (
	"release" bigint NOT NULL,
	"person" text NOT NULL,
	"how" text NOT NULL,
	"at" timestamptz DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "release_author_release_person_pk" PRIMARY KEY("release","person")
);
--> statement-breakpoint
CREATE TABLE "control"."release_partition" (
	"release" bigint NOT NULL,
	"start_at" timestamptz NOT NULL,
	"end_at" timestamptz NOT NULL,
	"state" text DEFAULT 'planned' NOT NULL,
	"attempt" integer DEFAULT 0 NOT NULL,
	"token" text,
	"error" text,
	"updated_at" timestamptz DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "release_partition_release_start_at_pk" PRIMARY KEY("release","start_at")
);
--> statement-breakpoint
CREATE TABLE "control"."release_state" (
	"id" bigint generated always as identity PRIMARY KEY NOT NULL,
	"release" bigint NOT NULL,
	"state" text NOT NULL,
	"at" timestamptz DEFAULT clock_timestamp() NOT NULL,
	"by" text NOT NULL,
	"why" text
);
--> statement-breakpoint
CREATE TABLE "control"."rollback" (
	"id" bigint generated always as identity PRIMARY KEY NOT NULL,
	"release" bigint NOT NULL,
	"dataset" text NOT NULL,
	"state" text DEFAULT 'requested' NOT NULL,
	"by" text NOT NULL,
	"requested_at" timestamptz DEFAULT clock_timestamp() NOT NULL,
	"from_generation" bigint NOT NULL,
	"to_generation" bigint NOT NULL,
	"segment" bigint NOT NULL,
	"start_offsets" bigint[] NOT NULL,
	"events_to_replay" bigint NOT NULL,
	"barrier" bigint[],
	"sealed_epoch" integer,
	"steps" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"ended_at" timestamptz,
	"why" text
);
--> statement-breakpoint
CREATE TABLE "control"."signature" (
	"id" bigint generated always as identity PRIMARY KEY NOT NULL,
	"release" bigint NOT NULL,
	"kind" text NOT NULL,
	"person" text NOT NULL,
	"decision" text NOT NULL,
	"digest" text NOT NULL,
	"release_digest" text NOT NULL,
	"old_generation" bigint NOT NULL,
	"statement" text,
	"session" text,
	"at" timestamptz DEFAULT clock_timestamp() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "control"."step_lease" (
	"release" bigint PRIMARY KEY NOT NULL,
	"step" text NOT NULL,
	"token" text NOT NULL,
	"worker" text NOT NULL,
	"lease_until" timestamptz NOT NULL
);
--> statement-breakpoint
ALTER TABLE "control"."dataset" ADD CONSTRAINT "dataset_source_source_name_fk" FOREIGN KEY ("source") REFERENCES "control"."source"("name") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "control"."generation" ADD CONSTRAINT "generation_dataset_dataset_name_fk" FOREIGN KEY ("dataset") REFERENCES "control"."dataset"("name") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "control"."generation" ADD CONSTRAINT "generation_transform_transform_digest_fk" FOREIGN KEY ("transform") REFERENCES "control"."transform"("digest") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "control"."generation_progress" ADD CONSTRAINT "generation_progress_generation_generation_id_fk" FOREIGN KEY ("generation") REFERENCES "control"."generation"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "control"."generation_range" ADD CONSTRAINT "generation_range_generation_generation_id_fk" FOREIGN KEY ("generation") REFERENCES "control"."generation"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "control"."generation_range" ADD CONSTRAINT "generation_range_transform_transform_digest_fk" FOREIGN KEY ("transform") REFERENCES "control"."transform"("digest") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "control"."lease" ADD CONSTRAINT "lease_dataset_dataset_name_fk" FOREIGN KEY ("dataset") REFERENCES "control"."dataset"("name") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "control"."lease" ADD CONSTRAINT "lease_generation_generation_id_fk" FOREIGN KEY ("generation") REFERENCES "control"."generation"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "control"."quarantine" ADD CONSTRAINT "quarantine_generation_generation_id_fk" FOREIGN KEY ("generation") REFERENCES "control"."generation"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "control"."registry" ADD CONSTRAINT "registry_dataset_dataset_name_fk" FOREIGN KEY ("dataset") REFERENCES "control"."dataset"("name") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "control"."segment" ADD CONSTRAINT "segment_dataset_dataset_name_fk" FOREIGN KEY ("dataset") REFERENCES "control"."dataset"("name") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "control"."segment_partition" ADD CONSTRAINT "segment_partition_segment_segment_id_fk" FOREIGN KEY ("segment") REFERENCES "control"."segment"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "control"."snapshot" ADD CONSTRAINT "snapshot_source_source_name_fk" FOREIGN KEY ("source") REFERENCES "control"."source"("name") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "control"."source_shard" ADD CONSTRAINT "source_shard_source_source_name_fk" FOREIGN KEY ("source") REFERENCES "control"."source"("name") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "control"."person_role" ADD CONSTRAINT "person_role_person_person_name_fk" FOREIGN KEY ("person") REFERENCES "control"."person"("name") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "control"."token" ADD CONSTRAINT "token_person_person_name_fk" FOREIGN KEY ("person") REFERENCES "control"."person"("name") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "control"."check_result" ADD CONSTRAINT "check_result_reconciliation_reconciliation_id_fk" FOREIGN KEY ("reconciliation") REFERENCES "control"."reconciliation"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "control"."reconciliation" ADD CONSTRAINT "reconciliation_release_release_id_fk" FOREIGN KEY ("release") REFERENCES "control"."release"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "control"."reconciliation_partition" ADD CONSTRAINT "reconciliation_partition_reconciliation_reconciliation_id_fk" FOREIGN KEY ("reconciliation") REFERENCES "control"."reconciliation"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "control"."acceptance" ADD CONSTRAINT "acceptance_release_release_id_fk" FOREIGN KEY ("release") REFERENCES "control"."release"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "control"."cutover" ADD CONSTRAINT "cutover_release_release_id_fk" FOREIGN KEY ("release") REFERENCES "control"."release"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "control"."evidence" ADD CONSTRAINT "evidence_release_release_id_fk" FOREIGN KEY ("release") REFERENCES "control"."release"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "control"."release" ADD CONSTRAINT "release_dataset_dataset_name_fk" FOREIGN KEY ("dataset") REFERENCES "control"."dataset"("name") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "control"."release" ADD CONSTRAINT "release_old_generation_generation_id_fk" FOREIGN KEY ("old_generation") REFERENCES "control"."generation"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "control"."release" ADD CONSTRAINT "release_generation_generation_id_fk" FOREIGN KEY ("generation") REFERENCES "control"."generation"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "control"."release" ADD CONSTRAINT "release_snapshot_snapshot_id_fk" FOREIGN KEY ("snapshot") REFERENCES "control"."snapshot"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "control"."release_author" ADD CONSTRAINT "release_author_release_release_id_fk" FOREIGN KEY ("release") REFERENCES "control"."release"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "control"."release_partition" ADD CONSTRAINT "release_partition_release_release_id_fk" FOREIGN KEY ("release") REFERENCES "control"."release"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "control"."release_state" ADD CONSTRAINT "release_state_release_release_id_fk" FOREIGN KEY ("release") REFERENCES "control"."release"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "control"."rollback" ADD CONSTRAINT "rollback_release_release_id_fk" FOREIGN KEY ("release") REFERENCES "control"."release"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "control"."signature" ADD CONSTRAINT "signature_release_release_id_fk" FOREIGN KEY ("release") REFERENCES "control"."release"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "control"."step_lease" ADD CONSTRAINT "step_lease_release_release_id_fk" FOREIGN KEY ("release") REFERENCES "control"."release"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "audit_event_chain" ON "control"."audit_event" USING btree ("chain","seq");--> statement-breakpoint
CREATE INDEX "audit_event_subject" ON "control"."audit_event" USING btree ("subject","id");--> statement-breakpoint
CREATE INDEX "generation_dataset" ON "control"."generation" USING btree ("dataset","id");--> statement-breakpoint
CREATE INDEX "lease_generation" ON "control"."lease" USING btree ("generation","until");--> statement-breakpoint
CREATE INDEX "snapshot_source" ON "control"."snapshot" USING btree ("source","id");--> statement-breakpoint
CREATE UNIQUE INDEX "source_event_id" ON "control"."source_event" USING btree ("source","event_id");--> statement-breakpoint
CREATE UNIQUE INDEX "source_event_key_revision" ON "control"."source_event" USING btree ("source","key","revision");--> statement-breakpoint
CREATE INDEX "reconciliation_release" ON "control"."reconciliation" USING btree ("release","id");--> statement-breakpoint
CREATE INDEX "acceptance_release" ON "control"."acceptance" USING btree ("release");--> statement-breakpoint
CREATE UNIQUE INDEX "release_name_revision" ON "control"."release" USING btree ("name","revision");--> statement-breakpoint
CREATE INDEX "release_dataset" ON "control"."release" USING btree ("dataset","id");--> statement-breakpoint
CREATE INDEX "release_partition_state" ON "control"."release_partition" USING btree ("release","state");--> statement-breakpoint
CREATE INDEX "release_state_release" ON "control"."release_state" USING btree ("release","id");--> statement-breakpoint
CREATE INDEX "rollback_release" ON "control"."rollback" USING btree ("release");--> statement-breakpoint
CREATE UNIQUE INDEX "signature_once" ON "control"."signature" USING btree ("release","kind","person","digest");--> statement-breakpoint
CREATE INDEX "signature_release" ON "control"."signature" USING btree ("release");