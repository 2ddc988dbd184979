import { describe, expect, it } from 'vitest';
import type { Instant } from '@/lib/domain/instant';
import { lastFire, requireCron } from './cron';

const last = (cron: string, now: string, zone = 'Europe/London') =>
  lastFire(cron, zone, now as Instant);

describe('the last instant of a schedule', () => {
  it('is at or before the clock, read in the zone', () => {
    expect(last('30 1 * * *', '2026-07-10T00:29:59.999999Z')).toBe('2026-07-09T00:30:00Z');
    expect(last('30 1 * * *', '2026-07-10T00:30:00Z')).toBe('2026-07-10T00:30:00Z');
    expect(last('30 1 * * *', '2026-07-10T00:30:00.5Z')).toBe('2026-07-10T00:30:00Z');
    expect(last('0 6 * * 1', '2026-07-10T00:00:00Z')).toBe('2026-07-06T05:00:00Z');
    expect(last('0 6 * * *', '2026-07-10T00:00:00Z', 'Asia/Seoul')).toBe('2026-07-09T21:00:00Z');
  });

  it.each(['30 1 * * *', '30 0,1 * * *'])(
    'comes once where a clock shows its time twice: %s',
    (cron) => {
      // London goes back from 02:00 to 01:00 at 01:00Z
      expect(last(cron, '2026-10-25T00:31:00Z')).toBe('2026-10-25T00:30:00Z');
      expect(last(cron, '2026-10-25T01:31:00Z')).toBe('2026-10-25T00:30:00Z');
    },
  );

  it('comes at the first instant after where a clock skips its time', () => {
    // London goes from 01:00 to 02:00 at 01:00Z
    expect(last('30 1 * * *', '2026-03-29T00:59:59Z')).toBe('2026-03-28T01:30:00Z');
    expect(last('30 1 * * *', '2026-03-29T01:00:00Z')).toBe('2026-03-29T01:00:00Z');
    expect(last('30 1 * * *', '2026-03-30T00:30:00Z')).toBe('2026-03-30T00:30:00Z');
  });
});

describe('a schedule', () => {
  it.each(['0 6 * * *', '*/15 8-18 * * 1-5', '0 0 1 JAN,JUL *', '0 0 L * *'])(
    '%s is one',
    (cron) => {
      expect(() => requireCron(cron, 'UTC')).not.toThrow();
    },
  );

  it('may be none', () => {
    expect(() => requireCron(null, 'UTC')).not.toThrow();
  });

  it.each([
    ['@daily', 'it has five fields: minute, hour, day of month, month, day of week'],
    ['0 0 6 * * *', 'it has five fields: minute, hour, day of month, month, day of week'],
    ['61 * * * *', 'Invalid value for minute: 61'],
    ['? 1 * * *', 'it may not hold a ?'],
    ['0 0 30 2 *', 'it names no time that ever comes'],
    ['a b c d e', 'configuration entry 1 (a) contains illegal characters.'],
  ])('%s is none, and it is said why', (cron, why) => {
    let said: unknown;
    try {
      requireCron(cron, 'UTC');
    } catch (error) {
      said = error;
    }
    expect(said).toMatchObject({
      status: 422,
      issues: [{ pointer: '/policy/runs/cron', message: expect.stringContaining(why) }],
    });
  });
});
