import * as z from 'zod';
import {
  count,
  digest,
  instant,
  offset,
  offsets,
  orNull,
  sums,
  text,
} from '@/lib/web/api/answer-parts';

/**
 * The answers, as the OpenAPI document says them and the tests hold them against what comes back.
 * Objects are open: what is not named here may be added.
 */

export const blocker = z
  .looseObject({
    code: text,
    kind: z.enum(['fix', 'wait']),
    message: text,
    pointer: text.optional(),
    expected: z.unknown().optional(),
    current: z.unknown().optional(),
    edges: z.unknown().optional(),
    link: text.optional(),
  })
  .meta({ id: 'Blocker' });

export const problem = z
  .looseObject({
    type: text,
    title: text,
    status: z.int(),
    detail: text,
    code: text.meta({ description: 'A code of the list below; codes are added, never renamed.' }),
    requestId: text,
    blockers: z.array(blocker).optional(),
    pointer: text.optional(),
    issues: z
      .array(
        z.looseObject({
          pointer: text,
          code: text,
          message: text,
          line: z.int().optional(),
          column: z.int().optional(),
        }),
      )
      .optional(),
  })
  .meta({ id: 'Problem', description: 'RFC 9457.' });

export const person = z
  .looseObject({ name: text, displayName: text, email: orNull(text), roles: z.array(text) })
  .meta({ id: 'Person' });

export const newToken = z
  .looseObject({ id: z.uuid(), person: text, roles: z.array(text), token: text })
  .meta({ id: 'NewToken' });

const column = z.looseObject({ name: text, type: text, nullable: z.boolean() });

export const source = z
  .looseObject({
    name: text,
    columns: z.array(column),
    key: z.array(text),
    eventTime: orNull(text),
    complete: z.boolean(),
    retentionDays: orNull(count),
    createdAt: instant,
    shards: z.array(
      z.looseObject({
        shard: count,
        lastOffset: offset,
        retainedFrom: offset,
        size: offset,
      }),
    ),
    size: offset,
    datasets: z.array(text),
  })
  .meta({ id: 'Source' });

export const sourceItem = z.looseObject({
  name: text,
  shards: count,
  complete: z.boolean(),
  size: offset,
});

export const appended = z
  .looseObject({ accepted: count, duplicates: count, stale: count, offsets })
  .meta({ id: 'Appended' });

/** A mark that stands, as its dataset shows it. */
export const standingMark = z
  .looseObject({
    id: text,
    from: instant,
    to: instant,
    reason: text,
    servedSince: orNull(instant),
    markedBy: text,
    markedAt: instant,
    repairedBy: orNull(text).meta({ description: 'Name of the release that repairs it.' }),
  })
  .meta({
    id: 'StandingMark',
    description: 'An interval whose served values are known to be wrong.',
  });

const warnings = z
  .array(
    z
      .looseObject({
        code: z.literal('CONTAMINATED'),
        from: instant,
        to: instant,
        reason: text,
        servedSince: orNull(instant),
        repairedBy: orNull(text),
      })
      .meta({ id: 'ContaminatedWarning' }),
  )
  .meta({ description: 'What of it is known to be wrong; empty where nothing is.' });

export const dataset = z
  .looseObject({
    name: text,
    source: text,
    columns: z.array(column),
    key: z.array(text),
    businessTime: text,
    timezone: text,
    partition: text,
    activeGeneration: orNull(text),
    loading: orNull(text),
    ingress: z.looseObject({
      epoch: count,
      state: z.enum(['OPEN', 'SEALED']),
      progress: offsets,
      lagSeconds: count,
      buffered: count,
      quarantined: count,
      sealer: orNull(text),
      barrier: orNull(offsets),
    }),
    generations: z.array(
      z.looseObject({
        name: text,
        state: z.enum(['candidate', 'serving', 'kept', 'hidden', 'retired']),
        release: orNull(text),
        transform: digest,
        createdAt: instant,
        servedFrom: orNull(instant),
        servedUntil: orNull(instant),
        keptUntil: orNull(instant),
      }),
    ),
    contaminated: z.array(standingMark).meta({ description: 'The marks that stand.' }),
  })
  .meta({ id: 'Dataset' });

export const datasetItem = z.looseObject({
  name: text,
  source: text,
  activeGeneration: orNull(text),
  epoch: count,
  state: text,
});

