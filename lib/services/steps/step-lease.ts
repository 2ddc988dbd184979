import { randomUUID } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { affected, type Database } from '@/lib/db/client';

const leaseSeconds = 30;

export interface StepHold {
  /** False once another process took the step over, or the database could not be asked. */
  mine: () => boolean;
}

/**
 * Runs a release's step in one process at a time. Only saves doing work twice: what a step writes
 * is a compare-and-set of its own, so a holder that froze and woke up changes nothing.
 *
 * @returns null where another process holds the step
 */
export async function withStep<T>(
  db: Database,
  release: string,
  step: string,
  worker: string,
  run: (hold: StepHold) => Promise<T>,
): Promise<T | null> {
  const token = randomUUID();
  const taken = await affected(
    db,
    sql`insert into control.step_lease as l (release, step, token, worker, lease_until)
      values (${release}, ${step}, ${token}, ${worker}, clock_timestamp() + make_interval(secs => ${leaseSeconds}))
      on conflict (release) do update set step = excluded.step, token = excluded.token,
        worker = excluded.worker, lease_until = excluded.lease_until
      where l.lease_until < clock_timestamp()`,
  );
  if (taken === 0) return null;
  let held = true;
  const renew = setInterval(
    () => {
      affected(
        db,
        sql`update control.step_lease set lease_until = clock_timestamp() + make_interval(secs => ${leaseSeconds})
        where release = ${release} and token = ${token}`,
      ).then(
        (renewed) => {
          held = renewed === 1;
        },
        () => {
          held = false;
        },
      );
    },
    (leaseSeconds * 1000) / 4,
  );
  try {
    return await run({ mine: () => held });
  } finally {
    clearInterval(renew);
    await db.execute(
      sql`delete from control.step_lease where release = ${release} and token = ${token}`,
    );
  }
}
