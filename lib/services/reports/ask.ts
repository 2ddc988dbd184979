import { sql } from 'drizzle-orm';
import * as z from 'zod';
import { maybeOne, rows, type Tx } from '@/lib/db/client';
import { insertShadowReads } from '@/lib/db/statements/report';
import { transaction } from '@/lib/db/transaction';
import { idForm } from '@/lib/domain/id-form';
import { type Blocker, NotFound, toFix } from '@/lib/domain/refusal';
import { missingPartitions } from '@/lib/domain/release-blockers';
import { parseInput } from '@/lib/domain/zod-issues';
import { writeAudit } from '@/lib/services/audit/write';
import { patience } from '@/lib/services/of-dataset';
import { releaseFacts } from '@/lib/services/release/facts';
import {
  chainOfRelease,
  findRelease,
  type Release,
  referenceOf,
} from '@/lib/services/release/load';
import { refuseIf } from '@/lib/services/release/move';
import { verb } from '@/lib/services/verb';

const schema = z.strictObject({
  release: z.string(),
  reports: z.array(z.string().regex(idForm)).min(1).max(100).optional(),
});

export interface AskShadowReads {
  /** `name@revision`. */
  release: string;
  /** Ids of reports; all of the dataset where left out. */
  reports?: string[] | undefined;
}

/**
 * Has reports read in shadow: on the generation that the release replaces and on the one that it
 * built, of one snapshot, and compared. No pointer, epoch or gate depends on what comes of it.
 *
 * @returns the ids of the readings that are to be made; fewer where some are asked for already
 * @throws NotFound, Refused
 */
export const askShadowReads = verb<AskShadowReads, { asked: string[] }>(
  {
    name: 'release.shadow',
    subject: ({ release }) => release,
    chain: (db, { release }) => chainOfRelease(db, release),
  },
  async (ctx, input) => {
    const { release: reference, reports } = parseInput(schema, input);
    return transaction(
      ctx.db,
      async (tx) => {
        const release = await findRelease(tx, reference);
        const saved = await reportsOf(tx, release.dataset);
        const chosen = reports ?? saved.map(({ id }) => id);
        for (const id of chosen) {
          if (!saved.some((report) => report.id === id)) throw new NotFound('report', id);
        }
        refuseIf([...(await readBlockers(tx, release)), ...noReports(release, saved.length)]);
        const asked = await insertShadowReads(tx, release.id, chosen, ctx.actor.person);
        await writeAudit(tx, ctx, {
          chain: `dataset:${release.dataset}`,
          verb: 'release.shadow',
          subject: referenceOf(release),
          after: { reports: saved.filter(({ id }) => chosen.includes(id)).map(({ name }) => name) },
        });
        return { asked };
      },
      patience,
    );
  },
);

const reportsOf = (tx: Tx, dataset: string) =>
  rows<{ id: string; name: string }>(
    tx,
    sql`select id, name from control.report where dataset = ${dataset} and ended_at is null order by id`,
  );

const noReports = ({ dataset }: Release, saved: number): Blocker[] =>
  saved > 0
    ? []
    : [toFix('NO_REPORTS', `No report of ${dataset} is saved; save one on the dataset’s page.`)];

/** Why nothing can be read on both generations. */
async function readBlockers(tx: Tx, release: Release): Promise<Blocker[]> {
  const reference = referenceOf(release);
  if (release.generation === null || release.oldGeneration === null) {
    return [toFix('WRONG_STATE', `${reference} has no generation yet; pin it and build it.`)];
  }
  const gone = await maybeOne<{ names: string }>(
    tx,
    sql`select string_agg(name, ' and ' order by id) as names from control.generation
      where id in (${release.generation}, ${release.oldGeneration}) and state in ('hidden', 'retired')`,
  );
  return [
    ...missingPartitions(await releaseFacts(tx, release)),
    ...(gone?.names ? [toFix('WRONG_STATE', `${gone.names}: what it held is dropped.`)] : []),
  ];
}
