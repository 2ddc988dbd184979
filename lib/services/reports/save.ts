import * as z from 'zod';
import type { Tx } from '@/lib/db/client';
import { type DatasetShape, loadDataset } from '@/lib/db/dataset-shape';
import { pgError } from '@/lib/db/pg-error';
import { lockRegistry } from '@/lib/db/statements/registry';
import { insertReport, readReport } from '@/lib/db/statements/report';
import { transaction } from '@/lib/db/transaction';
import { datasetNameSchema, labelSchema } from '@/lib/domain/names';
import { Invalid, NotFound } from '@/lib/domain/refusal';
import { REPORT_LIMIT } from '@/lib/domain/report';
import { parseInput } from '@/lib/domain/zod-issues';
import { writeAudit } from '@/lib/services/audit/write';
import { chainOf, patience } from '@/lib/services/of-dataset';
import { verb } from '@/lib/services/verb';
import type { Report } from '@/lib/transform/report';
import { checkedReport } from './checked';

export const reportSchema = z.strictObject({
  name: labelSchema,
  sql: z.string(),
  limitSeconds: z.int().min(1).max(REPORT_LIMIT.most).default(REPORT_LIMIT.usual),
});
const schema = reportSchema.extend({ dataset: datasetNameSchema });

export interface SaveReport {
  dataset: string;
  /** For people; a report of the same name gives way to this one. */
  name: string;
  /** One SELECT over the dataset, by its name. */
  sql: string;
  /** How long one reading may take. */
  limitSeconds?: number | undefined;
}

/**
 * Saves a report: a query over a dataset that is read in shadow, on the old and the new generation of
 * a release. What it said before stays with the readings that were made of it.
 *
 * @returns its id
 * @throws Invalid with line and column
 */
export const saveReport = verb<SaveReport, { id: string }>(
  { name: 'report.save', subject: ({ dataset }) => dataset, chain: chainOf },
  async (ctx, input) => {
    const { dataset, name, sql, limitSeconds } = parseInput(schema, input);
    const shape = await loadDataset(ctx.db, dataset);
    if (!shape) throw new NotFound('dataset', dataset);
    const report = await checkedReport(sql, shape);
    return transaction(
      ctx.db,
      async (tx) => {
        await prepare(tx, shape, report);
        await lockRegistry(tx, dataset);
        const { digest } = report;
        const by = ctx.actor.person;
        const id = await insertReport(tx, { dataset, name, sql, digest, limitSeconds, by });
        await writeAudit(tx, ctx, {
          chain: `dataset:${dataset}`,
          verb: 'report.save',
          subject: dataset,
          after: { report: id, name, sql, digest, limitSeconds },
        });
        return { id };
      },
      patience,
    );
  },
);

/** Over no rows at all PostgreSQL says what only its catalogue knows. */
async function prepare(tx: Tx, dataset: DatasetShape, report: Report): Promise<void> {
  try {
    await readReport(tx, dataset, [], report, {
      most: 1,
      mostBytes: 0,
      limitSeconds: REPORT_LIMIT.usual,
    });
  } catch (error) {
    const problem = pgError(error);
    // what it makes of no rows, as a division by their number, is no fault of the text
    if (problem === null || /^(22|57|08)/.test(problem.code)) {
      if (problem?.code.startsWith('22')) return;
      throw error;
    }
    throw new Invalid({ pointer: '/sql', code: 'TRANSFORM_INVALID', message: problem.message });
  }
}
