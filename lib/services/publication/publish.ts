import { sql } from 'drizzle-orm';
import * as z from 'zod';
import { affected, array, type Database, maybeOne, one, rows, type Tx } from '@/lib/db/client';
import { loadDataset } from '@/lib/db/dataset-shape';
import { refreshFigures } from '@/lib/db/statements/figures';
import { lockGeneration } from '@/lib/db/statements/generation-map';
import { recordEmpty } from '@/lib/db/statements/mapped-partitions';
import { lockRegistry } from '@/lib/db/statements/registry';
import { transaction } from '@/lib/db/transaction';
import { type Instant, microsOf } from '@/lib/domain/instant';
import { instantSchema } from '@/lib/domain/instant-schema';
import { datasetNameSchema } from '@/lib/domain/names';
import { intervalSubject } from '@/lib/domain/notices';
import type { Partition } from '@/lib/domain/partition-plan';
import { type Blocker, NotFound, Refused, toWait } from '@/lib/domain/refusal';
import { parseInput } from '@/lib/domain/zod-issues';
import { aggregatesOf } from '@/lib/services/apply/aggregates';
import { writeAudit } from '@/lib/services/audit/write';
import { partitionsOf } from '@/lib/services/claims/range';
import type { Ctx } from '@/lib/services/context';
import { writeNotice } from '@/lib/services/notices';
import { chainOf, patience } from '@/lib/services/of-dataset';
import { refuseIf } from '@/lib/services/release/move';
import { verb } from '@/lib/services/verb';

/** To whom, where nobody said. */
const NOT_SAID = 'not said';

const schema = z.strictObject({
  dataset: datasetNameSchema,
  from: instantSchema,
  to: instantSchema,
  sentTo: z.string().trim().min(1).max(500).default(NOT_SAID),
  document: z.string().trim().min(1).max(1_000).optional(),
});

export interface PublishInput {
  dataset: string;
  /** Half-open, on partition edges. */
  from: string;
  to: string;
  /** To whom the figures were sent. */
  sentTo?: string | undefined;
  /** Where what was sent is kept. */
  document?: string | undefined;
}

export interface Published {
  id: string;
  dataset: string;
  range: { from: string; to: string };
  sentTo: string;
  document: string | null;
  /** Starts of the partitions that were sealed by it. */
  sealed: string[];
  /** Starts of those that had been published before: what was sent is what was published then. */
  already: string[];
  /** Rows in the newly sealed partitions. */
  rows: string;
  by: string;
  at: string;
}

/**
 * Records that the figures of a range were sent out, and seals its partitions: their served rows
 * never change again, whoever writes. Figures and root are those of the moment in which nothing can
 * be written, under the dataset's lock; they are taken ahead of it as far as they can be. Publishing
 * a sealed partition again records the sending and changes nothing: what is served is what was
 * published first.
 *
 * @throws Refused `wait` where a release over part of the range is past its rehearsal: its evidence
 *   speaks of what would be sealed
 */
export const publish = verb<PublishInput, Published>(
  { name: 'dataset.publish', subject: ({ dataset }) => dataset, chain: chainOf },
  async (ctx, input) => {
    const read = parseInput(schema, input);
    const dataset = await loadDataset(ctx.db, read.dataset);
    if (!dataset) throw new NotFound('dataset', read.dataset);
    const aggregates = await aggregatesOf(dataset);
    const fresh = (db: Database | Tx, generation: string) =>
      refreshFigures(db, dataset, aggregates, generation, read);
    const active = await activeGeneration(ctx.db, read.dataset);
    await fresh(ctx.db, active);
    return transaction(
      ctx.db,
      async (tx) => {
        const registry = await lockRegistry(tx, read.dataset);
        if (!registry) throw new NotFound('dataset', read.dataset);
        const partitions = await partitionsOf(tx, read);
        refuseIf(await publishBlockers(tx, read));
        const generation = registry.active as string;
        await lockGeneration(tx, generation);
        await recordEmpty(
          tx,
          generation,
          partitions.map((p) => ({ start: microsOf(p.start), end: microsOf(p.end) })),
        );
        await fresh(tx, generation);
        return store(tx, ctx, read, generation, partitions);
      },
      patience,
    );
  },
);

async function activeGeneration(db: Database, dataset: string): Promise<string> {
  const { active } = await one<{ active: string | null }>(
    db,
    sql`select active_generation as active from control.registry where dataset = ${dataset}`,
  );
  if (active === null) throw new Refused(toWait('DATASET_NOT_READY'));
  return active;
}

