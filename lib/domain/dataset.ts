import * as z from 'zod';
import { type Column, columnFaults, columnListSchema, decideNullable } from './column';
import { sortedText } from './json';
import { columnNameSchema, digestSchema, metricNameSchema, sourceNameSchema } from './names';
import { parseAvailable } from './not-available';
import { type PartitionUnit, partitionUnitSchema } from './partition-plan';
import { keySchema } from './source';
import { zoneSchema } from './time-zone';

const MOST_SQL = 100_000;
const MOST_EXPRESSION = 10_000;
const MOST_LIST = 50;
const MOST_APPROVALS = 10;
const DAY_SECONDS = 86_400;
const WEEK_HOURS = 168;

/** The text of a whole `SELECT`. */
export const sqlSchema = z.string().trim().min(1).max(MOST_SQL);
/** The text of one SQL expression. */
export const expressionSchema = z.string().trim().min(1).max(MOST_EXPRESSION);
/** The commit that a transform comes from, in hexadecimal digits. */
export const commitSchema = z
  .string()
  .regex(/^[0-9a-f]{4,64}$/, 'A commit is 4 to 64 small hexadecimal digits.');

/** How many distinct people have to sign. */
export const approvalCountSchema = z.int().min(1).max(MOST_APPROVALS);

/** A transform as text, with where it comes from. */
export const transformTextSchema = z.strictObject({
  sql: sqlSchema,
  commit: commitSchema.optional(),
  lock: digestSchema.optional(),
});

/**
 * A sum that may not change: `old` and `new` over the rows of the two generations, `source` over
 * the facts. Left out sides are the side that is there.
 */
export const conservedSchema = z.strictObject({
  name: metricNameSchema,
  old: expressionSchema,
  new: expressionSchema,
  source: expressionSchema.optional(),
});
export type Conserved = z.output<typeof conservedSchema>;

const rollupSchema = z.strictObject({ metric: metricNameSchema, sql: expressionSchema });

/** When partitions are computed again by the clock, and when a run needs a second person. */
export const runPolicySchema = z.strictObject({
  /** Five fields of cron, read in the dataset's zone; null: nothing runs by the clock. */
  cron: z.string().trim().min(1).max(100).nullable().default(null),
  /** How many of the last whole partitions a scheduled run takes. */
  partitions: z.int().min(1).max(366).default(1),
  /** A run of more partitions needs a second person; null: never. */
  secondPersonOver: z.int().min(0).max(100_000).nullable().default(null),
});
export type RunPolicy = z.output<typeof runPolicySchema>;

/** The dataset's floor under every release: a release may ask for more, never for less. */
export const policySchema = z.strictObject({
  approvals: z
    .strictObject({
      cutover: approvalCountSchema.default(1),
      rollback: approvalCountSchema.default(1),
    })
    .prefault({}),
  /** How long a reader's lease lasts that names no time. */
  leaseSeconds: z.int().min(1).max(DAY_SECONDS).default(900),
  /** How long the old generation is kept after a cutover. */
  rollbackWindowSeconds: z
    .int()
    .min(0)
    .max(366 * DAY_SECONDS)
    .default(DAY_SECONDS),
  /** Whether who signed may also execute. */
  executorMayApprove: z.boolean().default(false),
  /** Whether a cutover needs a drill of its release: the last one, passed, rolled back in time. */
  requireDrill: z.boolean().default(false),
  /** How old that drill may be. */
  drillMaxAgeHours: z.int().min(1).max(8_784).default(WEEK_HOURS),
  /** Computing partitions again: by the clock, and how large a run one person may start alone. */
  runs: runPolicySchema.prefault({}),
});
export type Policy = z.output<typeof policySchema>;

/** `row`: each row comes from one fact; `partition`: a partition's rows come from all its facts. */
export const grainSchema = z.enum(['row', 'partition']);
export type Grain = z.output<typeof grainSchema>;

/** A dataset as it is declared, in canonical form. */
export type DatasetSpec = {
  source: string;
  columns: Column[];
  key: string[];
  businessTime: string;
  timezone: string;
  partition: PartitionUnit;
  grain: Grain;
  /** In grain `partition` the source column by which a fact belongs to a partition. */
  sourceTime?: string | undefined;
  transform: z.output<typeof transformTextSchema>;
  conserved: Conserved[];
  rollups: z.output<typeof rollupSchema>[];
  policy: Policy;
};

