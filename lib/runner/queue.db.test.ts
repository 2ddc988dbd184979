import { EventEmitter, once } from 'node:events';
import { quickAddJob } from 'graphile-worker';
import pino from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type TestDatabase, testDatabase } from '@/lib/testing/database';
import type { JobContext } from './catalog';
import { queueOptions, startQueue } from './queue';

let t: TestDatabase;
beforeAll(async () => {
  t = await testDatabase();
});
afterAll(() => t.close());

it('is begun again when it could not say of several jobs that they are done', async () => {
  const { db } = t;
  // as while PostgreSQL restarts: jobs end, and their end cannot be written down
  await db.$client.unsafe(`
    create function public.lost() returns trigger language plpgsql
      as $$ begin raise 'the end of this job is lost'; end $$;
    create trigger lost before delete on graphile_worker._private_jobs
      for each row execute function public.lost()`);
  const said = new EventEmitter();
  const log = pino(
    { level: 'error' },
    { write: (text: string) => said.emit('error-logged', text) },
  );
  const context: JobContext = { db, worker: 'w', log, stopping: () => false };
  const going = new Map<string, () => void>();
  const done: string[] = [];
  const options = {
    ...queueOptions(t.url, context, 4),
    taskList: {
      job: async (payload: unknown) => {
        const { name } = payload as { name: string };
        await new Promise<void>((resolve) => going.set(name, resolve));
        done.push(name);
      },
    },
  };
  const queue = await startQueue(options, context);
  const add = (name: string) => quickAddJob({ connectionString: t.url }, 'job', { name });
  const working = (name: string) =>
    expect.poll(() => going.has(name), { timeout: 30_000 }).toBe(true);

  // of fewer the library still counts right what it has to wait for
  for (const name of ['first', 'second', 'third', 'long']) {
    await add(name);
    await working(name);
  }
  for (const name of ['first', 'second', 'third']) {
    const lost = once(said, 'error-logged');
    going.get(name)?.();
    await lost;
  }
  await db.$client.unsafe('drop trigger lost on graphile_worker._private_jobs');
  going.get('long')?.();
  await add('next');
  await working('next');
  going.get('next')?.();
  await expect.poll(() => done).toEqual(['first', 'second', 'third', 'long', 'next']);
  await queue.stop();
});
