import { sql } from 'drizzle-orm';
import { array, type Database, json, one, type Tx } from '@/lib/db/client';
import { type DatasetShape, loadDataset, loadSource } from '@/lib/db/dataset-shape';
import { isConflict, pgError } from '@/lib/db/pg-error';
import { saveMap } from '@/lib/db/statements/generation-map';
import { logEnd } from '@/lib/db/statements/progress';
import { newSegment, startProgress } from '@/lib/db/statements/segment';
import { createDatasetTables } from '@/lib/db/statements/source-ddl';
import { transaction } from '@/lib/db/transaction';
import { digestOf } from '@/lib/digest/canonical';
import { type DatasetSpec, fixedDifferences, parseDatasetBody } from '@/lib/domain/dataset';
import { parseName, readDatasetName } from '@/lib/domain/names';
import { Invalid, Refused, toFix } from '@/lib/domain/refusal';
import { aggregatesOf } from '@/lib/services/apply/aggregates';
import { checkedTransform } from '@/lib/services/apply/compiled';
import { writeAudit } from '@/lib/services/audit/write';
import type { Ctx } from '@/lib/services/context';
import { requireCron } from '@/lib/services/runs/cron';
import { compileExpressions } from '@/lib/services/steps/compiled-spec';
import { verb } from '@/lib/services/verb';
import { prepareTransform } from './check-transform';
import { writePolicy } from './set-policy';

export interface ApplyDataset {
  name: string;
  [field: string]: unknown;
}

/**
 * Declares a dataset; its first generation is then built in the background. Of one that exists only
 * the policy changes, and never downwards under a release that is under way.
 */
export const applyDataset = verb<ApplyDataset, { created: boolean }>(
  {
    name: 'dataset.apply',
    subject: (input) => String(input.name),
    chain: async () => 'people',
  },
  async (ctx, input) => {
    const { name: given, ...body } = input;
    const name = parseName(readDatasetName, given, '/name');
    const spec = parseDatasetBody(body);
    requireCron(spec.policy.runs.cron, spec.timezone);
    const known = await declared(ctx.db, name);
    if (known) return changePolicy(ctx, name, known, spec);
    try {
      await transaction(ctx.db, (tx) => create(tx, ctx, name, spec));
      return { created: true };
    } catch (error) {
      if (isConflict(error) || pgError(error)?.code === '42P06') {
        throw new Refused(
          toFix('ALREADY_EXISTS', `Somebody else made dataset ${name} just now; apply it again.`),
        );
      }
      throw error;
    }
  },
);

async function create(tx: Tx, ctx: Ctx, name: string, spec: DatasetSpec): Promise<void> {
  const source = await loadSource(tx, spec.source);
  if (!source) {
    throw new Invalid({
      pointer: '/source',
      code: 'NOT_FOUND',
      message: `There is no source ${spec.source}.`,
    });
  }
  const shape: DatasetShape = {
    name,
    columns: spec.columns,
    key: spec.key,
    businessTime: spec.businessTime,
    zone: spec.timezone,
    unit: spec.partition,
    grain: spec.grain,
    sourceTime: spec.sourceTime ?? null,
    conserved: spec.conserved,
    rollups: spec.rollups,
    policy: spec.policy,
    source,
  };
  checkSourceTime(shape);
  const transform = await checkedTransform(spec.transform.sql, shape, '/transform/sql');
  // all sides of what is conserved: it is fixed now, and each release falls back on it
  await compileExpressions({ expectedDiff: [], contract: [] }, shape);
  await aggregatesOf(shape);
  await tx.execute(sql`
    insert into control.transform (digest, sql, "commit", lock, created_by)
    values (${transform.digest}, ${spec.transform.sql}, ${spec.transform.commit ?? null},
      ${spec.transform.lock ?? null}, ${ctx.actor.person})
    on conflict do nothing`);
  if (shape.grain === 'partition') {
    await prepareTransform(tx, shape, transform, '/transform/sql');
  }
  await tx.execute(sql`
    insert into control.dataset (name, source, columns, columns_digest, key, business_time, timezone, partition,
      grain, source_time, conserved, rollups, policy, created_by)
    values (${name}, ${spec.source}, ${json(spec.columns)}, ${digestOf('interlock.columns.v1', spec.columns)},
      ${array(spec.key, 'text')}, ${spec.businessTime}, ${spec.timezone}, ${spec.partition}, ${spec.grain},
      ${spec.sourceTime ?? null}, ${json(spec.conserved)}, ${json(spec.rollups)}, ${json(spec.policy)}, ${ctx.actor.person})`);
  await createDatasetTables(tx, shape);
  await createFirstGeneration(tx, shape, transform.digest);
  await tx.execute(sql`select pg_notify('interlock_log', ${spec.source})`);
  await writeAudit(tx, ctx, {
    chain: `dataset:${name}`,
    verb: 'dataset.apply',
    subject: name,
    after: { ...spec, transform: { ...spec.transform, digest: transform.digest } },
  });
}

