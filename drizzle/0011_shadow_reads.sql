CREATE TABLE "control"."report" (
	"id" bigint generated always as identity PRIMARY KEY NOT NULL,
	"dataset" text NOT NULL,
	"name" text NOT NULL,
	"sql" text NOT NULL,
	"digest" text NOT NULL,
	"limit_seconds" integer NOT NULL,
	"made_by" text NOT NULL,
	"made_at" timestamptz DEFAULT clock_timestamp() NOT NULL,
	"ended_by" text,
	"ended_at" timestamptz,
	CONSTRAINT "report_limit" CHECK ("control"."report"."limit_seconds" between 1 and 600),
	CONSTRAINT "report_ended" CHECK (("control"."report"."ended_at" is null) = ("control"."report"."ended_by" is null)),
	CONSTRAINT "report_not_of_a_fork" CHECK (position('~' in "control"."report"."dataset") = 0)
);
--> statement-breakpoint
CREATE TABLE "control"."shadow_read" (
	"id" bigint generated always as identity PRIMARY KEY NOT NULL,
	"release" bigint NOT NULL,
	"report" bigint NOT NULL,
	"state" text DEFAULT 'ASKED' NOT NULL,
	"asked_by" text NOT NULL,
	"asked_at" timestamptz DEFAULT clock_timestamp() NOT NULL,
	"attempt" integer DEFAULT 0 NOT NULL,
	"lease_until" timestamptz,
	"started_at" timestamptz,
	"ended_at" timestamptz,
	"old_generation" bigint,
	"new_generation" bigint,
	"old_progress" bigint[],
	"new_progress" bigint[],
	"columns" text[],
	"old_rows" bigint,
	"new_rows" bigint,
	"differing" bigint,
	"old_root" "bytea",
	"new_root" "bytea",
	"old_millis" integer,
	"new_millis" integer,
	"sample" jsonb,
	"why" text,
	CONSTRAINT "shadow_read_state" CHECK (case "control"."shadow_read"."state"
        when 'ASKED' then "control"."shadow_read"."ended_at" is null
        when 'READING' then "control"."shadow_read"."ended_at" is null and "control"."shadow_read"."lease_until" is not null
        when 'COMPARED' then "control"."shadow_read"."ended_at" is not null and "control"."shadow_read"."differing" is not null and "control"."shadow_read"."why" is null
        when 'STOPPED' then "control"."shadow_read"."ended_at" is not null and "control"."shadow_read"."why" is not null
        else false end)
);
--> statement-breakpoint
ALTER TABLE "control"."report" ADD CONSTRAINT "report_dataset_dataset_name_fk" FOREIGN KEY ("dataset") REFERENCES "control"."dataset"("name") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "control"."shadow_read" ADD CONSTRAINT "shadow_read_release_release_id_fk" FOREIGN KEY ("release") REFERENCES "control"."release"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "control"."shadow_read" ADD CONSTRAINT "shadow_read_report_report_id_fk" FOREIGN KEY ("report") REFERENCES "control"."report"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "control"."shadow_read" ADD CONSTRAINT "shadow_read_old_generation_generation_id_fk" FOREIGN KEY ("old_generation") REFERENCES "control"."generation"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "control"."shadow_read" ADD CONSTRAINT "shadow_read_new_generation_generation_id_fk" FOREIGN KEY ("new_generation") REFERENCES "control"."generation"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "report_in_use" ON "control"."report" USING btree ("dataset","name") WHERE ended_at is null;--> statement-breakpoint
CREATE INDEX "shadow_read_of" ON "control"."shadow_read" USING btree ("release","report","id");--> statement-breakpoint
CREATE UNIQUE INDEX "shadow_read_asked" ON "control"."shadow_read" USING btree ("release","report") WHERE state = 'ASKED';--> statement-breakpoint
CREATE INDEX "shadow_read_open" ON "control"."shadow_read" USING btree ("id") WHERE state in ('ASKED', 'READING');