interface Read {
  dataset: string;
  from: Instant;
  to: Instant;
  sentTo: string;
  document?: string | undefined;
}

/** What a publication of the range has to wait for. */
export async function publishBlockers(
  tx: Tx,
  { dataset, from, to }: Pick<Read, 'dataset' | 'from' | 'to'>,
): Promise<Blocker[]> {
  const releases = await rows<{ reference: string; state: string }>(
    tx,
    sql`select r.name || '@' || r.revision as reference, r.state from control.release r
      where r.dataset = ${dataset}
        and tstzrange(r.range_from, r.range_to) && tstzrange(${from}::timestamptz, ${to}::timestamptz)
        and (r.state in ('INGRESS_SEALED', 'CAUGHT_UP', 'RECONCILED', 'APPROVED')
          or (r.state = 'BUILDING' and exists (select from control.reconciliation c
            where c.release = r.id and c.kind = 'rehearsal' and c.verdict <> 'incomplete'))
          or (r.state = 'RECONCILIATION_REQUIRED'
            and not exists (select from control.cutover c where c.release = r.id)))
      order by r.id`,
  );
  const drill = await maybeOne(
    tx,
    sql`select 1 from control.drill where dataset = ${dataset} and ended_at is null limit 1`,
  );
  return [
    ...releases.map(({ reference, state }) =>
      toWait(
        'RELEASE_OVERLAP',
        `${reference} is ${state} over part of this range and past its rehearsal: publish when it is cut over or has ended.`,
        { current: reference, link: `/releases/${reference}` },
      ),
    ),
    ...(drill ? [toWait('WORKING', 'A drill of this dataset is under way.')] : []),
  ];
}

async function store(
  tx: Tx,
  ctx: Ctx,
  { dataset, from, to, sentTo, document }: Read,
  generation: string,
  partitions: readonly Partition[],
): Promise<Published> {
  const { id, at } = await one<{ id: string; at: string }>(
    tx,
    sql`insert into control.publication (dataset, range_from, range_to, sent_to, document, "by")
      values (${dataset}, ${from}, ${to}, ${sentTo}, ${document ?? null}, ${ctx.actor.person})
      returning id, at`,
  );
  const starts = array(
    partitions.map((p) => p.start),
    'timestamptz',
  );
  const sealed = await rows<{ start: string; rows: string }>(
    tx,
    sql`insert into control.published_partition (dataset, start_at, end_at, publication, generation,
        segment, transform, progress, rows, sums, partials, root)
      select ${dataset}, s.start_at, s.end_at, ${id}, ${generation}, s.segment, r.transform, g.offsets,
        s.rows, s.sums, s.partials, s.root
      from control.generation_range r
      join control.segment_partition s
        on s.segment = r.segment and r.span @> s.start_at and s.figures_version = s.version
      join control.generation_progress g on g.generation = r.generation
      where r.generation = ${generation} and s.start_at = any(${starts})
      order by s.start_at
      on conflict do nothing
      returning start_at as start, rows`,
  );
  const standing = await affected(
    tx,
    sql`select 1 from control.published_partition where dataset = ${dataset} and start_at = any(${starts})`,
  );
  if (standing !== partitions.length) {
    throw new Error(`${standing} of ${partitions.length} partitions came to be sealed`);
  }
  const mine = new Set(sealed.map((p) => p.start));
  const answer: Published = {
    id,
    dataset,
    range: { from, to },
    sentTo,
    document: document ?? null,
    sealed: sealed.map((p) => p.start),
    already: partitions.map((p) => p.start).filter((start) => !mine.has(start)),
    rows: String(sealed.reduce((sum, p) => sum + BigInt(p.rows), 0n)),
    by: ctx.actor.person,
    at,
  };
  const { sealed: list, already, dataset: _, ...said } = answer;
  const told = { ...said, sealed: list.length, already: already.length };
  await writeNotice(tx, {
    dataset,
    kind: 'PUBLISHED',
    subject: intervalSubject(from, to),
    body: {
      ...told,
      link: `/corrections?${new URLSearchParams({ tab: 'publications', dataset })}`,
    },
  });
  await writeAudit(tx, ctx, {
    chain: `dataset:${dataset}`,
    verb: 'dataset.publish',
    subject: dataset,
    after: { ...told, dataset },
  });
  return answer;
}