/** Body of `PUT /datasets/{name}`. */
export const datasetBodySchema = z
  .strictObject({
    source: sourceNameSchema,
    columns: columnListSchema,
    key: keySchema,
    businessTime: columnNameSchema,
    timezone: zoneSchema,
    partition: partitionUnitSchema,
    grain: grainSchema.default('row'),
    sourceTime: columnNameSchema.optional(),
    transform: transformTextSchema,
    conserved: z.array(conservedSchema).max(MOST_LIST).default([]),
    rollups: z.array(rollupSchema).max(MOST_LIST).default([]),
    policy: policySchema.prefault({}),
  })
  .check((ctx) => {
    const { columns, key, businessTime, conserved, rollups } = ctx.value;
    const faults = [
      ...columnFaults(columns, key, { field: 'businessTime', name: businessTime }),
      ...doubles(conserved.map((item) => item.name)).map((i) => doubled('conserved', i, 'name')),
      ...doubles(rollups.map((item) => item.metric)).map((i) => doubled('rollups', i, 'metric')),
      ...grainFaults(ctx.value),
    ];
    for (const { path, message } of faults) {
      ctx.issues.push({ code: 'custom', message, path, input: ctx.value });
    }
  })
  .transform(
    (body): DatasetSpec => ({
      ...body,
      columns: decideNullable(body.columns, [...body.key, body.businessTime]),
    }),
  );

/** Places at which a list repeats an earlier entry. */
export function doubles(names: readonly string[]): number[] {
  return names.flatMap((name, index) => (names.indexOf(name) < index ? [index] : []));
}

function doubled(list: string, index: number, field: string) {
  return { path: [list, index, field], message: 'This name is there already.' };
}

/**
 * What grain `partition` asks of a declaration beside the transform. Partitions are computed apart
 * from each other, so what tells their rows apart has to be in the key.
 */
function grainFaults(body: {
  grain: Grain;
  sourceTime?: string | undefined;
  key: readonly string[];
  businessTime: string;
}): { path: string[]; message: string }[] {
  if (body.grain === 'row') {
    if (body.sourceTime === undefined) return [];
    return [
      {
        path: ['sourceTime'],
        message:
          'sourceTime belongs to grain partition; in grain row a row is placed by its business time alone.',
      },
    ];
  }
  const faults: { path: string[]; message: string }[] = [];
  if (!body.key.includes(body.businessTime)) {
    faults.push({
      path: ['key'],
      message: `In grain partition the key holds the business time, ${body.businessTime}: rows of different partitions must not share a key.`,
    });
  }
  if (body.sourceTime === undefined) {
    faults.push({
      path: ['sourceTime'],
      message:
        'Grain partition needs sourceTime, the timestamptz column of the source by which a fact belongs to a partition.',
    });
  }
  return faults;
}

/** Reads the body of `PUT /datasets/{name}`; throws `Invalid` with every fault at its pointer. */
export function parseDatasetBody(value: unknown): DatasetSpec {
  return parseAvailable(datasetBodySchema, [], value);
}

/** Fields of a policy that would be lowered: they may not, under a release that is under way. */
export function loweredBy(before: Policy, after: Policy): string[] {
  const lowered: string[] = [];
  if (after.approvals.cutover < before.approvals.cutover) lowered.push('approvals/cutover');
  if (after.approvals.rollback < before.approvals.rollback) lowered.push('approvals/rollback');
  if (after.executorMayApprove && !before.executorMayApprove) lowered.push('executorMayApprove');
  if (after.rollbackWindowSeconds < before.rollbackWindowSeconds) {
    lowered.push('rollbackWindowSeconds');
  }
  if (before.requireDrill && !after.requireDrill) lowered.push('requireDrill');
  // of a policy that was written down before there were drills, the age is what is left out
  const age = (policy: Policy) => policy.drillMaxAgeHours ?? WEEK_HOURS;
  if (before.requireDrill && age(after) > age(before)) lowered.push('drillMaxAgeHours');
  return lowered;
}

/** Fields other than the policy in which two declarations differ: those need a release. */
export function fixedDifferences(before: DatasetSpec, after: DatasetSpec): string[] {
  const fields = [
    'source',
    'columns',
    'key',
    'businessTime',
    'timezone',
    'partition',
    'grain',
    'sourceTime',
    'transform',
    'conserved',
    'rollups',
  ] as const;
  return fields.filter((field) => sortedText(before[field]) !== sortedText(after[field]));
}
