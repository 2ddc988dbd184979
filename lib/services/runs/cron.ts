import { Cron } from 'croner';
import { type Instant, instantOfSeconds } from '@/lib/domain/instant';
import { Invalid } from '@/lib/domain/refusal';

/**
 * A schedule of five fields, read in a zone. A time of day that a clock shows twice comes once, the
 * first time; one that it skips comes at the first instant after. Only what is told in wildcards or
 * steps goes on through the repeated hour.
 */
function read(cron: string, zone: string): Cron {
  return new Cron(cron, {
    timezone: zone,
    mode: '5-part',
    paused: true,
    fixedTimeRule: 'no-wildcard',
  });
}

/**
 * Checks a policy's schedule.
 *
 * @throws Invalid at `/policy/runs/cron`
 */
export function requireCron(cron: string | null, zone: string): void {
  if (cron === null) return;
  const why = faultOf(cron, zone);
  if (why === null) return;
  throw new Invalid({
    pointer: '/policy/runs/cron',
    code: 'INVALID_INPUT',
    message: `${JSON.stringify(cron)} is not a schedule: ${why}.`,
  });
}

function faultOf(cron: string, zone: string): string | null {
  if (cron.split(/\s+/).length !== 5) {
    return 'it has five fields: minute, hour, day of month, month, day of week';
  }
  // it would stand for the moment at which it is read
  if (cron.includes('?')) return 'it may not hold a ?';
  try {
    return read(cron, zone).nextRun(new Date(0)) === null
      ? 'it names no time that ever comes'
      : null;
  } catch (error) {
    return error instanceof Error
      ? error.message.replace(/^CronPattern: /, '')
      : 'it cannot be read';
  }
}

/** The last instant at or before `now` that a schedule names; null where there is none. */
export function lastFire(cron: string, zone: string, now: Instant): Instant | null {
  // asked for before the next whole second: the library leaves out the instant that it is given
  const before = new Date(Math.floor(Date.parse(now) / 1000) * 1000 + 1000);
  const [last] = read(cron, zone).previousRuns(1, before);
  return last === undefined ? null : instantOfSeconds(Math.floor(last.getTime() / 1000));
}