export const rowsPage = z
  .looseObject({
    generation: text,
    lease: orNull(z.looseObject({ id: text, until: instant })),
    rows: z.array(z.record(z.string(), z.unknown())),
    nextCursor: orNull(text),
    warnings,
  })
  .meta({ id: 'RowsPage' });

export const partition = z
  .looseObject({
    start: instant,
    end: instant,
    rows: orNull(count),
    sums: orNull(sums),
    root: orNull(digest),
    segment: offset,
    sealed: z.boolean(),
    published: orNull(digest).meta({ description: 'Root of what was published, if it is sealed.' }),
    claimedBy: orNull(text),
    contaminated: z
      .boolean()
      .meta({ description: 'It lies in a range that is known to be wrong.' }),
  })
  .meta({ id: 'Partition' });

export const claimRange = z
  .looseObject({
    from: instant,
    to: instant,
    partitions: count,
    owner: text,
    by: text,
    since: instant,
  })
  .meta({ id: 'ClaimRange', description: 'Consecutive partitions of one owner, `[from, to)`.' });

const claimParts = {
  dataset: text,
  owner: text,
  range: z.looseObject({ from: orNull(instant), to: orNull(instant) }).meta({
    description: 'The half-open range that was read; null for the whole dataset.',
  }),
  claimed: z.array(instant).meta({ description: 'Starts of partitions that the owner holds now.' }),
  denied: z
    .array(z.tuple([instant, text]))
    .meta({ description: 'Starts of partitions that others hold, each with its owner.' }),
};

export const claim = z.looseObject(claimParts).meta({ id: 'Claim' });

export const claimsReleased = z
  .looseObject({ ...claimParts, released: z.array(instant) })
  .meta({ id: 'ClaimsReleased' });

export const claims = z
  .looseObject({ ...claimParts, claims: z.array(claimRange) })
  .meta({ id: 'Claims' });

export const rollup = z
  .looseObject({
    generation: text,
    metrics: sums.meta({ description: 'As served: of sealed partitions, as published.' }),
    asOfNow: orNull(sums).meta({
      description:
        'With the last correction of each sealed partition; null for a generation that is not in use.',
    }),
    corrections: z.looseObject({
      partitions: count.meta({ description: 'Sealed partitions that have a correction.' }),
      pending: count.meta({ description: 'Events that no correction contains yet.' }),
    }),
    perPartition: z
      .array(
        z.looseObject({
          start: instant,
          end: instant,
          sealed: z.boolean(),
          metrics: sums,
          asOfNow: orNull(sums),
          corrections: count,
          pending: count,
        }),
      )
      .optional()
      .meta({ description: 'With `by=partition`, in order of time.' }),
    warnings,
  })
  .meta({ id: 'Rollup' });

export const contamination = z
  .looseObject({
    ...standingMark.shape,
    dataset: text,
    standing: z.boolean(),
    repairing: orNull(z.looseObject({ release: text, state: text })).meta({
      description: 'Newest revision of the release that repairs it.',
    }),
    turns: z
      .array(
        z.looseObject({
          kind: z.enum(['LINKED', 'LIFTED', 'PUT_BACK']),
          at: instant,
          by: text,
          release: orNull(text).meta({
            description:
              'Of a link the name; of what a cutover or a rollback did its `name@revision`.',
          }),
          reason: orNull(text),
        }),
      )
      .meta({ description: 'What became of it, oldest first.' }),
  })
  .meta({ id: 'Contamination' });

export const lease = z
  .looseObject({ id: text, generation: text, until: instant })
  .meta({ id: 'Lease' });

export const transformCheck = z
  .looseObject({ digest, columns: z.array(z.unknown()) })
  .meta({ id: 'TransformCheck' });

export const auditRow = z
  .looseObject({
    id: offset,
    chain: text,
    seq: offset,
    at: instant,
    actor: text,
    verb: text,
    subject: text,
    outcome: z.enum(['done', 'refused']),
    reason: orNull(text),
    evidence: orNull(text),
    requestId: text,
    prev: digest,
    hash: digest,
  })
  .meta({ id: 'AuditRow' });

export const auditVerdict = z
  .looseObject({
    ok: z.boolean(),
    head: digest,
    length: count,
    firstBad: z.looseObject({ chain: text, seq: offset, why: text }).optional(),
  })
  .meta({ id: 'AuditVerdict' });
