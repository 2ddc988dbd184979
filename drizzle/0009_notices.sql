CREATE TABLE "control"."notice" (
	"id" bigint generated always as identity PRIMARY KEY NOT NULL,
	"uuid" uuid DEFAULT gen_random_uuid() NOT NULL,
	"dataset" text,
	"kind" text NOT NULL,
	"subject" text NOT NULL,
	"body" jsonb NOT NULL,
	"at" timestamptz DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "notice_uuid_unique" UNIQUE("uuid"),
	CONSTRAINT "notice_kind" CHECK ("control"."notice"."kind" in ('CUTOVER', 'ROLLED_BACK', 'PUBLISHED', 'CORRECTED', 'CONTAMINATED',
        'CONTAMINATION_LIFTED', 'CONTAMINATION_PUT_BACK', 'TEST')),
	CONSTRAINT "notice_of_a_dataset" CHECK ("control"."notice"."dataset" is not null or "control"."notice"."kind" = 'TEST'),
	CONSTRAINT "notice_not_of_a_fork" CHECK (position('~' in "control"."notice"."dataset") = 0)
);
--> statement-breakpoint
CREATE TABLE "control"."notice_delivery" (
	"notice" bigint NOT NULL,
	"subscriber" text NOT NULL,
	"state" text DEFAULT 'WAITING' NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"next_attempt_at" timestamptz DEFAULT clock_timestamp() NOT NULL,
	"last_status" integer,
	"last_error" text,
	"delivered_at" timestamptz,
	CONSTRAINT "notice_delivery_notice_subscriber_pk" PRIMARY KEY("notice","subscriber"),
	CONSTRAINT "notice_delivery_state" CHECK ("control"."notice_delivery"."state" in ('WAITING', 'DELIVERED', 'FAILED')),
	CONSTRAINT "notice_delivery_delivered" CHECK (("control"."notice_delivery"."state" = 'DELIVERED') = ("control"."notice_delivery"."delivered_at" is not null)),
	CONSTRAINT "notice_delivery_error" CHECK (length("control"."notice_delivery"."last_error") <= 500)
);
--> statement-breakpoint
CREATE TABLE "control"."subscriber" (
	"name" text PRIMARY KEY NOT NULL,
	"dataset" text,
	"url" text NOT NULL,
	"kinds" text[] DEFAULT '{}' NOT NULL,
	"secret" text NOT NULL,
	"made_by" text NOT NULL,
	"made_at" timestamptz DEFAULT clock_timestamp() NOT NULL,
	"ended_by" text,
	"ended_at" timestamptz,
	CONSTRAINT "subscriber_ended" CHECK (("control"."subscriber"."ended_at" is null) = ("control"."subscriber"."ended_by" is null)),
	CONSTRAINT "subscriber_not_of_a_fork" CHECK (position('~' in "control"."subscriber"."dataset") = 0)
);
--> statement-breakpoint
ALTER TABLE "control"."notice" ADD CONSTRAINT "notice_dataset_dataset_name_fk" FOREIGN KEY ("dataset") REFERENCES "control"."dataset"("name") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "control"."notice_delivery" ADD CONSTRAINT "notice_delivery_notice_notice_id_fk" FOREIGN KEY ("notice") REFERENCES "control"."notice"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "control"."notice_delivery" ADD CONSTRAINT "notice_delivery_subscriber_subscriber_name_fk" FOREIGN KEY ("subscriber") REFERENCES "control"."subscriber"("name") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "control"."subscriber" ADD CONSTRAINT "subscriber_dataset_dataset_name_fk" FOREIGN KEY ("dataset") REFERENCES "control"."dataset"("name") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "notice_dataset" ON "control"."notice" USING btree ("dataset","id");--> statement-breakpoint
CREATE INDEX "notice_delivery_subscriber" ON "control"."notice_delivery" USING btree ("subscriber","notice");--> statement-breakpoint
CREATE INDEX "notice_delivery_due" ON "control"."notice_delivery" USING btree ("next_attempt_at") WHERE state = 'WAITING';--> statement-breakpoint
create trigger notice_append_only before update or delete or truncate on control.notice
  for each statement execute function control.append_only();
--> statement-breakpoint
-- Besides the trigger: who is no superuser may not even try, the tables' owner included. Updating
-- stays granted, since a delivery's reference locks its notice, and a lock needs that right.
revoke delete, truncate on control.notice from public, current_user;
