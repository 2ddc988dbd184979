import { pointerOf } from '@/lib/domain/json';
import { Invalid } from '@/lib/domain/refusal';

/** Objects and lists within each other, at most. Deeper JSON is only ever made to exhaust a stack. */
export const maxDepth = 64;

/**
 * Reads JSON, and refuses what JavaScript or PostgreSQL would change or choke on without a word:
 * numbers that a double does not hold exactly (`9007199254740993`, `12345678901234567.89`), NUL
 * characters and lone surrogates, a member that an object has twice, and nesting deeper than
 * `maxDepth`.
 *
 * @throws Invalid with the JSON pointer of the fault
 */
export function parseJson(text: string): unknown {
  checkStructure(text);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new Invalid({
      pointer: '',
      code: 'INVALID_INPUT',
      message: `The body is not JSON: ${syntaxOf(error)}`,
    });
  }
  // a lone surrogate or a NUL can only come in through an escape
  if (text.includes('\\u')) checkStrings(value, []);
  return value;
}

/** The parser's reason without the excerpt of the body that it quotes. */
function syntaxOf(error: unknown): string {
  const message = error instanceof Error ? error.message : '';
  const position = /at position (\d+)/.exec(message)?.[1];
  return position === undefined
    ? 'it ends too early or has no value.'
    : `see position ${position}.`;
}

const number = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

/**
 * One walk over the text, before anything is built from it: depth, every number's digits, and that
 * no object has a member twice, of which all but one would be lost.
 */
function checkStructure(text: string): void {
  /** The members so far of each object around; null for a list. */
  const around: (Set<string> | null)[] = [];
  let members: Set<string> | null = null;
  let atName = false;
  for (let at = 0; at < text.length; at++) {
    const c = text.charCodeAt(at);
    if (c === 0x22) {
      const end = endOfString(text, at);
      if (atName && members !== null) requireNew(members, text, at, end);
      atName = false;
      at = end;
    } else if (c === 0x7b || c === 0x5b) {
      members = c === 0x7b ? new Set() : null;
      atName = members !== null;
      around.push(members);
      if (around.length > maxDepth) throw tooDeep();
    } else if (c === 0x7d || c === 0x5d) {
      around.pop();
      members = around.at(-1) ?? null;
      atName = false;
    } else if (c === 0x2c) {
      atName = members !== null;
    } else if (c === 0x2d || (c >= 0x30 && c <= 0x39)) {
      number.lastIndex = at;
      const written = number.exec(text)?.[0];
      if (written === undefined) continue;
      if (!isExact(written)) throw inexact(written, pointerAt(text, at));
      at += written.length - 1;
    }
  }
}

/** @throws Invalid where the object has a member of the name that is written there */
function requireNew(members: Set<string>, text: string, from: number, end: number): void {
  const written = text.slice(from + 1, end);
  const name = written.includes('\\') ? unescaped(written) : written;
  if (!members.has(name)) {
    members.add(name);
    return;
  }
  throw new Invalid({
    pointer: pointerAt(text, end + 1),
    code: 'INVALID_INPUT',
    message: 'The field is given twice.',
  });
}

/** A name as it is meant; one that is no JSON is left for the parser to refuse. */
function unescaped(written: string): string {
  try {
    return JSON.parse(`"${written}"`) as string;
  } catch {
    return written;
  }
}

function endOfString(text: string, from: number): number {
  let end = text.indexOf('"', from + 1);
  while (end !== -1) {
    let slashes = 0;
    while (text.charCodeAt(end - 1 - slashes) === 0x5c) slashes += 1;
    if (slashes % 2 === 0) return end;
    end = text.indexOf('"', end + 1);
  }
  return text.length;
}

/** True where reading the number as a double, and writing it again, keeps its value. */
function isExact(written: string): boolean {
  if (written.length <= 15 && !/[eE]/.test(written)) return true;
  const value = Number(written);
  if (!Number.isFinite(value) || Math.abs(value) > Number.MAX_SAFE_INTEGER) return false;
  return decimal(written) === decimal(String(value));
}

/** Digits without zeros at either end, and the power of ten of the first one: equal iff equal. */
function decimal(written: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(written) ?? [];
  const digits = whole + fraction;
  const significant = digits.replace(/^0+/, '').replace(/0+$/, '');
  if (significant === '') return '0';
  const leading = digits.length - digits.replace(/^0+/, '').length;
  return `${sign}${significant}e${whole.length - leading + Number(exponent)}`;
}

function tooDeep(): Invalid {
  return new Invalid({
    pointer: '',
    code: 'INVALID_INPUT',
    message: `The body is nested deeper than ${maxDepth} levels.`,
  });
}

function inexact(written: string, pointer: string): Invalid {
  const shown = written.length > 40 ? `${written.slice(0, 40)}…` : written;
  return new Invalid({
    pointer,
    code: 'INVALID_INPUT',
    message: `The number ${shown} would not be read exactly; write it as a string.`,
  });
}

/** The JSON pointer of the value that begins at `target`; only walked to say where a fault is. */
function pointerAt(text: string, target: number): string {
  const path: (string | number)[] = [];
  for (let at = 0; at < target; at++) {
    const c = text[at];
    if (c === '{' || c === '[') path.push(c === '[' ? 0 : '');
    else if (c === '}' || c === ']') path.pop();
    else if (c === ',') {
      const last = path.at(-1);
      if (typeof last === 'number') path[path.length - 1] = last + 1;
    } else if (c === '"') {
      const end = endOfString(text, at);
      if (typeof path.at(-1) === 'string' && /^\s*:/.test(text.slice(end + 1, end + 32))) {
        path[path.length - 1] = unescaped(text.slice(at + 1, end));
      }
      at = end;
    }
  }
  return pointerOf(path);
}

function checkStrings(value: unknown, path: (string | number)[]): void {
  if (typeof value === 'string') {
    const why = faultOfText(value);
    if (why) throw badText(why, path);
  } else if (Array.isArray(value)) {
    value.forEach((item, index) => {
      checkStrings(item, [...path, index]);
    });
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, item] of Object.entries(value)) {
      const why = faultOfText(name);
      if (why) throw badText(why, path);
      checkStrings(item, [...path, name]);
    }
  }
}

/** Why PostgreSQL would not hold a text, or null. */
export function faultOfText(text: string): string | null {
  if (text.includes('\0')) return 'a NUL character';
  return /\p{Surrogate}/u.test(text) ? 'half of a surrogate pair' : null;
}

function badText(why: string, path: (string | number)[]): Invalid {
  return new Invalid({
    pointer: pointerOf(path),
    code: 'INVALID_INPUT',
    message: `The text holds ${why}.`,
  });
}
