/**
 * Exact decimal arithmetic on the texts that PostgreSQL's `numeric` is written in. No float ever
 * stands between: 12345678901234567.89 and …67.90 are different numbers. NaN and ±Infinity are
 * read as PostgreSQL writes them and order as it orders them: NaN equals itself and is greatest.
 */

export type Decimal = { digits: bigint; scale: number };

const FORM = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,6}))?$/;
/** PostgreSQL's own bounds of an unconstrained numeric. */
const MOST_INTEGER_DIGITS = 131_072;
const MOST_FRACTION_DIGITS = 16_383;

/**
 * Reads a finite decimal, with or without exponent (`-12.50`, `1e-7`), as digits × 10^−scale with
 * the scale as written. Null for anything else and for what PostgreSQL could not hold.
 */
export function readDecimal(text: string): Decimal | null {
  const match = FORM.exec(text);
  if (match === null) return null;
  const [, sign, whole = '', fraction = '', exponent = '0'] = match;
  if (whole === '' && fraction === '') return null;
  const power = Number(exponent);
  const scale = Math.max(0, fraction.length - power);
  const zeros = Math.max(0, power - fraction.length);
  if (scale > MOST_FRACTION_DIGITS || whole.length + Math.max(0, power) > MOST_INTEGER_DIGITS) {
    return null;
  }
  const digits = BigInt(`${whole}${fraction}${'0'.repeat(zeros)}`);
  return { digits: sign === '-' ? -digits : digits, scale };
}

/** Plain text of a decimal with exactly its scale; zero has no sign. */
export function decimalText({ digits, scale }: Decimal): string {
  const negative = digits < 0n;
  const text = String(negative ? -digits : digits).padStart(scale + 1, '0');
  const whole = text.slice(0, text.length - scale);
  const body = scale === 0 ? whole : `${whole}.${text.slice(text.length - scale)}`;
  return negative ? `-${body}` : body;
}

/** The same number without trailing zeros of its fraction: equal numbers have equal texts. */
export function shortest(value: Decimal): Decimal {
  let { digits, scale } = value;
  if (digits === 0n) return { digits, scale: 0 };
  while (scale > 0 && digits % 10n === 0n) {
    digits /= 10n;
    scale -= 1;
  }
  return { digits, scale };
}

/** The same number written with so many decimals; null where that would need rounding. */
export function withScale(value: Decimal, scale: number): Decimal | null {
  const short = shortest(value);
  if (short.scale > scale) return null;
  return { digits: short.digits * 10n ** BigInt(scale - short.scale), scale };
}

/** Digits before the decimal point, without leading zeros; 0 for numbers below 1. */
export function integerDigits({ digits, scale }: Decimal): number {
  const length = String(digits < 0n ? -digits : digits).length;
  return digits === 0n ? 0 : Math.max(0, length - scale);
}

function aligned(a: Decimal, b: Decimal): [bigint, bigint, number] {
  const scale = Math.max(a.scale, b.scale);
  return [
    a.digits * 10n ** BigInt(scale - a.scale),
    b.digits * 10n ** BigInt(scale - b.scale),
    scale,
  ];
}

type Special = 'NaN' | 'Infinity' | '-Infinity';

function readNumeric(text: string): Decimal | Special {
  if (text === 'NaN' || text === 'Infinity' || text === '-Infinity') return text;
  const value = readDecimal(text);
  if (value === null) throw new RangeError(`not a decimal number: ${text.slice(0, 60)}`);
  return value;
}

function isSpecial(value: Decimal | Special): value is Special {
  return typeof value === 'string';
}

function rank(value: Decimal | Special): number {
  if (value === 'NaN') return 2;
  return value === 'Infinity' ? 1 : value === '-Infinity' ? -1 : 0;
}

/** −1, 0 or 1 for two numerics as text. Throws RangeError for anything that is none. */
export function compareDecimals(a: string, b: string): -1 | 0 | 1 {
  const left = readNumeric(a);
  const right = readNumeric(b);
  if (isSpecial(left) || isSpecial(right)) {
    return Math.sign(rank(left) - rank(right)) as -1 | 0 | 1;
  }
  const [x, y] = aligned(left, right);
  return x < y ? -1 : x > y ? 1 : 0;
}

/** The exact sum, with the larger of the two scales, as PostgreSQL adds. */
export function addDecimals(a: string, b: string): string {
  const left = readNumeric(a);
  const right = readNumeric(b);
  if (isSpecial(left) || isSpecial(right)) {
    if (!isSpecial(left)) return right as Special;
    if (!isSpecial(right) || left === right) return left;
    return 'NaN';
  }
  const [x, y, scale] = aligned(left, right);
  return decimalText({ digits: x + y, scale });
}

export function negateDecimal(text: string): string {
  const value = readNumeric(text);
  if (value === 'NaN') return value;
  if (isSpecial(value)) return value === 'Infinity' ? '-Infinity' : 'Infinity';
  return decimalText({ digits: -value.digits, scale: value.scale });
}

/** `a − b`, exact. */
export function subtractDecimals(a: string, b: string): string {
  return addDecimals(a, negateDecimal(b));
}

export function isZeroDecimal(text: string): boolean {
  const value = readNumeric(text);
  return !isSpecial(value) && value.digits === 0n;
}

/** The exact sum of many; `0` of none. */
export function sumDecimals(texts: Iterable<string>): string {
  let sum = '0';
  for (const text of texts) sum = addDecimals(sum, text);
  return sum;
}
