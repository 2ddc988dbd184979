import { sql } from 'drizzle-orm';
import { type Database, one, type Tx } from '@/lib/db/client';
import { lockRegistry, type Registry } from '@/lib/db/statements/registry';
import { reached, type StepName } from '@/lib/db/step';
import { transaction } from '@/lib/db/transaction';
import { type Move, movesFrom, type ReleaseState } from '@/lib/domain/lifecycle';
import { type Blocker, NotFound, Refused, toFix } from '@/lib/domain/refusal';
import type { Ctx } from '@/lib/services/context';
import { verb } from '@/lib/services/verb';
import { chainOfRelease, findRelease, lockRelease, type Release, referenceOf } from './load';

export interface MoveInput {
  /** `name@revision`. */
  release: string;
}

export interface Locked {
  registry: Registry;
  release: Release;
}

/** The blocker that says that a move is not open to a state, or none. */
export function stateBlocker(move: Move, release: Release): Blocker[] {
  const state = release.state as ReleaseState;
  if (movesFrom(state, release.troubleFrom === 'ACTIVE').includes(move)) return [];
  if (state === 'RECONCILIATION_REQUIRED') {
    return [
      toFix(
        'RECONCILIATION_REQUIRED',
        `${referenceOf(release)}: ${release.troubleWhy ?? 'something does not agree'}`,
        {
          current: release.troubleStep,
        },
      ),
    ];
  }
  return [
    toFix('WRONG_STATE', `${referenceOf(release)} is ${state}; ${move} is not open to it.`, {
      current: state,
    }),
  ];
}

/** Throws a refusal with all blockers, or nothing. */
export function refuseIf(blockers: readonly Blocker[]): void {
  if (blockers.length > 0) throw new Refused(blockers);
}

export type MoveRun<Input> = (tx: Tx, ctx: Ctx, locked: Locked, input: Input) => Promise<void>;

/** A move as its doors call it, and what of it is done under the locks: a drill runs that alone. */
export type MoveVerb<Input> = ((ctx: Ctx, input: Input) => Promise<void>) & {
  readonly run: MoveRun<Input>;
};

/**
 * A move of people: the dataset's registry row and then the release's row are locked (waiting at
 * most 300 ms a time, and trying again), whatever the move reads comes in later statements.
 *
 * @param committed the named point between the commit and the answer, for the moves that have one
 */
export function move<Input extends MoveInput>(
  name: Move,
  run: MoveRun<Input>,
  committed?: StepName,
): MoveVerb<Input> {
  const called = verb<Input, void>(
    {
      name: `release.${name}`,
      subject: (input) => input.release,
      chain: (db, input) => chainOfRelease(db, input.release),
    },
    async (ctx, input) => {
      await lockedMove(ctx.db, input.release, (tx, locked) => run(tx, ctx, locked, input));
      if (committed) await reached(committed);
    },
  );
  return Object.assign(called, { run });
}

/** Runs `fn` under the locks of a move. */
export async function lockedMove<T>(
  db: Database,
  reference: string,
  fn: (tx: Tx, locked: Locked) => Promise<T>,
): Promise<T> {
  return lockedRelease(db, await findRelease(db, reference), fn);
}

/** The same for a release that is known by its id, as a drill's is. */
export async function lockedRelease<T>(
  db: Database,
  { id, dataset }: Pick<Release, 'id' | 'dataset'>,
  fn: (tx: Tx, locked: Locked) => Promise<T>,
): Promise<T> {
  return transaction(
    db,
    async (tx) => {
      const registry = await lockRegistry(tx, dataset);
      if (!registry) throw new NotFound('dataset', dataset);
      const release = await lockRelease(tx, id);
      return fn(tx, { registry, release });
    },
    { lockTimeoutMs: 300, retries: 20 },
  );
}

/** Puts work into the queue, in the transaction that makes it necessary. */
export async function enqueue(
  tx: Database | Tx,
  task: string,
  payload: Record<string, unknown>,
  key: string,
): Promise<void> {
  // json, not jsonb, and named: without the cast there is no such function (42883)
  await one(
    tx,
    sql`select graphile_worker.add_job(${task}, ${JSON.stringify(payload)}::json, job_key := ${key}) is null as queued`,
  );
}

/** Asks the runner to look at a release and do its next step. */
export const enqueueAdvance = (tx: Database | Tx, release: Pick<Release, 'id'>) =>
  enqueue(tx, 'advance', { release: release.id }, `advance:${release.id}`);
