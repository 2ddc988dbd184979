import { describe, expect, it } from 'vitest';
import {
  exitCodeOf,
  Forbidden,
  Gone,
  InterlockError,
  Invalid,
  issueOf,
  LostRace,
  leadingCode,
  NotFound,
  RateLimited,
  Refused,
  toFix,
  toWait,
} from './refusal';
import { CODES, type Code, docOf, isCode, statusOf, titleOf } from './refusal-codes';

describe('codes', () => {
  it('have a status, a title without a full stop and a sentence with one', () => {
    for (const code of Object.keys(CODES) as Code[]) {
      expect(code).toMatch(/^[A-Z][A-Z_]+$/);
      expect([401, 403, 404, 405, 409, 410, 413, 422, 429, 500, 503]).toContain(statusOf(code));
      expect(titleOf(code)).toMatch(/^[A-Z].*[^.]$/);
      expect(docOf(code)).toMatch(/^[A-Zn].*\.$/);
    }
  });

  it('are recognised, and the prototype is not a code', () => {
    expect(isCode('EVIDENCE_MOVED')).toBe(true);
    expect(isCode('toString')).toBe(false);
    expect(isCode(7)).toBe(false);
  });
});

describe('refusals', () => {
  it('are coded by the first blocker that somebody can fix', () => {
    const blockers = [toWait('WORKING'), toFix('HELD', 'Held by dee.'), toFix('PAUSED')];
    const refused = new Refused(blockers);
    expect(refused.code).toBe('HELD');
    expect(refused.message).toBe('Held by dee.');
    expect(refused.status).toBe(409);
    expect(refused.blockers).toEqual(blockers);
    expect(leadingCode([toWait('WORKING'), toWait('EPOCH_SEALED')])).toBe('WORKING');
  });

  it('need a blocker, as an invalid input needs an issue', () => {
    expect(() => new Refused([])).toThrow(TypeError);
    expect(() => new Invalid([])).toThrow(TypeError);
  });

  it('carry status and code of their door', () => {
    expect(new LostRace()).toMatchObject({ code: 'LOST_RACE', status: 409 });
    expect(new NotFound('release', 'a@1')).toMatchObject({ code: 'NOT_FOUND', status: 404 });
    expect(new Forbidden()).toMatchObject({ code: 'FORBIDDEN', status: 403 });
    expect(new Gone('LEASE_ENDED')).toMatchObject({ code: 'LEASE_ENDED', status: 410 });
    expect(new RateLimited(3)).toMatchObject({ code: 'RATE_LIMITED', status: 429 });
    expect(new LostRace()).toBeInstanceOf(InterlockError);
    expect(new Gone('GENERATION_GONE').name).toBe('Gone');
  });

  it('become an issue where the same rule is broken by an input', () => {
    const edges = { before: 'a', after: 'b' };
    const blocker = toFix('RANGE_NOT_ON_PARTITION_EDGE', 'm', { pointer: '/range/from', edges });
    const issue = issueOf(blocker);
    expect(issue).toEqual({
      pointer: '/range/from',
      code: 'RANGE_NOT_ON_PARTITION_EDGE',
      message: 'm',
      edges,
    });
    const invalid = new Invalid([issue]);
    expect(invalid.code).toBe('RANGE_NOT_ON_PARTITION_EDGE');
    expect(invalid.status).toBe(422);
    expect(new Refused([blocker]).status).toBe(409);
  });
});

describe('exit codes of the command line', () => {
  it.each([
    [200, 0, 0],
    [201, 0, 0],
    [500, 0, 1],
    [401, 0, 1],
    [403, 0, 1],
    [422, 0, 2],
    [409, 2, 3],
    [404, 0, 4],
    [410, 0, 4],
    [409, 0, 5],
  ])('%i with %i blockers is %i', (status, blockers, exit) => {
    expect(exitCodeOf(status, blockers)).toBe(exit);
  });
});
