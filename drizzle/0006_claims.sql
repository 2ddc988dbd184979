CREATE TABLE "control"."claim" (
	"dataset" text NOT NULL,
	"start_at" timestamptz NOT NULL,
	"end_at" timestamptz NOT NULL,
	"owner" text NOT NULL,
	"by" text NOT NULL,
	"at" timestamptz NOT NULL,
	CONSTRAINT "claim_dataset_start_at_pk" PRIMARY KEY("dataset","start_at"),
	CONSTRAINT "claim_interval" CHECK ("control"."claim"."start_at" < "control"."claim"."end_at"),
	CONSTRAINT "claim_not_of_a_fork" CHECK (position('~' in "control"."claim"."dataset") = 0)
);
--> statement-breakpoint
ALTER TABLE "control"."claim" ADD CONSTRAINT "claim_dataset_dataset_name_fk" FOREIGN KEY ("dataset") REFERENCES "control"."dataset"("name") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "claim_owner" ON "control"."claim" USING btree ("dataset","owner","start_at");--> statement-breakpoint
-- Releases that were under way before there were claims hold those of their plans.
insert into control.claim (dataset, start_at, end_at, owner, "by", at)
select r.dataset, p.start_at, p.end_at, r.name || '@' || r.revision, r.created_by, clock_timestamp()
from control.release r
join control.release_partition p on p.release = r.id
where position('~' in r.dataset) = 0
  and (r.state in ('BUILDING', 'INGRESS_SEALED', 'CAUGHT_UP', 'RECONCILED', 'APPROVED')
    or (r.state = 'RECONCILIATION_REQUIRED'
      and not exists (select from control.cutover c where c.release = r.id)))
order by r.dataset, p.start_at;
