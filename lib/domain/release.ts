import * as z from 'zod';
import {
  approvalCountSchema,
  commitSchema,
  conservedSchema,
  doubles,
  expressionSchema,
  transformTextSchema,
} from './dataset';
import { type Instant, readInstant } from './instant';
import { instantSchema } from './instant-schema';
import { type Change, differences, type Json } from './json';
import {
  columnNameSchema,
  datasetNameSchema,
  digestSchema,
  generationNameSchema,
  labelSchema,
  personSchema,
  readReleaseNameOrRef,
  snapshotNameSchema,
  sourceNameSchema,
} from './names';
import { given, type NotAvailable, parseAvailable } from './not-available';
import { partitionUnitSchema } from './partition-plan';
import type { Read } from './refusal';
import { zoneSchema } from './time-zone';
import { textSchema } from './zod-issues';

/**
 * `dataBackfillRelease.v1` in its JSON form: the order to make one generation of a dataset. Fields
 * left out are filled with their defaults here, or frozen from the dataset at pinning
 * (`timezone`, `partition`, `columns`, `conserved`, `transform.old`, `source.snapshot`).
 */
export const RELEASE_SCHEMA = 'dataBackfillRelease.v1';

const MOST_RULES = 100;
const MOST_COUNT = Number.MAX_SAFE_INTEGER;
const count = (min: number, max = MOST_COUNT) => z.int().min(min).max(max);

const releaseNameSchema = textSchema(
  (text): Read<string> => {
    const read = readReleaseNameOrRef(text);
    return read.ok ? { ok: true, value: text } : read;
  },
  { description: 'name@revision, or a name alone for the next revision' },
);

const rangeEndSchema = textSchema(
  (text): Read<Instant | 'open'> =>
    text === 'open' ? { ok: true, value: 'open' } : readInstant(text),
  { description: 'RFC 3339 with offset, or open' },
);

const rangeSchema = z.strictObject({ from: instantSchema, to: rangeEndSchema });

const contractSchema = z.discriminatedUnion('check', [
  z.strictObject({ check: z.literal('not_null'), column: columnNameSchema }),
  z.strictObject({
    check: z.literal('null_ratio'),
    column: columnNameSchema,
    max: z.number().min(0).max(1),
  }),
  z.strictObject({ check: z.literal('sql'), name: labelSchema, where_bad: expressionSchema }),
]);
export type ContractCheck = z.output<typeof contractSchema>;

const ruleSchema = z.strictObject({
  rule: labelSchema,
  where: expressionSchema,
  columns: z.array(columnNameSchema).min(1).max(500),
});
/** A declared reason for rows to change, and the only columns that it accounts for. */
export type ExpectedDiff = z.output<typeof ruleSchema>;

const budgetSchema = z.strictObject({
  /** Partitions built at once, over all runners. */
  concurrency: count(1, 64).default(4),
  maxSealedSeconds: count(1, 86_400).default(900),
  maxBufferedEvents: count(1).default(500_000),
  maxLiveLagSeconds: count(1).default(120),
  sourceRowsPerSecond: count(1).optional(),
  warehouseSeconds: count(1).optional(),
});

export const releaseSchema = z
  .strictObject({
    schema: z.literal(RELEASE_SCHEMA).default(RELEASE_SCHEMA),
    release: releaseNameSchema,
    dataset: datasetNameSchema,
    range: rangeSchema,
    timezone: zoneSchema.optional(),
    partition: partitionUnitSchema.optional(),
    source: z.strictObject({
      name: sourceNameSchema,
      pin: z.literal('SNAPSHOT').default('SNAPSHOT'),
      snapshot: snapshotNameSchema.optional(),
    }),
    transform: z.strictObject({
      old: digestSchema.optional(),
      new: z.union([digestSchema, transformTextSchema]),
      commit: commitSchema.optional(),
      lock: digestSchema.optional(),
    }),
    columns: digestSchema.optional(),
    targetGeneration: generationNameSchema,
    writeMode: z.literal('REPLACE_RANGE').default('REPLACE_RANGE'),
    deletes: z.literal('ABSENCE_IS_DELETE').default('ABSENCE_IS_DELETE'),
    sealedPartitions: z.enum(['CORRECT', 'REFUSE']).default('CORRECT'),
    expected: z
      .strictObject({
        partitions: count(0).optional(),
        rows: z.strictObject({ min: count(0).optional(), max: count(0).optional() }).optional(),
        root: digestSchema.nullish(),
      })
      .prefault({}),
    conserved: z.array(conservedSchema).max(MOST_RULES).optional(),
    contract: z.array(contractSchema).max(MOST_RULES).default([]),
    expectedDiff: z.array(ruleSchema).max(MOST_RULES).default([]),
    budget: budgetSchema.prefault({}),
    stopLoss: z
      .strictObject({
        failedPartitions: count(1).default(3),
        unexplainedRows: count(1).default(1),
      })
      .prefault({}),
    approvals: z
      .strictObject({
        cutover: approvalCountSchema.default(2),
        rollback: approvalCountSchema.default(1),
        basis: z.literal('final').default('final'),
      })
      .prefault({}),
    owner: personSchema.optional(),
    deadline: instantSchema.nullish(),
  })
  .check((ctx) => {
    const { expected, conserved = [], contract, expectedDiff } = ctx.value;
    const fault = (path: PropertyKey[], message: string) =>
      ctx.issues.push({ code: 'custom', message, path, input: ctx.value });
    const { min, max } = expected.rows ?? {};
    if (min !== undefined && max !== undefined && min > max) {
      fault(['expected', 'rows', 'min'], 'min is above max.');
    }
    const named = 'This name is there already.';
    for (const i of doubles(conserved.map((c) => c.name))) fault(['conserved', i, 'name'], named);
    for (const i of doubles(contract.map(contractName))) fault(['contract', i], named);
    for (const i of doubles(expectedDiff.map((r) => r.rule))) {
      fault(['expectedDiff', i, 'rule'], named);
    }
  });

