import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { connect, rows } from '@/lib/db/client';
import type { StepName } from '@/lib/db/step';
import { transaction } from '@/lib/db/transaction';
import { childEnv } from '@/lib/env';
import { workerFile } from '@/lib/faults/support/bundle';
import { Child } from '@/lib/faults/support/child';
import { type Cluster, ownCluster } from '@/lib/faults/support/cluster';
import { forgetDead } from '@/lib/faults/support/forget-dead';
import {
  type Driver,
  expectDone,
  isDone,
  releaseStory,
  undisturbed,
} from '@/lib/faults/support/release-story';
import { Scenario } from '@/lib/faults/support/scenario';
import { fix } from '@/lib/testing/shop';

const important: readonly StepName[] = [
  'build.receipt-written',
  'live.before-commit',
  'seal.before-commit',
  'seal.committed',
  'cutover.before-commit',
  'cutover.committed',
  'rollback.before-commit',
  'retire.rows-deleted',
];

let s: Scenario;
let cluster: Cluster;
let child: Child;
const killed: StepName[] = [];

beforeAll(async () => {
  cluster = await ownCluster();
  s = await Scenario.open(Promise.resolve(cluster));
  child = new Child(await workerFile(), cluster.url, s.db);
});
afterAll(async () => {
  await child.end();
  await cluster.close();
});

/**
 * The server dies under a process that lives on, and loses its transaction. The same process does
 * the work again on the server that came back.
 */
const crashing: Driver = async (work, ...points) => {
  const chosen = points.filter((each) => important.includes(each));
  for (const point of chosen) {
    expect(await child.do(work, point)).toEqual({ kind: 'reached', step: point });
    await cluster.crash(killed.length % 2 === 0 ? 'kill' : 'immediate');
    // behind a commit there may be nothing left to fail
    expect(['failed', 'done']).toContain((await child.go()).kind);
    await expectDone(child, { kind: 'forget' });
    killed.push(point);
    await s.leasesEnd();
    await s.expectServed();
  }
  if (!isDone(work, chosen.at(-1))) await expectDone(child, work);
  await s.expectServed();
};

it('a release comes to the same over a PostgreSQL that dies at its important points', async () => {
  const expected = await undisturbed();
  expect(await releaseStory(s, crashing)).toEqual(expected);
  expect([...killed].sort()).toEqual([...important].sort());
});

/** The job runner itself, in a process of its own. */
function startRunner(url: string) {
  const child = spawn(process.execPath, ['--import', 'tsx', 'lib/runner/main.ts'], {
    env: childEnv({ DATABASE_URL: url, RUNNER_CONCURRENCY: '2', LOG_LEVEL: 'silent' }),
    stdio: 'ignore',
  });
  return { child, ended: once(child, 'exit') };
}

it('the runner lives through a PostgreSQL that dies while it works, and goes on by itself', async () => {
  const release = await s.w.draft(fix({ release: 'again', targetGeneration: 'again-g' }));
  await s.w.move('ana', 'pin', release);
  const runner = startRunner(cluster.url);
  const holder = connect(cluster.url, { role: 'tool', max: 1 });
  let restarted = Promise.resolve();
  try {
    // its job waits for this lock, and is still at it when the server dies
    const crashed = transaction(
      holder,
      async (tx) => {
        await tx.execute(sql`select 1 from control.generation where name = 'again-g' for update`);
        await expect
          .poll(
            () =>
              rows(
                s.db,
                sql`select 1 from pg_stat_activity
                  where application_name = 'interlock-runner' and wait_event_type = 'Lock'`,
              ),
            { timeout: 60_000 },
          )
          .not.toEqual([]);
        restarted = cluster.crash('kill');
        await restarted;
      },
      { retries: 0 },
    );
    // its connection is gone long before the server is there again
    await expect(crashed).rejects.toThrow();
    await restarted;
    await forgetDead(s.db);
    // the step that it lost in the crash is its own for half a minute more
    await s.leasesEnd();
    await s.w.move('ana', 'build', release);
    await expect
      .poll(
        () =>
          rows(
            s.db,
            sql`select 1 from control.receipt r join control.release x
        on x.id = r.release where x.name = 'again'`,
          ),
        { timeout: 60_000 },
      )
      .toHaveLength(4);
    expect(runner.child.exitCode).toBeNull();
    await s.expectServed('order_tax-g1');
  } finally {
    runner.child.kill('SIGKILL');
    await runner.ended;
    await holder.close();
  }
});
