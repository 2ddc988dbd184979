import { INVALID, NOT_DETERMINISTIC, type ProblemCode } from '@/lib/transform/problem';
import {
  elementOf,
  isArray,
  isMoment,
  isNumber,
  typeLabel,
  type ValueType,
} from '@/lib/transform/value-type';

export interface Refusal {
  readonly code: ProblemCode;
  readonly message: string;
}

const PLAIN_TEXT: readonly ValueType[] = [
  'text',
  'boolean',
  'uuid',
  'integer',
  'bigint',
  'numeric',
];

/** Types whose text form depends on no setting. */
export function hasFixedText(type: ValueType): boolean {
  return PLAIN_TEXT.includes(type);
}

/** Casts between different types that are immutable, beside those among numbers. */
const IMMUTABLE: Readonly<Partial<Record<ValueType, readonly ValueType[]>>> = {
  text: ['integer', 'bigint', 'numeric', 'double precision', 'boolean', 'uuid', 'jsonb', 'bytea'],
  boolean: ['text', 'integer'],
  integer: ['text', 'boolean'],
  bigint: ['text'],
  numeric: ['text'],
  uuid: ['text'],
  jsonb: ['text', 'boolean', 'integer', 'bigint', 'numeric', 'double precision'],
  date: ['timestamp'],
  timestamp: ['date', 'time'],
  time: ['interval'],
};

/** Null where casting `from` to `to` is deterministic; literals are judged by their text instead. */
export function castRefusal(from: ValueType, to: ValueType): Refusal | null {
  if (from === to || from === 'error' || to === 'error' || from === 'unknown') return null;
  if (isNumber(from) && isNumber(to)) return null;
  if (isArray(from) || isArray(to)) return arrayRefusal(from, to);
  if (IMMUTABLE[from]?.includes(to)) return null;
  return { code: codeOf(from, to), message: messageOf(from, to) };
}

function arrayRefusal(from: ValueType, to: ValueType): Refusal | null {
  if (isArray(from) && isArray(to)) return castRefusal(elementOf(from), elementOf(to));
  return { code: INVALID, message: `${from} cannot be cast to ${to} here.` };
}

function codeOf(from: ValueType, to: ValueType): ProblemCode {
  const unstable = [from, to].some((type) => isMoment(type)) || from === 'double precision';
  return unstable || from === 'bytea' ? NOT_DETERMINISTIC : INVALID;
}

function messageOf(from: ValueType, to: ValueType): string {
  const cast = `A cast from ${typeLabel(from)} to ${typeLabel(to)}`;
  if (from === 'timestamptz' || to === 'timestamptz') {
    if (from !== 'text' && to !== 'text' && isMoment(from) && isMoment(to)) {
      return `${cast} depends on the session's time zone; name the zone: x at time zone 'Europe/London'.`;
    }
  }
  if (isMoment(to) && from === 'text') {
    return `${cast} reads words such as 'today' and depends on the session; ${instead(to)}.`;
  }
  if (isMoment(from)) {
    return `${cast} depends on the session's date style or time zone; take parts with extract().`;
  }
  if (from === 'double precision') {
    return `${cast} depends on a session setting; cast to numeric first.`;
  }
  if (from === 'bytea') return `${cast} depends on a session setting; use encode(x, 'hex').`;
  return `${cast} is not possible here.`;
}

function instead(to: ValueType): string {
  switch (to) {
    case 'date':
      return "use to_date(x, 'YYYY-MM-DD') or make_date()";
    case 'timestamptz':
      return 'use to_timestamp(x, \'YYYY-MM-DD"T"HH24:MI:SSTZH:TZM\')';
    case 'timestamp':
      return "use to_timestamp(x || ' +00', 'YYYY-MM-DD HH24:MI:SS TZH') at time zone 'UTC'";
    default:
      return 'use make_time() or make_interval()';
  }
}
