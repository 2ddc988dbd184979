import { isObject, pointerOf } from '@/lib/domain/json';
import { Invalid } from '@/lib/domain/refusal';
import { faultOfText, maxDepth } from '@/lib/web/api/json-text';

/** Values in one input, at most: far more than any form of ours has. */
const maxValues = 100_000;

/**
 * A server action's argument is whatever React's protocol can say: maps, files, numbers of any
 * size, objects within themselves. Ours take what JSON can say, and hold what PostgreSQL can.
 *
 * @throws Invalid with the JSON pointer of the fault
 */
export function requirePlain(input: unknown): void {
  let left = maxValues;
  const refuse = (message: string, path: readonly (string | number)[]) =>
    new Invalid({ pointer: pointerOf(path), code: 'INVALID_INPUT', message });
  const checkText = (text: string, path: readonly (string | number)[]) => {
    const why = faultOfText(text);
    if (why) throw refuse(`The text holds ${why}.`, path);
  };
  const check = (value: unknown, path: readonly (string | number)[]): void => {
    left -= 1;
    if (left < 0) throw refuse(`The input holds more than ${maxValues} values.`, []);
    if (path.length > maxDepth) throw refuse(`It is nested deeper than ${maxDepth} levels.`, []);
    if (typeof value === 'string') checkText(value, path);
    else if (Array.isArray(value)) {
      value.forEach((item, index) => {
        check(item, [...path, index]);
      });
    } else if (isPlainObject(value)) {
      for (const [name, item] of Object.entries(value)) {
        checkText(name, path);
        check(item, [...path, name]);
      }
    } else if (!['undefined', 'boolean', 'number'].includes(typeof value) && value !== null) {
      throw refuse('This is no value of JSON.', path);
    }
  };
  check(input, []);
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (!isObject(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
