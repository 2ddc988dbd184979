import fc from 'fast-check';
import { Temporal } from 'temporal-polyfill';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import {
  addMicros,
  addSeconds,
  compareInstants,
  type Instant,
  instantFromPostgres,
  instantOf,
  isBefore,
  isInstant,
  microsOf,
  parseInstant,
  readInstant,
  secondsOf,
} from './instant';
import { instantSchema } from './instant-schema';
import { Invalid } from './refusal';

const FIRST = -62_135_596_800_000_000n;
const LAST = 253_402_300_799_999_999n;
const anyMicros = fc.bigInt({ min: FIRST, max: LAST });

describe('reading an instant', () => {
  it.each([
    ['2011-01-04T00:00:00Z', '2011-01-04T00:00:00Z'],
    ['2011-01-04t00:00:00z', '2011-01-04T00:00:00Z'],
    ['2011-01-04 00:00:00Z', '2011-01-04T00:00:00Z'],
    ['2011-01-04T00:00Z', '2011-01-04T00:00:00Z'],
    ['2011-01-04T00:00:00.000000Z', '2011-01-04T00:00:00Z'],
    ['2011-01-04T00:00:00.500Z', '2011-01-04T00:00:00.5Z'],
    ['2011-01-04T00:00:00.000001Z', '2011-01-04T00:00:00.000001Z'],
    ['2011-01-04T00:00:00.000001000Z', '2011-01-04T00:00:00.000001Z'],
    ['2011-06-01T00:00:00+01:00', '2011-05-31T23:00:00Z'],
    ['2010-12-31T20:30:00-03:30', '2011-01-01T00:00:00Z'],
    ['2011-01-04T00:00:00-00:00', '2011-01-04T00:00:00Z'],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00Z'],
    ['9999-12-31T23:59:59.999999Z', '9999-12-31T23:59:59.999999Z'],
  ])('%s is %s', (text, canonical) => {
    expect(readInstant(text)).toEqual({ ok: true, value: canonical });
  });

  it.each([
    ['2011-01-04T00:00:00', 'AMBIGUOUS_TIME', /no offset/],
    ['2011-01-04', 'AMBIGUOUS_TIME', /a date, not an instant/],
    ['2011-02-29T00:00:00Z', 'INVALID_INPUT', /day that does not exist/],
    ['2011-00-01T00:00:00Z', 'INVALID_INPUT', /day that does not exist/],
    ['2011-01-04T24:00:00Z', 'INVALID_INPUT', /time of day/],
    ['2016-12-31T23:59:60Z', 'INVALID_INPUT', /time of day/],
    ['2011-01-04T00:00:00.0000001Z', 'INVALID_INPUT', /finer than a microsecond/],
    ['2011-01-04T00:00:00+24:00', 'INVALID_INPUT', /offset that does not exist/],
    ['2011-01-04T00:00:00+0100', 'INVALID_INPUT', /not an instant/],
    ['0000-01-01T00:00:00Z', 'INVALID_INPUT', /day that does not exist/],
    ['0001-01-01T00:00:00+01:00', 'INVALID_INPUT', /outside the years/],
    ['9999-12-31T23:59:59-01:00', 'INVALID_INPUT', /outside the years/],
    ['infinity', 'INVALID_INPUT', /not an instant/],
    ['2011-01-04T00:00:00Z\n', 'INVALID_INPUT', /not an instant/],
    ['٢٠١١-01-04T00:00:00Z', 'INVALID_INPUT', /not an instant/],
    ['', 'INVALID_INPUT', /not an instant/],
    [1_294_099_200, 'INVALID_INPUT', /a text/],
    [null, 'INVALID_INPUT', /a text/],
  ])('refuses %j as %s', (value, code, message) => {
    const read = readInstant(value);
    expect(read).toMatchObject({ ok: false, code });
    expect(read.ok ? '' : read.message).toMatch(message);
  });

  it('throws 422 at the pointer', () => {
    try {
      parseInstant('2011-01-04T00:00:00', '/range/from');
      expect.unreachable();
    } catch (error) {
      expect(error).toBeInstanceOf(Invalid);
      expect(error).toMatchObject({
        status: 422,
        code: 'AMBIGUOUS_TIME',
        issues: [{ pointer: '/range/from', code: 'AMBIGUOUS_TIME' }],
      });
    }
  });

  it('agrees with Temporal on every instant and offset', () => {
    fc.assert(
      fc.property(
        anyMicros,
        fc.integer({ min: -1079, max: 1079 }).filter((m) => m !== 0),
        (micros, minutes) => {
          const instant = instantOf(micros);
          const reference = Temporal.Instant.fromEpochNanoseconds(micros * 1000n);
          expect(instant).toBe(reference.toString());
          expect(microsOf(instant)).toBe(micros);
          expect(isInstant(instant)).toBe(true);
          const sign = minutes < 0 ? '-' : '+';
          const hh = String(Math.trunc(Math.abs(minutes) / 60)).padStart(2, '0');
          const mm = String(Math.abs(minutes) % 60).padStart(2, '0');
          const local = reference.toZonedDateTimeISO(`${sign}${hh}:${mm}`);
          if (local.year < 1 || local.year > 9999) return;
          const text = local.toString({ timeZoneName: 'never' });
          expect(readInstant(text)).toEqual({ ok: true, value: instant });
        },
      ),
    );
  });
});

