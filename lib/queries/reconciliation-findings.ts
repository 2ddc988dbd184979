import { sql } from 'drizzle-orm';
import { type Database, rows, type Tx } from '@/lib/db/client';

/** A partition whose served rows are not what their own transform yields. */
export interface DriftPartition {
  start: string;
  end: string;
  rows: string;
  /** Keys of a few of them. */
  samples: string[];
}

export interface QuarantineItem {
  key: string;
  code: string;
  error: string;
  wantedKey: string | null;
  businessTime: string | null;
  since: string;
}

export interface AcceptanceView {
  id: string;
  what: 'drift' | 'quarantine';
  partition: string | null;
  class: string | null;
  count: string;
  digest: string;
  reason: string;
  person: string;
  at: string;
}

const LISTED = 100;

/** Partitions with drift in one comparison, most rows first. */
export async function driftPartitions(db: Database | Tx, run: string): Promise<DriftPartition[]> {
  return rows(
    db,
    sql`select p.start_at as start, p.end_at as "end", p.drift as rows,
        array(select s ->> 'key' from jsonb_array_elements(p.samples) s
          where s ->> 'class' = 'drift' limit 3) as samples
      from control.reconciliation_partition p
      where p.reconciliation = ${run} and p.drift > 0
      order by p.drift desc, p.start_at limit ${LISTED}`,
  );
}

/** Events that a generation could not turn into rows, longest first. */
export function quarantineOf(
  db: Database | Tx,
  generation: string,
  limit = LISTED,
): Promise<QuarantineItem[]> {
  return rows(
    db,
    sql`select source_key as key, code, error, wanted_key as "wantedKey",
        business_time as "businessTime", since
      from control.quarantine where generation = ${generation}
      order by since, source_key limit ${limit}`,
  );
}

/** What was accepted by name for a release, in order. */
export function acceptancesOf(db: Database | Tx, release: string): Promise<AcceptanceView[]> {
  return rows(
    db,
    sql`select id, what, partition, class, count, digest, reason, person, at
      from control.acceptance where release = ${release} order by id`,
  );
}
