import { sql } from 'drizzle-orm';
import { type Database, maybeOne } from '@/lib/db/client';
import { endReport as end } from '@/lib/db/statements/report';
import { transaction } from '@/lib/db/transaction';
import { idForm } from '@/lib/domain/id-form';
import { NotFound, Refused, toFix } from '@/lib/domain/refusal';
import { type Chain, writeAudit } from '@/lib/services/audit/write';
import { patience } from '@/lib/services/of-dataset';
import { verb } from '@/lib/services/verb';

async function found(db: Database, id: string): Promise<{ dataset: string; name: string } | null> {
  return idForm.test(id)
    ? maybeOne(db, sql`select dataset, name from control.report where id = ${id}`)
    : null;
}

async function chainOfReport(db: Database, { id }: { id: string }): Promise<Chain> {
  const report = await found(db, id);
  return report === null ? 'people' : `dataset:${report.dataset}`;
}

/**
 * Ends a report: it is read no more. The readings that were made of it stay.
 *
 * @throws NotFound, Refused where it was ended or saved anew
 */
export const endReport = verb<{ id: string }, void>(
  { name: 'report.end', subject: ({ id }) => `report ${id}`, chain: chainOfReport },
  async (ctx, { id }) => {
    const report = await found(ctx.db, id);
    if (report === null) throw new NotFound('report', id);
    await transaction(
      ctx.db,
      async (tx) => {
        if (!(await end(tx, id, ctx.actor.person))) {
          throw new Refused(toFix('REPORT_ENDED', `${report.name} was ended, or saved anew.`));
        }
        await writeAudit(tx, ctx, {
          chain: `dataset:${report.dataset}`,
          verb: 'report.end',
          subject: `report ${id}`,
          after: { name: report.name },
        });
      },
      patience,
    );
  },
);
