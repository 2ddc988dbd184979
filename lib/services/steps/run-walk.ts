import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import { type Database, one, rows, type Tx } from '@/lib/db/client';
import { type DatasetShape, loadDataset } from '@/lib/db/dataset-shape';
import { isRetryable, pgError } from '@/lib/db/pg-error';
import { deleteUnmapped } from '@/lib/db/statements/mapped-partitions';
import { logEnd, sameOffsets } from '@/lib/db/statements/progress';
import {
  endRun,
  holdRun,
  letGoOfRun,
  partitionFailed,
  type RunRow,
  renewRun,
  runPartitions,
  takeRun,
} from '@/lib/db/statements/run';
import { newSegment } from '@/lib/db/statements/segment';
import { reached } from '@/lib/db/step';
import { transaction } from '@/lib/db/transaction';
import { wordsOf } from '@/lib/db/words-of';
import { plural } from '@/lib/domain/figures';
import { type Instant, microsOf } from '@/lib/domain/instant';
import { isGreen, type Replaced, type SkipReason, walkRange } from '@/lib/domain/range-walk';
import { InterlockError, NotFound } from '@/lib/domain/refusal';
import { applyLive } from '@/lib/services/apply/apply-live';
import { writeAudit } from '@/lib/services/audit/write';
import { runnerContext } from '@/lib/services/system';
import { clearUnmapped } from './compact';
import { writeAside } from './run-aside';
import { landAside, sealedWords } from './run-land';
import { planWalk } from './run-plan';

export interface WalkOptions {
  /** True once the process was asked to stop: no further partition is begun. */
  stopping?: () => boolean;
  /** Events that may be taken over under the dataset's lock, at the first try. */
  mostEvents?: bigint;
}

export type WalkOutcome =
  /** Every partition is settled. */
  | 'ended'
  /** It is to be looked at again in a few seconds; the run says why. */
  | 'waits'
  /** It has ended, was cancelled, waits for a person, or another process walks it. */
  | 'not_mine';

/** How long a walk is believed to live without a word. */
const leaseSeconds = 30;
/** When a run that waits is looked at again. */
const lookAgainSeconds = 3;
/** How often one partition is computed again because what it was computed from is over. */
const mostTries = 8;
/** So many events are taken over within some tens of milliseconds. */
const MOST_EVENTS = 2_000n;
/** A segment that nothing was mapped to for so long may be cleared away as left behind. */
const segmentAgeMs = 300_000;

/** Ends the walk without ending the run. */
class Halt extends Error {
  constructor(
    readonly outcome: Exclude<WalkOutcome, 'ended'>,
    why: string,
  ) {
    super(why);
  }
}

/**
 * Walks a run: brings the generation in use to the log's end, decides, and replaces partition after
 * partition. May be called any number of times, by any process, after a death at any point: what is
 * settled stays so, and one process at a time walks.
 *
 * @throws what is not the fault of a partition: a lost connection, a shortage; it is tried again
 */
export async function walkRun(
  db: Database,
  id: string,
  options: WalkOptions = {},
): Promise<WalkOutcome> {
  const token = randomUUID();
  const run = await takeRun(db, id, token, leaseSeconds);
  if (!run) return 'not_mine';
  const renew = setInterval(
    () => void renewRun(db, id, token, leaseSeconds).catch(() => {}),
    (leaseSeconds * 1000) / 4,
  );
  let why: string | null = null;
  try {
    const dataset = await loadDataset(db, run.dataset);
    if (!dataset) throw new NotFound('dataset', run.dataset);
    await applyToTheEnd(db, dataset);
    const decisions = await planWalk(db, dataset, run, token);
    if (!decisions) return 'not_mine';
    const ends = new Map((await runPartitions(db, id)).map((part) => [part.start, part.end]));
    const walk = new Walk(db, dataset, run, token, ends, options);
    await walkRange(decisions, (start) => walk.replace(start));
    await end(db, dataset, run, token);
    return 'ended';
  } catch (error) {
    if (error instanceof Halt) {
      why = error.message;
      return error.outcome;
    }
    if (isRetryable(error)) {
      why = 'another transaction held the dataset for too long';
      return 'waits';
    }
    throw error;
  } finally {
    clearInterval(renew);
    await letGoOfRun(db, id, token, { why, seconds: lookAgainSeconds }).catch(() => {});
  }
}

/** Up to where the log ends now: what comes meanwhile is live writing's. */
async function applyToTheEnd(db: Database, { name, source }: DatasetShape): Promise<void> {
  const end = await logEnd(db, source.name);
  for (;;) {
    const outcome = await applyLive(db, name, null, { wait: true, limit: async () => end });
    if (outcome.kind === 'applied' && outcome.caughtUp) return;
    if (outcome.kind === 'applied' && outcome.applied.scanned === 0) {
      // live writing has gone beyond that end already
      if (reaches(outcome.applied.progress, end)) return;
      throw new Error(`${name} does not come to the end of its log`);
    }
    if (outcome.kind === 'sealed') {
      const sealed = await one<{ sealer: string | null; sealedUntil: string | null }>(
        db,
        sql`select sealer, sealed_until as "sealedUntil" from control.registry where dataset = ${name}`,
      );
      throw new Halt('waits', await sealedWords(db, sealed));
    }
    if (outcome.kind === 'busy') await pause(50);
  }
}

