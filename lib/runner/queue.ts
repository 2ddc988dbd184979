import { EventEmitter, once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { Logger, type Runner, type RunnerOptions, run } from 'graphile-worker';
import { withoutSecrets } from '@/lib/db/error-for-log';
import { catalog, type JobContext } from './catalog';

const pauseMs = 1_000;
/** How long a queue that has failed is waited for. */
const endingMs = 5_000;

/** How the queue's workers do the jobs of the catalog. */
export function queueOptions(url: string, context: JobContext, concurrency: number): RunnerOptions {
  return {
    connectionString: url,
    concurrency,
    noHandleSignals: true,
    pollInterval: 1_000,
    // Without batching the library does not wait for its own word on a job's end: where that fails,
    // as when PostgreSQL restarts, nobody catches it and the whole process ends.
    preset: { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
    logger: new Logger(() => (level, message) => {
      if (level === 'error') context.log.error(withoutSecrets(message));
    }),
    taskList: Object.fromEntries(
      Object.entries(catalog).map(([name, job]) => [
        name,
        async (payload: unknown) => job.run(context, job.payload.parse(payload) as never),
      ]),
    ),
  };
}

/**
 * Settles when a queue that has failed should have ended by itself. Where the end of several jobs could
 * not be written down, as while PostgreSQL restarts, the library loses count of what it waits for, and
 * waits for ever (graphile/worker issue 636).
 */
export async function overdue(events: EventEmitter): Promise<void> {
  await once(events, 'pool:fatalError');
  await wait(endingMs);
}

/**
 * Works on the queue until it is stopped. The library gives up for good once it cannot say what
 * became of a job; then it is begun again. A job that it left locked is asked for anew by the
 * sweeper, since the tables say what is due.
 *
 * @throws whatever keeps it from beginning the first time
 */
export async function startQueue(
  options: RunnerOptions,
  { log }: Pick<JobContext, 'log'>,
): Promise<{ stop(): Promise<void> }> {
  let stopping = false;
  let queue: Queue | null = await begin(options);
  const again = async () => {
    while (!stopping) {
      try {
        queue ??= await begin(options);
        // asked for while it was beginning
        if (stopping) await queue.runner.stop();
        await queue.ended;
      } catch (error) {
        if (!stopping) log.error({ err: error }, 'the queue ended; it is begun again');
      }
      if (stopping) return;
      queue = null;
      await wait(pauseMs);
    }
  };
  const ended = again();
  return {
    async stop() {
      stopping = true;
      // where it is just ending by itself there is nothing left to stop
      if (queue) await Promise.race([queue.runner.stop(), queue.ended]).catch(() => {});
      await ended;
    },
  };
}

interface Queue {
  readonly runner: Runner;
  readonly ended: Promise<void>;
}

async function begin(options: RunnerOptions): Promise<Queue> {
  const events = new EventEmitter();
  const runner = await run({ ...options, events });
  return { runner, ended: Promise.race([runner.promise, overdue(events)]) };
}
