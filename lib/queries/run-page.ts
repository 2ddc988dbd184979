import { sql } from 'drizzle-orm';
import { type Database, maybeOne, one, rows, type Tx } from '@/lib/db/client';
import { idForm } from '@/lib/domain/id-form';
import { NotFound } from '@/lib/domain/refusal';
import { hasEnded } from '@/lib/domain/runs';
import type { RunPartitionFilter } from '@/lib/queries/run-partitions';
import {
  type RunFacts,
  type RunFactsRow,
  type RunHead,
  runFactsSql,
  runHeadOf,
} from '@/lib/queries/runs';

/** A partition of an ended run that a retry would take up. */
export interface LeftPartition {
  start: string;
  end: string;
  state: 'planned' | 'skipped' | 'failed';
  /** Why it was skipped, or what went wrong. */
  reason: string | null;
}

/** A run as its page shows it: its partitions counted, and listed a page at a time beside it. */
export interface RunPage extends RunHead, RunFacts {
  green: boolean | null;
  counts: Record<RunPartitionFilter, number>;
  /** Skipped for a claim or a seal; for want of data. */
  stopped: number;
  withoutData: number;
  /** Rows in the partitions that are done. */
  rows: string;
  /** The first of what failed, was skipped for a claim or a seal, or was never come to. */
  left: LeftPartition[];
}

const NAMED = 20;

/**
 * @throws NotFound
 */
export async function runPage(db: Database | Tx, id: string): Promise<RunPage> {
  const found = idForm.test(id) ? await maybeOne<RunFactsRow>(db, runFactsSql(id)) : null;
  if (!found) throw new NotFound('run', id);
  const { stopped, withoutData, rows: written, ...counts } = await countsOf(db, id);
  const { secondAt, answers, generation, epoch, ...row } = found;
  return {
    ...runHeadOf(row),
    secondAt,
    answers,
    generation,
    epoch,
    green: hasEnded(row.state) ? row.state === 'done' && stopped === 0 : null,
    counts,
    stopped,
    withoutData,
    rows: written,
    left: await firstLeft(db, id),
  };
}

function countsOf(db: Database | Tx, id: string) {
  return one<RunPage['counts'] & Pick<RunPage, 'stopped' | 'withoutData' | 'rows'>>(
    db,
    sql`select count(*) filter (where p.state = 'planned')::int as planned,
        count(*) filter (where p.state = 'done')::int as done,
        count(*) filter (where p.changed)::int as changed,
        count(*) filter (where p.state = 'skipped')::int as skipped,
        count(*) filter (where p.state = 'failed')::int as failed,
        count(*) filter (where p.state = 'skipped' and p.reason <> 'no_data')::int as stopped,
        count(*) filter (where p.state = 'skipped' and p.reason = 'no_data')::int as "withoutData",
        coalesce(sum(p.rows) filter (where p.state = 'done'), 0)::bigint as rows
      from control.run_partition p where p.run = ${id}`,
  );
}

function firstLeft(db: Database | Tx, id: string): Promise<LeftPartition[]> {
  return rows<LeftPartition>(
    db,
    sql`select p.start_at as start, p.end_at as "end", p.state, p.reason
      from control.run_partition p
      where p.run = ${id} and p.state <> 'done' and p.reason is distinct from 'no_data'
      order by p.start_at limit ${NAMED}`,
  );
}