describe('canonical instants', () => {
  it('compare as their microseconds do', () => {
    const near = fc
      .tuple(anyMicros, fc.bigInt({ min: -2_000_000n, max: 2_000_000n }))
      .filter(([a, d]) => a + d >= FIRST && a + d <= LAST);
    fc.assert(
      fc.property(near, ([a, delta]) => {
        const expected = delta > 0n ? -1 : delta < 0n ? 1 : 0;
        const left = instantOf(a);
        const right = addMicros(left, delta);
        expect(compareInstants(left, right)).toBe(expected);
        expect(isBefore(left, right)).toBe(expected < 0);
      }),
    );
  });

  it('put a fraction after its whole second', () => {
    const whole = '2011-01-04T00:00:00Z' as Instant;
    const later = '2011-01-04T00:00:00.5Z' as Instant;
    expect(compareInstants(whole, later)).toBe(-1);
    expect(compareInstants(later, '2011-01-04T00:00:00.500001Z' as Instant)).toBe(-1);
    expect(secondsOf(later)).toBe(secondsOf(whole));
    expect(addSeconds(later, -86_400)).toBe('2011-01-03T00:00:00.5Z');
  });

  it('are recognised, other spellings are not', () => {
    expect(isInstant('2011-01-04T00:00:00Z')).toBe(true);
    expect(isInstant('2011-01-04T00:00:00.50Z')).toBe(false);
    expect(isInstant('2011-01-04T00:00:00+00:00')).toBe(false);
    expect(isInstant('2011-02-30T00:00:00Z')).toBe(false);
  });

  it('end at the years 1 and 9999', () => {
    expect(() => instantOf(FIRST - 1n)).toThrow(RangeError);
    expect(() => instantOf(LAST + 1n)).toThrow(RangeError);
  });
});

describe('from PostgreSQL', () => {
  it.each([
    ['2011-01-04 00:00:00+00', '2011-01-04T00:00:00Z'],
    ['2011-01-04 00:00:00.5+00', '2011-01-04T00:00:00.5Z'],
    ['2011-01-04 00:00:00.000001+00', '2011-01-04T00:00:00.000001Z'],
    ['2011-06-01 00:30:00+05:30', '2011-05-31T19:00:00Z'],
    ['2010-12-31 20:30:00-03:30', '2011-01-01T00:00:00Z'],
    ['1850-01-01 00:53:28+00:53:28', '1850-01-01T00:00:00Z'],
    ['1850-01-01 00:00:00-00:53:28', '1850-01-01T00:53:28Z'],
  ])('%s is %s', (text, instant) => {
    expect(instantFromPostgres(text)).toBe(instant);
  });

  it.each(['infinity', '-infinity', '0044-03-15 00:00:00+00 BC', '10000-01-01 00:00:00+00', ''])(
    '%s has no canonical form',
    (text) => {
      expect(() => instantFromPostgres(text)).toThrow(RangeError);
    },
  );
});

describe('the schema', () => {
  it('canonicalises and names the code', () => {
    expect(instantSchema.parse('2011-06-01T00:00:00+01:00')).toBe('2011-05-31T23:00:00Z');
    const result = instantSchema.safeParse('2011-06-01T00:00:00');
    expect(result.error?.issues[0]).toMatchObject({ params: { code: 'AMBIGUOUS_TIME' } });
  });

  it('is a string with a format in the OpenAPI document', () => {
    expect(z.toJSONSchema(instantSchema, { io: 'input' })).toMatchObject({
      type: 'string',
      format: 'date-time',
    });
  });
});
