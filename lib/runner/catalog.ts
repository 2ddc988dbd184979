import type { Logger } from 'pino';
import * as z from 'zod';
import type { Database } from '@/lib/db/client';
import { isRetryable, pgError } from '@/lib/db/pg-error';
import {
  type Attempt,
  claimPartition,
  renewAttempt,
  settleAttempt,
} from '@/lib/db/statements/attempt';
import { reached } from '@/lib/db/step';
import { transaction } from '@/lib/db/transaction';
import { wordsOf } from '@/lib/db/words-of';
import { deliverDue } from '@/lib/services/notices/deliver';
import { enqueueAdvance } from '@/lib/services/release/move';
import { advance } from '@/lib/services/steps/advance';
import { buildPartition } from '@/lib/services/steps/build-partition';
import { failedAttempt, receiptConflict } from '@/lib/services/steps/failed-attempt';
import { walkRun } from '@/lib/services/steps/run-walk';

export interface JobContext {
  db: Database;
  worker: string;
  log: Logger;
  /** True once the process was asked to stop: begin nothing new. */
  stopping: () => boolean;
}

export interface Job {
  payload: z.ZodType;
  /** How often the queue tries; the tables, not the queue, say what is left to do. */
  maxAttempts: number;
  run: (context: JobContext, payload: never) => Promise<void>;
}

const ofRelease = z.strictObject({ release: z.string().regex(/^\d+$/) });
const ofRun = z.strictObject({ run: z.string().regex(/^\d+$/) });

let telling = false;

/**
 * Every job by name. A job only says "look here": it reads the tables, does what is due, and may be
 * run any number of times. No job has a queue name: a killed worker would block it for four hours.
 */
export const catalog: Record<string, Job> = {
  /** Does a release's next steps: materialise, catch up, rehearse, reconcile, roll back, retire. */
  advance: {
    payload: ofRelease,
    maxAttempts: 3,
    run: ({ db, worker }, { release }: z.output<typeof ofRelease>) => advance(db, release, worker),
  },
  /** Builds partitions of a release, one after the other, until none is left for this slot. */
  build: { payload: ofRelease, maxAttempts: 3, run: buildUntilNone },
  /** Walks a run, until it has ended or has to wait. */
  run: {
    payload: ofRun,
    maxAttempts: 3,
    run: async ({ db, stopping }, { run }: z.output<typeof ofRun>) => {
      await walkRun(db, run, { stopping });
    },
  },
  /** Tells subscribers what is due. */
  tell: {
    payload: z.strictObject({}),
    maxAttempts: 3,
    run: async ({ db, stopping }) => {
      // one at a time in a process: a subscriber that never answers keeps one of the queue's workers
      // busy, not all of them
      if (telling) return;
      telling = true;
      try {
        await deliverDue(db, { stopping });
      } finally {
        telling = false;
      }
    },
  },
};

/** How long an attempt is believed to live without a word from its worker. */
export const leaseSeconds = 30;

async function buildUntilNone(
  context: JobContext,
  { release }: z.output<typeof ofRelease>,
): Promise<void> {
  const { db, worker } = context;
  while (!context.stopping()) {
    const claim = await transaction(db, (tx) => claimPartition(tx, release, worker, leaseSeconds));
    if (claim.kind === 'none') break;
    await reached('build.claimed');
    await buildOne(context, claim.attempt);
  }
  await enqueueAdvance(db, { id: release });
}

async function buildOne({ db, log }: JobContext, attempt: Attempt): Promise<void> {
  const renew = setInterval(
    () => {
      renewAttempt(db, attempt, leaseSeconds).catch((error: unknown) =>
        log.warn({ err: error, attempt }, 'the lease of an attempt could not be renewed'),
      );
    },
    (leaseSeconds * 1000) / 4,
  );
  try {
    const outcome = await buildPartition(db, attempt);
    await reached('build.committed');
    if (outcome.kind === 'conflict') await receiptConflict(db, attempt.release, outcome.why);
    if (outcome.kind === 'stale')
      log.info({ attempt }, 'STALE_ATTEMPT: the partition went to another attempt');
  } catch (error) {
    if (isRetryable(error)) {
      await settleAttempt(db, attempt, 'cancelled', pgError(error)?.message ?? null);
      return;
    }
    log.error({ err: error, attempt }, 'a partition failed');
    await failedAttempt(db, attempt, wordsOf(error));
  } finally {
    clearInterval(renew);
  }
}
