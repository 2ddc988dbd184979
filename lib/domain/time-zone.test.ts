import fc from 'fast-check';
import { Temporal } from 'temporal-polyfill';
import { describe, expect, it } from 'vitest';
import { offsetAt, offsetSpans, readZone } from './time-zone';

const at = (text: string) => Temporal.Instant.from(text).epochMilliseconds / 1000;

describe('zone names', () => {
  it.each([
    ['Europe/London', 'Europe/London'],
    ['europe/london', 'Europe/London'],
    ['utc', 'UTC'],
    ['America/Argentina/Buenos_Aires', 'America/Argentina/Buenos_Aires'],
    ['Etc/GMT+5', 'Etc/GMT+5'],
  ])('%s is %s', (text, name) => {
    expect(readZone(text)).toEqual({ ok: true, value: name });
  });

  it.each(['+01:00', '-08:00', 'Mars/Olympus', '', ' UTC', 'UTC\n', "x'; drop", 'a'.repeat(90), 7])(
    'refuses %j',
    (value) => {
      expect(readZone(value)).toMatchObject({ ok: false, code: 'INVALID_INPUT' });
    },
  );
});

describe('offset spans', () => {
  it('cut where the offset changes', () => {
    const spans = offsetSpans('Europe/Berlin', at('2025-01-01T00:00Z'), at('2026-01-01T00:00Z'));
    expect(spans.map((s) => s.offset)).toEqual([3600, 7200, 3600]);
    expect(spans[1]).toEqual({
      start: at('2025-03-30T01:00Z'),
      end: at('2025-10-26T01:00Z'),
      offset: 7200,
    });
  });

  it('are as good far ahead and in zones that no longer change', () => {
    expect(offsetAt('Europe/Berlin', at('2199-07-01T00:00Z'))).toBe(7200);
    expect(offsetAt('America/Sao_Paulo', at('2150-01-01T00:00Z'))).toBe(-10_800);
    expect(offsetSpans('UTC', at('1900-01-01T00:00Z'), at('2200-01-01T00:00Z'))).toSatisfy(
      (spans: { offset: number }[]) => spans.every((s) => s.offset === 0),
    );
  });

  it('follow one another without a gap, with the offset that Temporal has', () => {
    const zones = fc.constantFrom('Australia/Lord_Howe', 'Africa/Casablanca', 'Asia/Gaza', 'UTC');
    const first = at('1900-01-01T00:00Z');
    const last = at('2199-01-01T00:00Z');
    fc.assert(
      fc.property(
        zones,
        fc.integer({ min: first, max: last }),
        fc.integer({ min: 1, max: 400_000_000 }),
        (zone, from, length) => {
          const spans = offsetSpans(zone, from, from + length);
          expect(spans[0]?.start).toBeLessThanOrEqual(from);
          expect(spans.at(-1)?.end).toBeGreaterThanOrEqual(from + length);
          spans.forEach((span, i) => {
            if (i > 0) expect(span.start).toBe(spans[i - 1]?.end);
            for (const second of [span.start, span.end - 1]) {
              const zdt = Temporal.Instant.fromEpochMilliseconds(second * 1000);
              const offset = zdt.toZonedDateTimeISO(zone).offsetNanoseconds / 1e9;
              expect(span.offset).toBe(offset);
            }
          });
        },
      ),
      { numRuns: 60 },
    );
  });
});
