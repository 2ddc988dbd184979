ALTER TABLE "control"."source" ADD COLUMN "retention_days" integer;--> statement-breakpoint
ALTER TABLE "control"."source_shard" ADD COLUMN "base_events" bigint DEFAULT '0' NOT NULL;--> statement-breakpoint
alter table control.source
  add constraint source_retention_days check (retention_days >= 1);
