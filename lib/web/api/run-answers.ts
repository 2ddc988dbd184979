import * as z from 'zod';
import { RUN_KINDS, RUN_STATES } from '@/lib/domain/runs';
import { count, digest, instant, offset, orNull, sums, text } from '@/lib/web/api/answer-parts';

/** The answers about runs, as the OpenAPI document says them. Objects are open, as the others are. */

const range = z.looseObject({ from: instant, to: instant });
const kind = z.enum(RUN_KINDS);
const state = z.enum(RUN_STATES);

const headParts = {
  id: offset,
  dataset: text,
  kind,
  state,
  green: orNull(z.boolean()).meta({
    description:
      'Ended, nothing failed, and nothing was skipped but for want of data; null while it goes on.',
  }),
  range,
  owner: text,
  by: text,
  why: orNull(text).meta({ description: 'Why it waits, failed or was cancelled.' }),
  secondNeeded: z.boolean(),
  secondBy: orNull(text),
  retryOf: orNull(offset),
  scheduledFor: orNull(instant),
  createdAt: instant,
  startedAt: orNull(instant),
  endedAt: orNull(instant),
};

export const runItem = z
  .looseObject({
    ...headParts,
    counts: z.looseObject({
      planned: count,
      done: count,
      skipped: count,
      failed: count,
      changed: count,
    }),
  })
  .meta({ id: 'RunItem' });

const starts = (description: string) => z.array(instant).meta({ description });

export const run = z
  .looseObject({
    ...headParts,
    secondAt: orNull(instant),
    answers: orNull(
      z.looseObject({
        overwritable: z.boolean(),
        earlierComplete: z.boolean(),
        publishedSeen: z.boolean(),
        tell: orNull(text),
        found: z.looseObject({
          replaced: count,
          published: count,
          earlierMissing: count,
          claimed: count,
          contaminated: count.optional(),
        }),
      }),
    ),
    generation: orNull(text),
    epoch: orNull(count),
    planned: starts('Partitions that nothing became of yet, by start.'),
    done: starts('Partitions that hold what the log yields.'),
    skipped: z
      .array(z.tuple([instant, text]))
      .meta({ description: 'Each with its reason: `claimed_by:<owner>`, `sealed` or `no_data`.' }),
    failed: z.array(z.tuple([instant, text])).meta({ description: 'Each with what went wrong.' }),
    changed: starts('Those of the done ones that held something else before.'),
    rows: offset,
    figures: z
      .array(
        z.looseObject({
          start: instant,
          changed: z.boolean(),
          rowsBefore: offset,
          rootBefore: digest,
          rows: offset,
          root: digest,
          sums,
        }),
      )
      .meta({ description: 'Of the first 1,000 done partitions, before and after.' }),
  })
  .meta({ id: 'Run' });

export const runQuestions = z
  .looseObject({
    dataset: text,
    range,
    partitions: z.looseObject({ count, starts: z.array(instant) }),
    overwritable: z.looseObject({
      replaced: count,
      lastRun: orNull(z.looseObject({ id: offset, state, at: instant })),
    }),
    published: z.looseObject({
      count,
      partitions: z.array(
        z.looseObject({ start: instant, sentTo: text, document: orNull(text), at: instant }),
      ),
      recipients: z.array(text),
    }),
    claimed: z.array(
      z.looseObject({ from: instant, to: instant, partitions: count, owner: text, by: text }),
    ),
    contaminated: z
      .array(
        z.looseObject({
          id: text,
          from: instant,
          to: instant,
          reason: text,
          repairedBy: orNull(text),
        }),
      )
      .meta({ description: 'Contaminated marks that touch the range; a run lifts none.' }),
    earlierMissing: z.looseObject({
      count,
      named: z.array(
        z.looseObject({ start: instant, why: z.enum(['no_rows', 'failed', 'skipped']) }),
      ),
    }),
    subscribersToTell: z
      .array(text)
      .meta({ description: 'Whom figures of the dataset were ever sent to.' }),
    subscribers: z
      .array(text)
      .meta({ description: 'Who subscribes to the dataset; a run sends them no notice.' }),
    secondPersonNeeded: z.boolean(),
    secondPersonOver: orNull(count),
  })
  .meta({ id: 'RunQuestions' });
