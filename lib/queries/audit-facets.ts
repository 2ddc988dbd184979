import { sql } from 'drizzle-orm';
import { type Database, one, type Tx } from '@/lib/db/client';
import { distinctSql } from '@/lib/db/distinct-sql';
import { ofPeople } from '@/lib/db/fork-sql';

/** What the audit page's filters can be set to. */
export interface AuditFacets {
  verbs: string[];
  actors: string[];
  /** Releases with rows, newest first. */
  releases: string[];
  chains: string[];
  rows: string;
  now: string;
}

/** Names that occur in the audit chains, for the filters. */
export function auditFacets(db: Database | Tx): Promise<AuditFacets> {
  return one<AuditFacets>(
    db,
    sql`select array(${distinctSql('audit_event', 'verb')}) as verbs,
        array(${distinctSql('audit_event', 'actor')}) as actors,
        array(select r.name || '@' || r.revision from control.release r
            where ${ofPeople(sql`r.dataset`)} order by r.id desc limit 200)
          as releases,
        array(select chain from control.audit_head where ${ofPeople(sql`chain`)} order by chain collate "C") as chains,
        coalesce((select sum(seq) from control.audit_head), 0)::bigint as rows,
        clock_timestamp() as now`,
  );
}