const reaches = (progress: readonly string[], end: readonly string[]) =>
  sameOffsets(progress, end) ||
  end.every((offset, shard) => BigInt(progress[shard] ?? '0') >= BigInt(offset));

class Walk {
  #segment: { id: string; since: number } | null = null;
  constructor(
    readonly db: Database,
    readonly dataset: DatasetShape,
    readonly run: RunRow,
    readonly token: string,
    readonly ends: ReadonlyMap<string, string>,
    readonly options: WalkOptions,
  ) {}

  /** Replaces one partition; one that fails says so in its row, and the walk goes on. */
  async replace(start: string): Promise<Replaced<null>> {
    const { db, run, token } = this;
    if (this.options.stopping?.()) throw new Halt('waits', 'the process that walked it stops');
    if (!(await renewRun(db, run.id, token, leaseSeconds))) throw new Halt('not_mine', '');
    try {
      return await this.#land(start);
    } catch (error) {
      if (!isPartitionsFault(error)) throw error;
      await transaction(db, async (tx) => {
        if (await holdRun(tx, run.id, token)) {
          await partitionFailed(tx, run.id, start, wordsOf(error));
        }
      });
      return { figures: null };
    }
  }

  async #land(start: string): Promise<Replaced<null>> {
    const { db, dataset, run, token } = this;
    const end = this.ends.get(start) as string;
    let mostEvents = this.options.mostEvents ?? MOST_EVENTS;
    let why = '';
    for (let tried = 0; tried < mostTries; tried++) {
      const segment = await this.#segmentNow();
      const partition = { dataset, segment, start, end };
      const aside = await writeAside(db, partition);
      await reached('run.aside-written');
      const landed = await landAside(db, { ...partition, run: run.id, token, aside, mostEvents });
      if (landed.kind === 'done') await reached('run.committed');
      if (landed.kind !== 'done' || !landed.changed) await this.#drop(segment, start);
      switch (landed.kind) {
        case 'done':
          return { figures: null };
        case 'sealed':
          return { reason: 'sealed' };
        case 'lost':
          throw new Halt('not_mine', '');
        case 'wait':
          throw new Halt('waits', landed.why);
        case 'again':
          // each time more may be taken over, so that it comes to an end beside any live writing
          mostEvents *= 2n;
          why = landed.why;
      }
    }
    throw new Error(`computed ${mostTries} times, and over each time: ${why}`);
  }

  /** A segment of this walk's own, and not older than what is cleared away as left behind. */
  async #segmentNow(): Promise<string> {
    if (this.#segment === null || Date.now() - this.#segment.since > segmentAgeMs) {
      const id = await transaction(this.db, (tx) => newSegment(tx, this.dataset.name, 'run'));
      this.#segment = { id, since: Date.now() };
    }
    return this.#segment.id;
  }

  #drop(segment: string, start: string): Promise<number> {
    const place = { segment, start: microsOf(start as Instant) };
    return transaction(this.db, (tx) => deleteUnmapped(tx, this.dataset.name, [place]));
  }
}

/** Of what the data of a partition, or its size, is at fault; the rest says nothing about it. */
function isPartitionsFault(error: unknown): boolean {
  if (error instanceof Halt || isRetryable(error)) return false;
  const problem = pgError(error);
  if (problem) return problem.code === '57014' || !/^(57|08)/.test(problem.code);
  if (error instanceof InterlockError) return true;
  // the driver's and the system's own codes: CONNECTION_CLOSED, ECONNREFUSED
  return typeof (error as { code?: unknown } | null)?.code !== 'string';
}

/** Ends the run once nothing of it is planned any more, with one row of audit. */
async function end(db: Database, dataset: DatasetShape, run: RunRow, token: string): Promise<void> {
  const ended = await transaction(db, async (tx) => {
    if (!(await holdRun(tx, run.id, token))) return false;
    const counts = await countsOf(tx, run.id);
    const skipped = (await runPartitions(tx, run.id)).flatMap((p) =>
      p.state === 'skipped' ? [[p.start, p.reason as SkipReason] as const] : [],
    );
    const why =
      counts.failed === 0
        ? null
        : `${plural(counts.failed, 'partition')} failed; the list says why`;
    await endRun(tx, run.id, counts.failed === 0 ? 'done' : 'failed', why);
    await writeAudit(tx, runnerContext(), {
      chain: `dataset:${run.dataset}`,
      verb: 'dataset.run',
      subject: `run ${run.id}`,
      after: {
        run: run.id,
        ended: counts.failed === 0 ? 'done' : 'failed',
        green: counts.failed === 0 && isGreen(skipped),
        ...counts,
      },
    });
    return true;
  });
  // where copy on write or this run left rows that no map names
  if (ended) await clearUnmapped(db, dataset.name);
}

async function countsOf(tx: Tx, run: string) {
  const found = await rows<{ state: string; n: number; changed: number }>(
    tx,
    sql`select state, count(*)::int as n, count(*) filter (where changed)::int as changed
      from control.run_partition where run = ${run} group by state`,
  );
  const of = (state: string) => found.find((row) => row.state === state)?.n ?? 0;
  return {
    done: of('done'),
    skipped: of('skipped'),
    failed: of('failed'),
    changed: found.reduce((sum, row) => sum + row.changed, 0),
  };
}