/** A release as its authors wrote it, defaults filled in. Parsing it again yields it again. */
export type ReleaseSpec = z.output<typeof releaseSchema>;

/** Name of a contract's item: its check is called `contract:<name>`. */
export function contractName(item: ContractCheck): string {
  return item.check === 'sql' ? item.name : `${item.check}(${item.column})`;
}

const is = (wanted: string) => (value: unknown) => value === wanted;

const NOT_AVAILABLE: readonly NotAvailable[] = [
  {
    path: ['source', 'pin'],
    when: is('WATERMARK'),
    message: 'pin WATERMARK is not available; a release reads a SNAPSHOT.',
  },
  {
    path: ['deletes'],
    when: is('TOMBSTONE_ONLY'),
    message:
      'deletes TOMBSTONE_ONLY is not available; deletes are inferred from absence in a complete source (ABSENCE_IS_DELETE).',
  },
  {
    path: ['approvals', 'basis'],
    when: is('rehearsal'),
    message:
      'approvals on basis rehearsal are not available; the evidence at the barrier is signed (final).',
  },
  {
    path: ['columns', 'add'],
    when: given,
    message: 'Adding columns is not available; a release keeps the columns of its dataset.',
  },
];

/** Reads a release's JSON form; throws `Invalid` with every fault at its JSON pointer. */
export function parseRelease(value: unknown): ReleaseSpec {
  return parseAvailable(releaseSchema, NOT_AVAILABLE, value);
}

/** Fields that are kept and frozen as they were given, though nothing acts on them. */
export function notEnforced(spec: Pick<ReleaseSpec, 'budget'>): string[] {
  return (['sourceRowsPerSecond', 'warehouseSeconds'] as const)
    .filter((field) => spec.budget[field] !== undefined)
    .map((field) => `/budget/${field}`);
}

/**
 * The canonical form of a spec, of which the digest is taken: what is not said is not there, and
 * a NULL says nothing. The order of members is the digest's affair.
 */
export function canonicalSpec(spec: object): Json {
  return bare(spec as Json) ?? {};
}

function bare(value: Json | undefined): Json | undefined {
  if (value === null || value === undefined) return undefined;
  if (Array.isArray(value)) return value.map((item) => bare(item) ?? null);
  if (typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, inner]) => {
      const kept = bare(inner);
      return kept === undefined ? [] : [[key, kept] as const];
    }),
  );
}

/** The fields in which two specs differ, by JSON pointer; lists count as one field. */
export function diffSpecs(before: object, after: object): Change[] {
  return differences(canonicalSpec(before), canonicalSpec(after));
}

/** Fields that name an order rather than say what it does: to carry them is not to carry work. */
const IDENTITY = new Set(['schema', 'release', 'dataset', 'targetGeneration', 'owner', 'deadline']);

/**
 * Whether a revision carries anything that the earlier one said. If it does, the earlier one's
 * authors are its authors too, so that nobody signs their own fields by having them revised.
 */
export function carriesFrom(earlier: ReleaseSpec, later: ReleaseSpec): boolean {
  const before = canonicalSpec(earlier) as Record<string, Json>;
  const after = canonicalSpec(later) as Record<string, Json>;
  return Object.keys(after).some(
    (field) =>
      !IDENTITY.has(field) &&
      Object.hasOwn(before, field) &&
      differences(before[field], after[field]).length === 0,
  );
}
