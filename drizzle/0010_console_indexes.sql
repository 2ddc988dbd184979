CREATE INDEX "audit_event_actor" ON "control"."audit_event" USING btree ("actor","id");--> statement-breakpoint
CREATE INDEX "audit_event_verb" ON "control"."audit_event" USING btree ("verb","id");--> statement-breakpoint
CREATE INDEX "correction_by" ON "control"."correction" USING btree ("by");--> statement-breakpoint
CREATE INDEX "receipt_at" ON "control"."receipt" USING btree ("release","at");