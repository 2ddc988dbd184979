import { sql } from 'drizzle-orm';
import { type Database, maybeOne, rows } from '@/lib/db/client';
import { isDataError } from '@/lib/db/pg-error';
import { type DiffRow, diffRows } from '@/lib/db/statements/diff-rows';
import { asCompare } from '@/lib/db/statements/evaluate';
import { transaction } from '@/lib/db/transaction';
import { Invalid, Refused, toWait } from '@/lib/domain/refusal';
import { rowJson } from '@/lib/services/dataset/read-rows';
import { readChunk } from '@/lib/services/steps/chunks';
import { compileSpec } from '@/lib/services/steps/compiled-spec';
import { withoutErrors } from '@/lib/services/steps/reconcile';
import { loadReleaseShape } from '@/lib/services/steps/release-shape';
import { findRelease } from './load';

export interface DiffInput {
  release: string;
  /** Start of the only partition. */
  partition?: string | undefined;
  /** Partitions that begin in this half-open interval; either end may be left open. */
  from?: string | undefined;
  to?: string | undefined;
  /** Only rows whose key falls into this bucket, 0 to 63. */
  bucket?: number | undefined;
  class?: string | undefined;
  rule?: string | undefined;
  cursor?: string | undefined;
  limit?: number | undefined;
}

export interface DiffItem extends Omit<DiffRow, 'old' | 'control' | 'new'> {
  partition: string;
  old: Record<string, unknown> | null;
  control: Record<string, unknown> | null;
  new: Record<string, unknown> | null;
}

/**
 * The differing rows of a release, old, control and new side by side, computed when they are asked
 * for and paged by partition and key. Which partitions have some is what the last reconciliation
 * found; each page is of one repeatable-read snapshot.
 */
export async function diffPage(
  db: Database,
  input: DiffInput,
): Promise<{ items: DiffItem[]; nextCursor: string | null }> {
  const release = await findRelease(db, input.release);
  if (release.generation === null) return { items: [], nextCursor: null };
  const after = input.cursor === undefined ? null : readCursor(input.cursor);
  const limit = Math.min(Math.max(input.limit ?? 100, 1), 500);
  const partitions = await differingPartitions(db, release.id, input, after?.start ?? null);
  const shape = await loadReleaseShape(db, release.id);
  const spec = await compileSpec(shape);
  const items: DiffItem[] = [];
  for (const [at, partition] of partitions.entries()) {
    const found = await transaction(
      db,
      async (tx) => {
        const chunk = await readChunk(tx, shape, [partition], spec.rules);
        const filter = {
          class: input.class ?? null,
          rule: input.rule ?? null,
          bucket: input.bucket ?? null,
          after: after?.start === partition.start ? after.key : null,
          limit: limit - items.length + 1,
        };
        try {
          return await asCompare(tx, (inner) => diffRows(inner, shape.dataset, chunk, filter));
        } catch (error) {
          if (!isDataError(error)) throw error;
          const tolerant = await withoutErrors(tx, shape, chunk);
          if (!tolerant) throw error;
          return asCompare(tx, (inner) => diffRows(inner, shape.dataset, tolerant, filter));
        }
      },
      { isolation: 'repeatable read' },
    );
    const room = limit - items.length;
    for (const row of found.slice(0, room)) {
      const side = (values: (string | null)[] | null) =>
        values === null ? null : rowJson(shape.dataset, values);
      items.push({
        ...row,
        partition: partition.start,
        old: side(row.old),
        control: side(row.control),
        new: side(row.new),
      });
    }
    const last = items.at(-1);
    const more = found.length > room || (items.length >= limit && at < partitions.length - 1);
    if (more && last)
      return { items, nextCursor: writeCursor({ start: last.partition, key: last.key }) };
  }
  return { items, nextCursor: null };
}

async function differingPartitions(
  db: Database,
  release: string,
  input: DiffInput,
  from: string | null,
) {
  const latest = await maybeOne<{ id: string }>(
    db,
    sql`select id from control.reconciliation where release = ${release} and verdict in ('passed', 'failed')
      order by id desc limit 1`,
  );
  if (!latest)
    throw new Refused(
      toWait('REHEARSAL_MISSING', 'Nothing has been compared yet: rehearse first.'),
    );
  return rows<{ start: string; end: string }>(
    db,
    sql`select start_at as start, end_at as "end" from control.reconciliation_partition
      where reconciliation = ${latest.id}
        and case when ${input.class ?? null}::text is null
            then changed > 0 or drift > 0 or unexplained > 0
          when ${input.class ?? null}::text = 'drift' then drift > 0
          else classes @> jsonb_build_array(jsonb_build_object('class', ${input.class ?? null}::text)) end
        and (${input.partition ?? null}::timestamptz is null or start_at = ${input.partition ?? null}::timestamptz)
        and (${from}::timestamptz is null or start_at >= ${from}::timestamptz)
        and (${input.from ?? null}::timestamptz is null or start_at >= ${input.from ?? null}::timestamptz)
        and (${input.to ?? null}::timestamptz is null or start_at < ${input.to ?? null}::timestamptz)
        and (${input.bucket ?? null}::integer is null
          or coalesce(bucket_changed[${input.bucket ?? null}::integer + 1], 0) > 0
          or coalesce(bucket_unexplained[${input.bucket ?? null}::integer + 1], 0) > 0)
        and (${input.rule ?? null}::text is null or classes @> jsonb_build_array(jsonb_build_object('rule', ${input.rule ?? null}::text)))
      order by start_at`,
  );
}

interface Cursor {
  start: string;
  key: string;
}

const writeCursor = (cursor: Cursor) => Buffer.from(JSON.stringify(cursor)).toString('base64url');

function readCursor(text: string): Cursor {
  try {
    const cursor = JSON.parse(Buffer.from(text, 'base64url').toString()) as Cursor;
    if (typeof cursor.start === 'string' && typeof cursor.key === 'string') return cursor;
  } catch {
    // falls through to the one answer for a cursor that is none of ours
  }
  throw new Invalid({
    pointer: '/cursor',
    code: 'INVALID_INPUT',
    message: 'This is no cursor of this list; begin again without it.',
  });
}
