import { hasFixedText, type Refusal } from '@/lib/transform/cast';
import { isClockInterval, literalProblem } from '@/lib/transform/literal';
import { INVALID, NOT_DETERMINISTIC } from '@/lib/transform/problem';
import {
  isArray,
  isMoment,
  isNumber,
  type Typed,
  typeLabel,
  type ValueType,
  widest,
} from '@/lib/transform/value-type';

/** The type of a result, or why the operands cannot stand together. `at` is where to say so. */
export type Outcome =
  | { readonly type: ValueType }
  | { readonly refusal: Refusal; readonly at?: number | undefined };

const yields = (type: ValueType): Outcome => ({ type });
const refuse = (code: Refusal['code'], message: string, at?: number): Outcome => ({
  refusal: { code, message },
  at,
});

/**
 * The common type of values that stand in one place: branches of CASE, arguments of coalesce, the
 * two sides of a comparison. Bare literals take that type, so they must be fixed for it; what
 * PostgreSQL would convert through the session's time zone is refused.
 */
export function unify(values: readonly Typed[]): Outcome {
  let common: ValueType = 'unknown';
  for (const { type, at } of values) {
    if (type === 'error') return yields('error');
    if (type === 'unknown' || type === common) continue;
    if (common === 'unknown') common = type;
    else if (isNumber(common) && isNumber(type)) common = widest(common, type);
    else if (isDay(common) && isDay(type)) common = 'timestamp';
    else return mismatch(common, type, at);
  }
  if (common === 'unknown') return yields('text');
  for (const { literal, at } of values) {
    const problem = literal === null ? null : literalProblem(common, literal);
    if (problem !== null) return refuse(NOT_DETERMINISTIC, problem, at);
    if (literal !== null && isArray(common)) {
      const note = 'Write array[…] instead of a literal here.';
      return refuse(INVALID, note, at);
    }
  }
  return yields(common);
}

function isDay(type: ValueType): boolean {
  return type === 'date' || type === 'timestamp';
}

function mismatch(a: ValueType, b: ValueType, at: number | undefined): Outcome {
  const pair = `${a} and ${b}`;
  if ((isDay(a) && b === 'timestamptz') || (a === 'timestamptz' && isDay(b))) {
    return refuse(
      NOT_DETERMINISTIC,
      `${pair} meet in the session's time zone; name the zone: x at time zone 'Europe/London'.`,
      at,
    );
  }
  return refuse(INVALID, `${pair} do not fit together here; cast one of them.`, at);
}

const COMPARISONS = ['=', '<>', '<', '<=', '>', '>='];
const MATCHES = ['~', '~*', '!~', '!~*', '~~', '!~~', '~~*', '!~~*', '^@'];

/** An operator between two values. */
export function binary(operator: string, left: Typed, right: Typed): Outcome {
  if (left.type === 'error' || right.type === 'error') return yields('error');
  if (COMPARISONS.includes(operator)) {
    const both = unify([left, right]);
    return 'type' in both ? yields(both.type === 'error' ? 'error' : 'boolean') : both;
  }
  if (MATCHES.includes(operator) && isText(left) && isText(right)) return yields('boolean');
  const outcome =
    arithmetic(operator, left, right) ??
    moments(operator, left, right) ??
    concatenation(operator, left, right) ??
    json(operator, left, right);
  return outcome ?? unsupported(operator, left, right);
}

/** An operator before a value. */
export function prefix(operator: string, value: Typed): Outcome {
  if (value.type === 'error') return yields('error');
  if (isNumber(value.type)) {
    if (['+', '-', '@'].includes(operator)) return yields(value.type);
    if (['|/', '||/'].includes(operator)) return yields('double precision');
    if (operator === '~' && isWhole(value.type)) return yields(value.type);
  }
  if (operator === '-' && value.type === 'interval') return yields('interval');
  return unsupported(operator, null, value);
}

function unsupported(operator: string, left: Typed | null, right: Typed): Outcome {
  const types = [left, right].filter((side) => side !== null).map(({ type }) => typeLabel(type));
  const unstable = [left, right].some((side) => side !== null && isMoment(side.type));
  return refuse(
    unstable ? NOT_DETERMINISTIC : INVALID,
    `The operator ${operator} on ${types.join(' and ')} is not among those that are allowed.`,
  );
}

function isText({ type }: Typed): boolean {
  return type === 'text' || type === 'unknown';
}

