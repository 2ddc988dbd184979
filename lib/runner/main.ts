import { randomBytes } from 'node:crypto';
import os from 'node:os';
import pino from 'pino';
import { connect } from '@/lib/db/client';
import { errorForLog, withoutSecrets } from '@/lib/db/error-for-log';
import { env } from '@/lib/env';
import { readDue } from '@/lib/services/reports';
import { sweep } from '@/lib/services/steps/sweep';
import { Applier } from './applier';
import type { JobContext } from './catalog';
import { demoStream } from './demo-stream';
import { queueOptions, startQueue } from './queue';

const sweepEveryMs = 2_000;
const lookEveryMs = 500;

/**
 * The background process: the queue's workers, the applier, the sweeper and who reads in shadow,
 * until it is asked to stop; then it begins nothing new and ends what it has begun. As many as
 * wanted may run.
 */
async function main(): Promise<void> {
  const { DATABASE_URL, RUNNER_CONCURRENCY, LOG_LEVEL } = env();
  if (!DATABASE_URL)
    throw new Error('DATABASE_URL is not set: say which database the runner works for');
  const worker = `${os.hostname()}-${process.pid}-${randomBytes(2).toString('hex')}`;
  // an error's own fields hold statements with their values
  const serializers = { err: errorForLog };
  const log = pino({ level: LOG_LEVEL, base: { worker }, serializers });
  const db = connect(DATABASE_URL, { role: 'runner', max: RUNNER_CONCURRENCY + 8 });
  let stopping = false;
  const context: JobContext = { db, worker, log, stopping: () => stopping };

  const queue = await startQueue(queueOptions(DATABASE_URL, context, RUNNER_CONCURRENCY), context);

  const applier = new Applier(db, log);
  const listening = await db.$client.listen(
    'interlock_log',
    () => applier.wake(),
    () => applier.wake(),
  );
  const look = setInterval(() => applier.wake(), lookEveryMs);
  let sweeping: Promise<unknown> = Promise.resolve();
  const timer = setInterval(() => {
    sweeping = sweeping.then(() =>
      sweep(db).catch((error: unknown) =>
        log.error({ err: error }, 'sweeping failed; it is tried again'),
      ),
    );
  }, sweepEveryMs);
  let reading = false;
  const readTimer = setInterval(async () => {
    if (reading) return;
    reading = true;
    await readDue(db, () => stopping).catch((error: unknown) =>
      log.error({ err: error }, 'a reading failed; it is made again when its lease ends'),
    );
    reading = false;
  }, lookEveryMs);
  const stream = demoStream(db, log);
  log.info('runner ready');

  const stop = async (signal: string) => {
    if (stopping) return;
    stopping = true;
    log.info({ signal }, 'runner stops');
    clearInterval(timer);
    clearInterval(look);
    // one that is under way is not waited for: another process makes it again
    clearInterval(readTimer);
    stream.stop();
    await listening.unlisten().catch(() => {});
    await queue.stop();
    await applier.stop();
    await sweeping;
    await db.close();
    process.exit(0);
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => void stop(signal));
}

main().catch((error: unknown) => {
  const text = error instanceof Error ? error.message : String(error);
  process.stderr.write(`${withoutSecrets(text)}\n`);
  process.exit(1);
});
