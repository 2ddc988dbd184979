CREATE TABLE "control"."drill" (
	"id" bigint generated always as identity PRIMARY KEY NOT NULL,
	"release" bigint NOT NULL,
	"dataset" text NOT NULL,
	"generation" bigint NOT NULL,
	"fork" text,
	"fork_release" bigint,
	"by" text NOT NULL,
	"started_at" timestamptz DEFAULT clock_timestamp() NOT NULL,
	"copied_at" timestamptz,
	"ended_at" timestamptz,
	"outcome" text,
	"why" text,
	"steps" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"cutover_seconds" double precision,
	"rollback_seconds" double precision,
	"events_replayed" bigint,
	"rows_copied" bigint
);
--> statement-breakpoint
ALTER TABLE "control"."dataset" ADD COLUMN "fork_of" text;--> statement-breakpoint
ALTER TABLE "control"."drill" ADD CONSTRAINT "drill_release_release_id_fk" FOREIGN KEY ("release") REFERENCES "control"."release"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "control"."drill" ADD CONSTRAINT "drill_dataset_dataset_name_fk" FOREIGN KEY ("dataset") REFERENCES "control"."dataset"("name") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "control"."drill" ADD CONSTRAINT "drill_generation_generation_id_fk" FOREIGN KEY ("generation") REFERENCES "control"."generation"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "control"."drill" ADD CONSTRAINT "drill_fork_dataset_name_fk" FOREIGN KEY ("fork") REFERENCES "control"."dataset"("name") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "control"."drill" ADD CONSTRAINT "drill_fork_release_release_id_fk" FOREIGN KEY ("fork_release") REFERENCES "control"."release"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "drill_release" ON "control"."drill" USING btree ("release","id");--> statement-breakpoint
CREATE INDEX "drill_fork_release" ON "control"."drill" USING btree ("fork_release");--> statement-breakpoint
CREATE UNIQUE INDEX "drill_one_under_way" ON "control"."drill" USING btree ("dataset") WHERE ended_at is null;--> statement-breakpoint
ALTER TABLE "control"."dataset" ADD CONSTRAINT "dataset_fork_of_dataset_name_fk" FOREIGN KEY ("fork_of") REFERENCES "control"."dataset"("name") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "control"."dataset" ADD CONSTRAINT "dataset_fork_name" CHECK (("control"."dataset"."fork_of" is not null) = (position('~' in "control"."dataset"."name") > 0));--> statement-breakpoint
alter table control.drill
  add constraint drill_ended check ((ended_at is null) = (outcome is null)),
  add constraint drill_outcome check (outcome in ('passed', 'failed'));
