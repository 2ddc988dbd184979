import { sql } from 'drizzle-orm';
import { expect } from 'vitest';
import { affected, rows } from '@/lib/db/client';
import type { StepName } from '@/lib/db/step';
import { workerFile } from '@/lib/faults/support/bundle';
import { Child, type Work } from '@/lib/faults/support/child';
import { Scenario } from '@/lib/faults/support/scenario';
import { verifyAudit } from '@/lib/services/audit/verify';
import { askRun } from '@/lib/services/runs';
import { day, fix, line } from '@/lib/testing/shop';
import { as, event, type Person } from '@/lib/testing/world';

/** Gets a piece of work done in spite of what happens at some of its points. */
export type Driver = (work: Work, ...points: StepName[]) => Promise<void>;

/** What a run of the story comes to: equal for every run, whatever was killed in it. */
export interface Outcome {
  receipts: unknown[];
  manifests: unknown[];
  evidence: unknown[];
  moves: unknown[];
  states: unknown[];
  log: unknown[];
  served: string[];
}

const move = (
  person: Person,
  name: Extract<Work, { kind: 'move' }>['move'],
  release: string,
  body?: Record<string, unknown>,
): Work => ({ kind: 'move', person, move: name, release, ...(body ? { body } : {}) });
const runner: Work = { kind: 'runner' };

/**
 * One release from its pin until it is rolled back and retired, with events before, during and
 * after each part of it, always the same ones. Where it names points, `drive` may do its worst.
 */
export async function releaseStory(s: Scenario, drive: Driver): Promise<Outcome> {
  const release = await s.w.draft(fix());
  await s.w.move('ana', 'pin', release);
  await drive(runner, 'snapshot.rows-written');

  await s.w.move('ana', 'build', release);
  await s.append([
    line(5, { revision: 2, price: '200.00' }),
    line(6, { revision: 2, op: 'delete' }),
    event({ line: 'new', at: day(4, 9), price: '0.03', quantity: 3 }),
  ]);
  await drive({ kind: 'live' }, 'apply.rows-written', 'live.before-commit', 'live.committed');
  await drive(
    runner,
    'build.claimed',
    'build.rows-written',
    'build.receipt-written',
    'build.committed',
    'catch-up.before-commit',
    'catch-up.committed',
  );
  await s.w.move('ana', 'rehearse', release);
  await drive(runner, 'reconcile.chunk-stored', 'reconcile.before-verdict');
  await s.write([
    line(7, { revision: 2, at: day(9) }),
    line(2, { revision: 2, at: day(4, 3), price: '50.00' }),
  ]);

  await drive(move('dee', 'seal', release), 'seal.before-commit', 'seal.committed');
  await s.append([event({ line: 'buffered', at: day(5), price: '10.00' })]);
  await drive(runner, 'manifest.before-commit', 'reconcile.evidence-written');
  await s.w.sign(release);
  await s.expectServed('order_tax-g1');
  await drive(move('dee', 'activate', release), 'cutover.before-commit', 'cutover.committed');
  await s.expectServed('vat-fix-g2');

  // on the 3rd, which both generations share: so large that it is copied before it is written to
  await s.append([event({ line: 'after', at: day(3, 15), price: '20.00' })]);
  await drive(
    { kind: 'live', options: { mostCopied: 0 } },
    'move-partitions.copied',
    'move-partitions.before-commit',
  );
  await s.write(many(6));
  await drive(move('dee', 'rollback', release), 'rollback.requested');
  await s.append([event({ line: 'meanwhile', at: day(5, 20), price: '30.00' })]);
  await drive(
    runner,
    'rollback.batch-before-commit',
    'rollback.sealed',
    'rollback.before-commit',
    'rollback.committed',
  );
  await drive({ kind: 'live' });
  await s.expectAll('order_tax-g1');

  // what somebody changed by hand where no reader sees it: whose event would change the row
  await affected(
    s.db,
    sql`update ds_order_tax.rows x set _source_key = 'nobody' from control.generation g
      join control.generation_range r on r.generation = g.id
      where g.name = 'order_tax-g1' and r.segment = x._segment and r.span @> x._partition
        and x._key in ('l3', 'l8')`,
  );
  await askRun(as(s.db, 'ana'), { dataset: 'order_tax', from: day(3, 0), to: day(9, 0) });
  await drive(runner, 'run.aside-written', 'run.before-commit', 'run.committed');
  await s.expectAll('order_tax-g1');

  await affected(
    s.db,
    sql`update control.generation set kept_until = clock_timestamp() - interval '1 second'
      where name = 'vat-fix-g2'`,
  );
  await drive(runner, 'retire.hidden', 'retire.unmapped', 'retire.rows-deleted');
  await s.expectAll('order_tax-g1');

  await affected(s.db, sql`update control.source set retention_days = 1`);
  await affected(
    s.db,
    sql`update control.source_event set received_at = clock_timestamp() - interval '25 hours'`,
  );
  await drive(runner, 'prune.before-commit', 'prune.committed');
  await s.expectServed('order_tax-g1');
  return outcome(s);
}

/** More events of one line than a rollback may leave to its tail. */
const many = (n: number) =>
  Array.from({ length: 501 }, (_, i) => line(n, { revision: i + 3, price: `${i}.50` }));

async function outcome(s: Scenario): Promise<Outcome> {
  const { db } = s;
  expect(await verifyAudit(db)).toMatchObject({ ok: true });
  return {
    receipts: await rows(
      db,
      sql`select start_at, input_root, output_root, facts_in, rows_out from control.receipt order by 1`,
    ),
    manifests: await rows(
      db,
      sql`select name, state, manifest_root, catch_up_root from control.generation order by id`,
    ),
    evidence: await rows(
      db,
      sql`select parts ->> 'barrier' as barrier, parts -> 'checks' as checks from control.evidence`,
    ),
    // whoever died before the commit left nothing, and nothing was done twice
    moves: await rows(
      db,
      sql`select actor, verb, subject from control.audit_event
        where chain = 'dataset:order_tax' and outcome = 'done' order by seq`,
    ),
    states: await rows(db, sql`select state, by from control.release_state order by id`),
    log: await rows(
      db,
      sql`select e.shard, e."offset", e.event_id, h.retained_from from control.source_event e
        join control.source_shard h on h.source = e.source and h.shard = e.shard order by 1, 2`,
    ),
    served: (await s.served()).rows,
  };
}

/** Does a piece of work to its end. */
export async function expectDone(child: Child, work: Work): Promise<void> {
  expect(await child.do(work)).toEqual({ kind: 'done' });
}

/** The story as it goes when nothing happens to it. */
export async function undisturbed(): Promise<Outcome> {
  const s = await Scenario.open();
  const child = new Child(await workerFile(), s.t.url, s.db);
  try {
    return await releaseStory(s, (work) => expectDone(child, work));
  } finally {
    await child.end();
    await s.t.close();
  }
}

/** True of a point that lies behind the commit of a move: to ask again would be another move. */
export const isDone = (work: Work, point: StepName | undefined): boolean =>
  work.kind === 'move' && point !== undefined && !point.endsWith('before-commit');
