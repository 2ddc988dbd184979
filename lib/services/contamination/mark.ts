import * as z from 'zod';
import { addMark } from '@/lib/db/statements/contamination';
import { lockRegistry } from '@/lib/db/statements/registry';
import { transaction } from '@/lib/db/transaction';
import { linkBlockers } from '@/lib/domain/contamination';
import { instantSchema } from '@/lib/domain/instant-schema';
import { datasetNameSchema } from '@/lib/domain/names';
import { NotFound } from '@/lib/domain/refusal';
import { parseInput } from '@/lib/domain/zod-issues';
import { writeAudit } from '@/lib/services/audit/write';
import { partitionsOf } from '@/lib/services/claims/range';
import { chainOf, patience } from '@/lib/services/of-dataset';
import { refuseIf } from '@/lib/services/release/move';
import { verb } from '@/lib/services/verb';
import { newestRevision, repairingSchema } from './repairing';
import { tellMarks } from './tell-marks';

export const reasonSchema = z.string().trim().min(1).max(2_000);

const schema = z.strictObject({
  dataset: datasetNameSchema,
  from: instantSchema,
  to: instantSchema,
  reason: reasonSchema,
  servedSince: instantSchema.nullish(),
  repairedBy: repairingSchema.nullish(),
});

export interface MarkInput {
  dataset: string;
  /** Half-open, on partition edges. */
  from: string;
  to: string;
  /** What is wrong, for whoever has read it. */
  reason: string;
  /** Since when it was served; left out where nobody knows. */
  servedSince?: string | null | undefined;
  /** The release that repairs it, by name, if there is one already. */
  repairedBy?: string | null | undefined;
}

/**
 * Marks a range whose served values are known to be wrong: from here on whoever reads of it is
 * warned. Under the lock that a cutover takes, so a mark made beside one is either lifted by it or
 * stands after it.
 *
 * @returns the mark's id
 * @throws Invalid off the partition edges, Refused where the release cannot repair it
 */
export const markContaminated = verb<MarkInput, { id: string }>(
  { name: 'dataset.mark-contaminated', subject: ({ dataset }) => dataset, chain: chainOf },
  async (ctx, input) => {
    const read = parseInput(schema, input);
    const { dataset, from, to, reason } = read;
    return transaction(
      ctx.db,
      async (tx) => {
        if (!(await lockRegistry(tx, dataset))) throw new NotFound('dataset', dataset);
        await partitionsOf(tx, read);
        if (read.repairedBy) {
          const release = await newestRevision(tx, read.repairedBy);
          refuseIf(linkBlockers(read, release, '/repairedBy'));
        }
        const mark = {
          dataset,
          from,
          to,
          reason,
          servedSince: read.servedSince ?? null,
          repairedBy: read.repairedBy?.name ?? null,
        };
        const id = await addMark(tx, { ...mark, by: ctx.actor.person });
        await tellMarks(tx, { kind: 'CONTAMINATED', marks: [id], by: ctx.actor.person });
        const { reason: _, ...said } = mark;
        await writeAudit(tx, ctx, {
          chain: `dataset:${dataset}`,
          verb: 'dataset.mark-contaminated',
          subject: dataset,
          after: { contamination: id, ...said },
          reason,
        });
        return { id };
      },
      patience,
    );
  },
);
