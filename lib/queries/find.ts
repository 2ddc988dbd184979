import { sql } from 'drizzle-orm';
import { type Database, rows, type Tx } from '@/lib/db/client';
import { ofPeople } from '@/lib/db/fork-sql';
import type { ReleaseState } from '@/lib/domain/lifecycle';

export interface Found {
  kind: 'release' | 'dataset';
  name: string;
  /** Dataset of a release, partition unit and zone of a dataset. */
  hint: string;
  /** Of a release. */
  state: ReleaseState | null;
}

const most = 8;

/** Releases and datasets whose name holds the text; those that begin with it first. */
export async function findByName(db: Database | Tx, text: string): Promise<Found[]> {
  const wanted = text.trim().toLowerCase().slice(0, 100);
  if (wanted === '') return [];
  return rows<Found>(
    db,
    sql`(select 'release' as kind, r.name || '@' || r.revision as name,
          r.dataset as hint, r.state
        from control.release r
        where ${ofPeople(sql`r.dataset`)} and position(${wanted}::text in r.name || '@' || r.revision || ' ' || r.dataset) > 0
        order by position(${wanted}::text in r.name) <> 1, r.id desc limit ${most})
      union all
      (select 'dataset', d.name, d.partition || ', ' || d.timezone, null from control.dataset d
        where d.fork_of is null and position(${wanted}::text in d.name) > 0
        order by position(${wanted}::text in d.name) <> 1, d.name limit ${most})`,
  );
}
