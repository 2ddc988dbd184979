import type { ValueType } from '@/lib/transform/value-type';

const DAY = String.raw`\d{4}-\d{2}-\d{2}`;
const CLOCK = String.raw`\d{2}:\d{2}(:\d{2}(\.\d{1,6})?)?`;
const OFFSET = String.raw`(Z|[+-]\d{2}(:?\d{2})?)`;
const ZONE = '(UTC|[A-Z][A-Za-z_]+(/[A-Za-z0-9_+-]+)+)';
const UNIT = '(microsecond|millisecond|second|minute|hour|day|week|month|year|decade|century)';
const CLOCK_UNIT = '(microsecond|millisecond|second|minute|hour)';

/**
 * Literals that mean the same at every time and under every setting: complete dates and times in
 * ISO form, instants with an offset or a named zone, intervals of positive whole units. The special
 * words (`today`, `now`, …) and forms that DateStyle or TimeZone decide are not among them.
 */
const FIXED: Readonly<Partial<Record<ValueType, RegExp>>> = {
  date: new RegExp(`^(${DAY}|-?infinity)$`),
  timestamp: new RegExp(`^(${DAY}([ T]${CLOCK})?|-?infinity)$`),
  timestamptz: new RegExp(`^(${DAY}[ T]${CLOCK}( ?${OFFSET}| ${ZONE})|-?infinity)$`),
  time: new RegExp(`^${CLOCK}$`),
  interval: new RegExp(`^\\d+ ${UNIT}s?( \\d+ ${UNIT}s?)*$|^${CLOCK}$`),
};

const EXAMPLE: Readonly<Partial<Record<ValueType, string>>> = {
  date: "date '2011-01-04'",
  timestamp: "timestamp '2011-01-04 00:00:00'",
  timestamptz: "timestamptz '2011-01-04T00:00:00Z'",
  time: "time '08:30:00'",
  interval: "interval '90 minutes'",
};

/** Null where the literal is fixed for the type; else a sentence that says what to write. */
export function literalProblem(type: ValueType, literal: string): string | null {
  const fixed = FIXED[type];
  if (fixed === undefined || fixed.test(literal)) return null;
  const what = type === 'timestamptz' ? 'complete, with an offset' : 'complete';
  return (
    `The literal '${literal}' as ${type} can change with the clock or the session; ` +
    `write it ${what}: ${EXAMPLE[type]}.`
  );
}

/** Whether an interval literal has no days or longer, so that no time zone can matter to it. */
export function isClockInterval(literal: string): boolean {
  return new RegExp(`^(\\d+ ${CLOCK_UNIT}s?( \\d+ ${CLOCK_UNIT}s?)*|${CLOCK})$`).test(literal);
}

/**
 * Whether a time zone is named so that no abbreviation table is asked: `UTC` or `Area/City`.
 * PostgreSQL looks abbreviations (`EST`, `IST`) up in the session's own zone first.
 */
export function isZoneName(literal: string): boolean {
  return new RegExp(`^${ZONE}$`).test(literal);
}