function isWhole(type: ValueType): boolean {
  return type === 'integer' || type === 'bigint';
}

function arithmetic(operator: string, left: Typed, right: Typed): Outcome | null {
  const sides = [left.type, right.type];
  const numbers = sides.filter(isNumber);
  if (numbers.length === 0 || !sides.every((type) => isNumber(type) || type === 'unknown')) {
    return null;
  }
  const type = numbers.reduce(widest);
  if (['+', '-', '*', '/', '%'].includes(operator)) return yields(type);
  if (operator === '^') return yields(type === 'numeric' ? 'numeric' : 'double precision');
  if (['&', '|', '#', '<<', '>>'].includes(operator) && numbers.every(isWhole)) return yields(type);
  return null;
}

/** Arithmetic of dates and times that no time zone takes part in. */
function moments(operator: string, left: Typed, right: Typed): Outcome | null {
  if (operator === '+' && isMoment(right.type) && !isMoment(left.type)) {
    return moments(operator, right, left);
  }
  const form = `${left.type} ${operator} ${right.type}`;
  const fixed = MOMENT_FORMS[form];
  if (fixed !== undefined) return yields(fixed);
  if (/^(timestamptz [+-] interval|interval \+ timestamptz)$/.test(form)) {
    const interval = left.type === 'interval' ? left : right;
    if (interval.literal !== null && isClockInterval(interval.literal))
      return yields('timestamptz');
    return refuse(
      NOT_DETERMINISTIC,
      "An instant moved by days depends on the session's time zone; name it: " +
        "date_add(x, interval '1 day', 'Europe/London').",
    );
  }
  const factor = left.type === 'interval' ? right.type : left.type;
  if (/interval/.test(form) && isNumber(factor) && ['*', '/'].includes(operator)) {
    return operator === '/' && left.type !== 'interval' ? null : yields('interval');
  }
  return null;
}

const MOMENT_FORMS: Readonly<Partial<Record<string, ValueType>>> = {
  'date + integer': 'date',
  'date - integer': 'date',
  'date - date': 'integer',
  'date + interval': 'timestamp',
  'date - interval': 'timestamp',
  'interval + date': 'timestamp',
  'date + time': 'timestamp',
  'time + date': 'timestamp',
  'timestamp + interval': 'timestamp',
  'timestamp - interval': 'timestamp',
  'interval + timestamp': 'timestamp',
  'timestamp - timestamp': 'interval',
  'timestamptz - timestamptz': 'interval',
  'interval + interval': 'interval',
  'interval - interval': 'interval',
  'time - time': 'interval',
  'time + interval': 'time',
  'time - interval': 'time',
};

function concatenation(operator: string, left: Typed, right: Typed): Outcome | null {
  if (operator !== '||') return null;
  const types = [left.type, right.type];
  if (types.every((type) => type === 'jsonb' || type === 'unknown') && types.includes('jsonb')) {
    return yields('jsonb');
  }
  if (left.type === right.type && (isArray(left.type) || left.type === 'bytea')) {
    return yields(left.type);
  }
  const textual = types.every((type) => type === 'unknown' || hasFixedText(type));
  if (textual && types.some((type) => type === 'text' || type === 'unknown')) return yields('text');
  const unfit = [left, right].find(({ type }) => isMoment(type) || type === 'double precision');
  if (unfit === undefined) return null;
  return refuse(
    NOT_DETERMINISTIC,
    `The text of a ${unfit.type} depends on session settings; make it from its parts.`,
    unfit.at,
  );
}

const JSON_FORMS: Readonly<Record<string, ValueType>> = {
  '->': 'jsonb',
  '->>': 'text',
  '#>': 'jsonb',
  '#>>': 'text',
  '?': 'boolean',
  '?|': 'boolean',
  '?&': 'boolean',
  '@>': 'boolean',
  '<@': 'boolean',
  '-': 'jsonb',
  '#-': 'jsonb',
};

function json(operator: string, left: Typed, right: Typed): Outcome | null {
  if (left.type !== 'jsonb' || !Object.hasOwn(JSON_FORMS, operator)) return null;
  const key: readonly ValueType[] = ['text', 'integer', 'unknown', 'text[]', 'jsonb'];
  const type = JSON_FORMS[operator];
  return key.includes(right.type) && type !== undefined ? yields(type) : null;
}