/** In grain `partition` facts are placed by a column of the source, which has to be an instant. */
function checkSourceTime({ sourceTime, source }: DatasetShape): void {
  if (sourceTime === null) return;
  const column = source.columns.find(({ name }) => name === sourceTime);
  if (column?.type === 'timestamptz') return;
  const times = source.columns.filter(({ type }) => type === 'timestamptz');
  const choice = times.map(({ name }) => name).join(', ') || 'none';
  throw new Invalid({
    pointer: '/sourceTime',
    code: 'INVALID_INPUT',
    message: `${sourceTime} is ${column ? `${column.type}, no timestamptz` : 'no'} column of source ${source.name}; there are: ${choice}.`,
  });
}

/** Generation 1 begins empty at the log's start and is applied to like any other; it serves once it
 * holds what the log held now. Of an empty log that is at once. */
async function createFirstGeneration(
  tx: Tx,
  shape: DatasetShape,
  transform: string,
): Promise<void> {
  const end = await logEnd(tx, shape.source.name);
  const empty = end.every((offset) => offset === '0');
  const segment = await newSegment(tx, shape.name, 'load');
  const { id } = await one<{ id: string }>(
    tx,
    sql`insert into control.generation (dataset, name, state, transform, served_from)
      values (${shape.name}, ${`${shape.name}-g1`}, ${empty ? 'serving' : 'candidate'}, ${transform},
        ${empty ? sql`clock_timestamp()` : null})
      returning id`,
  );
  await startProgress(
    tx,
    id,
    end.map(() => '0'),
  );
  await saveMap(tx, id, [], [{ from: null, to: null, segment, transform }]);
  await tx.execute(sql`
    insert into control.registry (dataset, active_generation, write_segment, loading_generation, load_target)
    values (${shape.name}, ${empty ? id : null}, ${segment}, ${empty ? null : id},
      ${empty ? null : array(end, 'bigint')})`);
}

async function declared(db: Database, name: string): Promise<DatasetSpec | null> {
  const shape = await loadDataset(db, name);
  if (!shape) return null;
  const stored = await one<{
    sql: string;
    commit: string | null;
    lock: string | null;
  }>(
    db,
    sql`select t.sql, t."commit", t.lock from control.dataset d
      join control.generation g on g.dataset = d.name and g.name = d.name || '-g1'
      join control.transform t on t.digest = g.transform where d.name = ${name}`,
  );
  return {
    source: shape.source.name,
    columns: shape.columns,
    key: shape.key,
    businessTime: shape.businessTime,
    timezone: shape.zone,
    partition: shape.unit,
    grain: shape.grain,
    ...(shape.sourceTime === null ? {} : { sourceTime: shape.sourceTime }),
    transform: {
      sql: stored.sql,
      ...(stored.commit === null ? {} : { commit: stored.commit }),
      ...(stored.lock === null ? {} : { lock: stored.lock as `sha256:${string}` }),
    },
    conserved: shape.conserved as DatasetSpec['conserved'],
    rollups: shape.rollups,
    policy: shape.policy as DatasetSpec['policy'],
  };
}

async function changePolicy(ctx: Ctx, name: string, before: DatasetSpec, after: DatasetSpec) {
  const fixed = fixedDifferences(before, after);
  if (fixed.length > 0) {
    throw new Refused(
      toFix(
        'DATASET_IS_FIXED',
        `Only the policy of ${name} can be changed here; ${fixed.join(', ')}: make a release.`,
      ),
    );
  }
  await writePolicy(ctx, name, after.policy);
  return { created: false };
}
