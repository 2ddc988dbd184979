import { utf8 } from '@/lib/digest/canonical';
import type { BaseType } from '@/lib/digest/column-type';
import { dateDays, instantMicros } from '@/lib/digest/instant-text';

const CANONICAL_NAN = Buffer.from('7ff8000000000000', 'hex');

/**
 * The canonical bytes of one value that is not NULL, from its text: the form that PostgreSQL
 * prints (ISO dates, `extra_float_digits` of at least 1), or RFC 3339 for instants. Throws a
 * RangeError when the text is no value of the type, so that a damaged export cannot pass as data.
 */
export function valueBytes(type: BaseType, text: string): Buffer {
  switch (type) {
    case 'text':
    case 'jsonb':
      return utf8(text);
    case 'integer':
      return integerBytes(type, text, 32);
    case 'bigint':
      return integerBytes(type, text, 64);
    case 'numeric':
      return utf8(numericText(text));
    case 'double precision':
      return doubleBytes(text);
    case 'boolean':
      return booleanBytes(text);
    case 'date':
      return int32(dateDays(text));
    case 'timestamptz':
      return int64(instantMicros(text));
    case 'uuid':
      return uuidBytes(text);
    default:
      return type satisfies never;
  }
}

function integerBytes(type: BaseType, text: string, bits: number): Buffer {
  if (!/^[+-]?\d+$/.test(text)) throw notA(type, text);
  const value = BigInt(text.replace(/^\+/, ''));
  if (BigInt.asIntN(bits, value) !== value) throw notA(type, text);
  return int64(value);
}

function int32(value: bigint): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(Number(value));
  return bytes;
}

function int64(value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64BE(value);
  return bytes;
}

/**
 * One text per numeric value: no exponent, no leading or trailing zeros (`1e3` is `1000`, `1.00`
 * is `1`, `-0.0` is `0`), or `NaN`, `Infinity`, `-Infinity`. This is PostgreSQL's
 * `trim_scale(x)::text`. The exponent is bounded by what PostgreSQL's numeric can hold.
 */
export function numericText(text: string): string {
  const special = /^(?:(nan)|([+-]?)inf(?:inity)?)$/i.exec(text);
  if (special) return special[1] ? 'NaN' : `${special[2] === '-' ? '-' : ''}Infinity`;
  const match = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,7}))?$/.exec(text);
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match ?? [];
  if (!match || whole + fraction === '') throw notA('numeric', text);
  const digits = whole + fraction;
  const point = whole.length + Number(exponent);
  if (point > 131_072 || digits.length - point > 16_383) throw notA('numeric', text);
  const padded = digits.padStart(digits.length - Math.min(point, 0), '0');
  const at = Math.max(point, 0);
  const integral = padded.slice(0, at).padEnd(at, '0').replace(/^0+/, '') || '0';
  const rest = padded.slice(at).replace(/0+$/, '');
  const magnitude = rest === '' ? integral : `${integral}.${rest}`;
  return sign === '-' && magnitude !== '0' ? `-${magnitude}` : magnitude;
}

function doubleBytes(text: string): Buffer {
  const value = doubleValue(text);
  if (Number.isNaN(value)) return CANONICAL_NAN;
  const bytes = Buffer.alloc(8);
  // Adding 0 turns -0 into 0: PostgreSQL holds the two equal, so they must have one encoding.
  bytes.writeDoubleBE(value + 0);
  return bytes;
}

function doubleValue(text: string): number {
  const special = /^(?:(nan)|([+-]?)inf(?:inity)?)$/i.exec(text);
  if (special) return special[1] ? Number.NaN : special[2] === '-' ? -Infinity : Infinity;
  if (!/^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(text)) throw notA('double precision', text);
  const value = Number(text);
  if (!Number.isFinite(value)) throw notA('double precision', text);
  return value;
}

function booleanBytes(text: string): Buffer {
  if (text === 't' || text === 'true') return Buffer.of(1);
  if (text === 'f' || text === 'false') return Buffer.of(0);
  throw notA('boolean', text);
}

function uuidBytes(text: string): Buffer {
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)) throw notA('uuid', text);
  return Buffer.from(text.replaceAll('-', ''), 'hex');
}

function notA(type: BaseType, text: string): RangeError {
  return new RangeError(`not a ${type}: ${JSON.stringify(text.slice(0, 80))}`);
}
