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
import { blocker, claimRange } from '@/lib/web/api/answers';

/** The answers about releases; open objects, like those of `answers`. */

const flag = orNull(z.looseObject({ at: instant, by: text, why: orNull(text) }));

const reconciliation = z.looseObject({
  id: offset,
  kind: z.enum(['rehearsal', 'final']),
  verdict: z.enum(['running', 'passed', 'failed', 'incomplete']),
  startedAt: instant,
  endedAt: orNull(instant),
  unexplained: count,
  drift: count,
  changed: count,
  compared: count,
  current: z.boolean(),
});

const found = z.looseObject({ count: offset, digest });

export const signature = z
  .looseObject({
    person: text,
    kind: z.enum(['cutover', 'rollback']),
    decision: z.enum(['approve', 'reject']),
    digest: text,
    statement: orNull(text),
    at: instant,
    standing: z.boolean(),
    void: orNull(text),
  })
  .meta({ id: 'Signature' });

export const release = z
  .looseObject({
    release: text,
    name: text,
    revision: count,
    dataset: text,
    state: text,
    version: count,
    spec: z.record(z.string(), z.unknown()),
    digest: orNull(digest),
    planDigest: orNull(digest),
    flags: z.looseObject({
      working: z.boolean().meta({ description: 'The runner has something left to do for it.' }),
      paused: z.boolean(),
      held: z.boolean(),
      draining: z.boolean(),
    }),
    paused: flag,
    held: flag,
    blockers: z.record(z.string(), z.array(blocker)).meta({
      description: 'For each move that is open to this state, what still stands in its way.',
    }),
    toAccept: z
      .looseObject({ drift: orNull(found), quarantine: orNull(found) })
      .meta({ description: 'Count and digest that `accept` has to quote.' }),
    evidence: orNull(z.looseObject({ digest, basis: text, parts: z.unknown() })),
    rehearsal: orNull(reconciliation),
    reconciliation: orNull(reconciliation),
    signatures: z.array(signature),
    progress: z.looseObject({
      planned: count,
      receipts: count,
      running: count,
      failed: count,
      caughtUp: offsets,
    }),
    serving: z.boolean(),
    drill: orNull(
      z.looseObject({
        startedAt: instant,
        endedAt: orNull(instant),
        outcome: orNull(z.enum(['passed', 'failed'])),
        why: orNull(text),
        steps: z.array(
          z.looseObject({ step: text, startedAt: instant, seconds: orNull(z.number()) }),
        ),
        cutoverSeconds: orNull(z.number()),
        rollbackSeconds: orNull(z.number()),
        eventsReplayed: orNull(offset),
        rowsCopied: orNull(offset),
      }),
    ).meta({ description: 'The newest drill: its cutover and rollback on a fork of the dataset.' }),
    states: z.array(z.looseObject({ state: text, at: instant, by: text, why: orNull(text) })),
    createdBy: text,
    createdAt: instant,
  })
  .meta({ id: 'Release' });

export const releaseItem = z
  .looseObject({
    release: text,
    name: text,
    revision: count,
    dataset: text,
    state: text,
    serving: z.boolean(),
    createdAt: instant,
  })
  .meta({ id: 'ReleaseItem' });

export const plan = z
  .looseObject({
    partitions: z.array(z.looseObject({ start: instant, end: instant })),
    claims: z.array(claimRange).meta({
      description: 'Others’ claims in the way; the build does not start before they are let go.',
    }),
    sealed: z
      .looseObject({
        count,
        first: z.array(instant),
        policy: z.enum(['CORRECT', 'REFUSE']),
      })
      .meta({
        description:
          'Partitions of the range that were published: how many, the first few, and what the release does about them. `CORRECT`: they stay as they are, and its cutover writes corrections; `REFUSE`: it cannot be pinned over them.',
      }),
    planDigest: digest,
  })
  .meta({ id: 'Plan' });

export const sample = z
  .looseObject({
    old: z.array(z.record(z.string(), z.unknown())),
    new: z.array(z.record(z.string(), z.unknown())),
  })
  .meta({ id: 'Sample' });

export const plannedPartition = z
  .looseObject({
    start: instant,
    end: instant,
    state: z.enum(['planned', 'building', 'built', 'failed']),
    attempt: count,
    error: orNull(text),
    rows: orNull(count),
    outputRoot: orNull(text),
  })
  .meta({ id: 'PlannedPartition' });

export const receipt = z
  .looseObject({
    start: instant,
    end: instant,
    attempt: count,
    releaseDigest: text,
    transform: text,
    inputRoot: text,
    outputRoot: text,
    factsIn: count,
    rowsOut: count,
    filtered: count,
    quarantined: count,
    sums,
    at: instant,
  })
  .meta({ id: 'Receipt' });

export const check = z
  .looseObject({
    name: text,
    verdict: z.enum(['passed', 'failed', 'incomplete', 'accepted']),
    figure: text,
    expected: text,
    detail: z.unknown(),
    digest: text,
    at: instant,
  })
  .meta({ id: 'Check' });

const side = orNull(z.record(z.string(), z.unknown()));

export const diffRow = z
  .looseObject({ partition: instant, key: text, old: side, control: side, new: side })
  .meta({ id: 'DiffRow' });
