import { sql } from 'drizzle-orm';
import * as z from 'zod';
import { type Database, maybeOne, one, type Tx } from '@/lib/db/client';
import { type DatasetShape, loadDataset } from '@/lib/db/dataset-shape';
import { correctByAmending, type WouldBe } from '@/lib/db/statements/correction';
import { eventsBetween } from '@/lib/db/statements/progress';
import { lockRegistry } from '@/lib/db/statements/registry';
import { transaction } from '@/lib/db/transaction';
import { formatDigest } from '@/lib/digest/canonical';
import { instantSchema } from '@/lib/domain/instant-schema';
import { datasetNameSchema } from '@/lib/domain/names';
import { Invalid, LostRace, NotFound, Refused, toFix, toWait } from '@/lib/domain/refusal';
import { parseInput } from '@/lib/domain/zod-issues';
import { writeAudit } from '@/lib/services/audit/write';
import { chainOf, patience } from '@/lib/services/of-dataset';
import { verb } from '@/lib/services/verb';
import { tellCorrected } from './tell-corrected';
import { wouldBeOf } from './would-be';

const schema = z.strictObject({
  dataset: datasetNameSchema,
  partition: instantSchema,
  reason: z.string().trim().min(1).max(2_000),
});

function readAmend(input: AmendInput) {
  if (typeof input.reason !== 'string' || input.reason.trim() === '') {
    throw new Invalid({
      pointer: '/reason',
      code: 'COMMENT_REQUIRED',
      message: 'A correction needs its reason in words.',
    });
  }
  return parseInput(schema, input);
}

export interface AmendInput {
  dataset: string;
  /** Start of a sealed partition. */
  partition: string;
  reason: string;
}

interface CorrectedFigures {
  rows: string;
  sums: Record<string, string | null>;
  root: string;
}

export interface Amended {
  id: string;
  dataset: string;
  partition: string;
  kind: 'amend';
  before: CorrectedFigures;
  after: CorrectedFigures;
  reason: string;
  by: string;
  at: string;
}

/** How often figures are computed again because the dataset was switched meanwhile. */
const tries = 3;

/**
 * Records what a sealed partition would be now: computed again from the log, as far as the generation
 * in use has reached, by the transform that it has there. What is served stays as it was published.
 * It is recorded also where nothing differs: somebody looked.
 *
 * The figures are computed without the dataset's lock, since facts up to a progress never change;
 * under it only the order of the partition's corrections is decided.
 */
export const amend = verb<AmendInput, Amended>(
  { name: 'dataset.amend', subject: ({ dataset }) => dataset, chain: chainOf },
  async (ctx, input) => {
    const { dataset: name, partition, reason } = readAmend(input);
    const dataset = await loadDataset(ctx.db, name);
    if (!dataset) throw new NotFound('dataset', name);
    for (let i = 0; i < tries; i++) {
      const found = await computed(ctx.db, dataset, partition);
      const answer = await transaction(
        ctx.db,
        async (tx) => {
          const registry = await lockRegistry(tx, name);
          if (registry?.active !== found.generation) return null;
          if (await isBehind(tx, name, partition, found.barrier)) return null;
          const at = { ...found, dataset: name, reason, by: ctx.actor.person };
          const corrected = await correctByAmending(tx, at, found.wouldBe);
          if (corrected === null) throw notSealed(partition);
          const { id, end } = corrected;
          const written = await readCorrection(tx, id);
          await tellCorrected(tx, {
            dataset: name,
            kind: 'amend',
            corrected: { partitions: 1, from: partition, to: end },
            reason,
            by: ctx.actor.person,
          });
          await writeAudit(tx, ctx, {
            chain: `dataset:${name}`,
            verb: 'dataset.amend',
            subject: name,
            before: { partition, ...written.before },
            after: { partition, correction: id, ...written.after },
            reason,
          });
          return { ...written, id, dataset: name, partition, kind: 'amend' as const, reason };
        },
        patience,
      );
      if (answer) return answer;
    }
    throw new LostRace('The dataset was switched while the figures were computed; try again.');
  },
);

/** Somebody's correction that contains more of the log was written meanwhile: this one comes after it. */
async function isBehind(
  tx: Tx,
  dataset: string,
  start: string,
  barrier: readonly string[],
): Promise<boolean> {
  const last = await maybeOne<{ progress: string[] }>(
    tx,
    sql`select progress from control.correction
      where dataset = ${dataset} and start_at = ${start}::timestamptz order by id desc limit 1`,
  );
  return last !== null && eventsBetween(barrier, last.progress) > 0n;
}

const notSealed = (partition: string) =>
  new Refused(
    toFix(
      'NOT_SEALED',
      `Partition ${partition} was not published: have it run again instead of correcting it.`,
    ),
  );

interface Computed {
  generation: string;
  barrier: string[];
  wouldBe: WouldBe;
}

async function computed(db: Database, dataset: DatasetShape, start: string): Promise<Computed> {
  return transaction(
    db,
    async (tx) => {
      const sealed = await maybeOne<{ end: string }>(
        tx,
        sql`select end_at as "end" from control.published_partition
          where dataset = ${dataset.name} and start_at = ${start}::timestamptz`,
      );
      if (!sealed) throw notSealed(start);
      const { generation } = await one<{ generation: string | null }>(
        tx,
        sql`select active_generation as generation from control.registry where dataset = ${dataset.name}`,
      );
      if (generation === null) throw new Refused(toWait('DATASET_NOT_READY'));
      return { generation, ...(await wouldBeOf(tx, dataset, generation, { start, ...sealed })) };
    },
    { isolation: 'repeatable read', statementTimeoutMs: 300_000 },
  );
}

async function readCorrection(tx: Tx, id: string) {
  const found = await one<{
    rowsBefore: string;
    sumsBefore: Record<string, string | null>;
    rootBefore: Buffer;
    rowsAfter: string;
    sumsAfter: Record<string, string | null>;
    rootAfter: Buffer;
    by: string;
    at: string;
  }>(
    tx,
    sql`select rows_before as "rowsBefore", sums_before as "sumsBefore", root_before as "rootBefore",
        rows_after as "rowsAfter", sums_after as "sumsAfter", root_after as "rootAfter", "by", at
      from control.correction where id = ${id}`,
  );
  return {
    before: {
      rows: found.rowsBefore,
      sums: found.sumsBefore,
      root: formatDigest(found.rootBefore),
    },
    after: { rows: found.rowsAfter, sums: found.sumsAfter, root: formatDigest(found.rootAfter) },
    by: found.by,
    at: found.at,
  };
}
