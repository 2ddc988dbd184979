import { sql } from 'drizzle-orm';
import * as z from 'zod';
import { type Database, one, type Tx } from '@/lib/db/client';
import { loadDataset } from '@/lib/db/dataset-shape';
import { refreshFigures } from '@/lib/db/statements/figures';
import { transaction } from '@/lib/db/transaction';
import type { Instant } from '@/lib/domain/instant';
import { instantSchema } from '@/lib/domain/instant-schema';
import { datasetNameSchema } from '@/lib/domain/names';
import { type Blocker, NotFound } from '@/lib/domain/refusal';
import { parseInput } from '@/lib/domain/zod-issues';
import { aggregatesOf } from '@/lib/services/apply/aggregates';
import { partitionsOf } from '@/lib/services/claims/range';
import { publishBlockers } from './publish';

const schema = z.strictObject({
  dataset: datasetNameSchema,
  from: instantSchema,
  to: instantSchema,
});

/** What would be recorded as published, as it is served now. */
export interface PublishPreview {
  dataset: string;
  /** Half-open, on partition edges. */
  range: { from: string; to: string };
  partitions: number;
  /** Those that were published before: their figures stand, whatever is served beside them. */
  already: number;
  /** Partitions without any row; they are sealed as empty. */
  empty: number;
  rows: string;
  /** Conserved sums over the range, exact. */
  sums: Record<string, string | null>;
  quarantined: {
    /** Events whose row would belong into the range. */
    inRange: number;
    /** Events of which nobody knows where their row would belong. */
    anywhere: number;
  };
  /** What publishing has to wait for. */
  blockers: Blocker[];
}

/**
 * What somebody is told before figures are recorded as sent out. Nothing is recorded by it.
 *
 * @throws NotFound, Invalid with the nearest edges
 */
export async function publishPreview(
  db: Database,
  input: { dataset: string; from: string; to: string },
): Promise<PublishPreview> {
  const read = parseInput(schema, input);
  const dataset = await loadDataset(db, read.dataset);
  if (!dataset) throw new NotFound('dataset', read.dataset);
  const { length: partitions } = await transaction(db, (tx) => partitionsOf(tx, read));
  const { active } = await one<{ active: string | null }>(
    db,
    sql`select active_generation as active from control.registry where dataset = ${read.dataset}`,
  );
  if (active !== null) {
    await refreshFigures(db, dataset, await aggregatesOf(dataset), active, read);
  }
  return transaction(
    db,
    async (tx) => ({
      dataset: read.dataset,
      range: { from: read.from, to: read.to },
      partitions,
      ...(await servedFigures(tx, active, partitions, read, dataset.conserved)),
      already: await alreadySealed(tx, read),
      quarantined: await quarantinedIn(tx, active, read),
      blockers: await publishBlockers(tx, read),
    }),
    { isolation: 'repeatable read', readOnly: true },
  );
}

interface Span {
  dataset: string;
  from: Instant;
  to: Instant;
}

async function servedFigures(
  tx: Tx,
  active: string | null,
  partitions: number,
  { from, to }: Span,
  conserved: readonly { name: string }[],
): Promise<Pick<PublishPreview, 'rows' | 'sums' | 'empty'>> {
  const sums = conserved.map(
    ({ name }) => sql`${name}::text, sum((s.sums ->> ${name}::text)::numeric)::text`,
  );
  const found = await one<{ rows: string; filled: number; sums: PublishPreview['sums'] }>(
    tx,
    sql`select coalesce(sum(s.rows), 0)::text as rows,
        (count(*) filter (where s.rows > 0))::int as filled,
        ${sums.length === 0 ? sql`'{}'::jsonb` : sql`jsonb_build_object(${sql.join(sums, sql`, `)})`} as sums
      from control.generation_range r
      join control.segment_partition s on s.segment = r.segment and r.span @> s.start_at
      where r.generation = ${active} and s.start_at >= ${from}::timestamptz
        and s.start_at < ${to}::timestamptz`,
  );
  return { rows: found.rows, sums: found.sums, empty: partitions - found.filled };
}

async function alreadySealed(tx: Tx, { dataset, from, to }: Span): Promise<number> {
  const { count } = await one<{ count: number }>(
    tx,
    sql`select count(*)::int as count from control.published_partition
      where dataset = ${dataset} and start_at >= ${from}::timestamptz
        and start_at < ${to}::timestamptz`,
  );
  return count;
}

function quarantinedIn(
  tx: Tx,
  active: string | null,
  { from, to }: Span,
): Promise<PublishPreview['quarantined']> {
  return one(
    tx,
    sql`select (count(*) filter (where business_time >= ${from}::timestamptz
          and business_time < ${to}::timestamptz))::int as "inRange",
        (count(*) filter (where business_time is null))::int as anywhere
      from control.quarantine where generation = ${active}`,
  );
}
