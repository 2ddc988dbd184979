import { EventEmitter } from 'node:events';
import { runOnce } from 'graphile-worker';
import pino from 'pino';
import { connect, type Database } from '@/lib/db/client';
import { onStep } from '@/lib/db/step';
import type { Answer, Order, Work } from '@/lib/faults/support/child';
import { forgetDead } from '@/lib/faults/support/forget-dead';
import type { JobContext } from '@/lib/runner/catalog';
import { overdue, queueOptions } from '@/lib/runner/queue';
import { applyLive } from '@/lib/services/apply/apply-live';
import { sweep } from '@/lib/services/steps/sweep';
import { World } from '@/lib/testing/world';

// A process that does a runner's work, or one move, and stands still at a named point until it is
// told to go on, or killed.

const [url = '', name = ''] = process.argv.slice(2);
const tell = (answer: Answer) => process.send?.(answer);
let db: Database | null = null;
let goOn = () => {};

process.on('disconnect', () => process.exit(0));
process.on('message', (order: Order) => {
  if (order.kind === 'go') {
    goOn();
    return;
  }
  let open = order.stopAt;
  onStep(async (step) => {
    if (step !== open) return;
    open = null;
    await new Promise<void>((resolve) => {
      goOn = resolve;
      tell({ kind: 'reached', step });
    });
  });
  db ??= connect(url, { role: 'runner', applicationName: name });
  run(db, order.work).then(
    () => tell({ kind: 'done' }),
    (error: unknown) => tell({ kind: 'failed', why: String(error) }),
  );
});
tell({ kind: 'ready' });

async function run(db: Database, work: Work): Promise<void> {
  switch (work.kind) {
    case 'runner': {
      await sweep(db);
      const errors: string[] = [];
      const log = pino({ level: 'error' }, { write: (text) => errors.push(text) });
      const context: JobContext = { db, worker: name, log, stopping: () => false };
      const events = new EventEmitter();
      await Promise.race([runOnce({ ...queueOptions(url, context, 1), events }), overdue(events)]);
      if (errors.length > 0) throw new Error(errors.join(''));
      return;
    }
    case 'forget':
      return forgetDead(db);
    case 'live':
      for (;;) {
        const outcome = await applyLive(db, 'order_tax', work.epoch ?? null, {
          wait: true,
          ...work.options,
        });
        if (outcome.kind === 'EPOCH_SEALED') throw new Error(outcome.kind);
        if (outcome.kind === 'reopened') continue;
        if (outcome.kind !== 'applied' || outcome.caughtUp) return;
      }
    case 'move':
      return new World(db).move(work.person, work.move, work.release, work.body ?? {});
  }
}
