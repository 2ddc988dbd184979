import { JsonNumber, parseExact } from '@/lib/cli/import/exact-json';

/** A line that is not what its format says; the message names what of it. */
export class BrokenLine extends Error {
  override readonly name = 'BrokenLine';
}

/**
 * Reads `{"order_id": string, "dt": date, "amount": integer, "status": "paid" | "refund"}`; other
 * members are ignored.
 *
 * @param dt the partition that the line stands in
 * @returns the amount, exactly
 * @throws BrokenLine
 */
export function amountOf(line: string, dt: string): bigint {
  const order = objectOf(line);
  if (typeof order.order_id !== 'string') throw new BrokenLine('order_id must be a string');
  if (order.dt !== dt) {
    throw new BrokenLine(`dt must be "${dt}", as the partition is, not ${shown(order.dt)}`);
  }
  const amount = integerOf(order.amount);
  if (order.status !== 'paid' && order.status !== 'refund') {
    throw new BrokenLine(`status must be "paid" or "refund", not ${shown(order.status)}`);
  }
  if (order.status === 'refund' && amount >= 0n) {
    throw new BrokenLine(`the amount of a refund must be negative, not ${amount}`);
  }
  return amount;
}

function objectOf(line: string): { [name: string]: unknown } {
  let value: unknown;
  try {
    value = parseExact(line);
  } catch (error) {
    throw new BrokenLine(`not JSON: ${error instanceof Error ? error.message : error}`);
  }
  if (
    typeof value !== 'object' ||
    value === null ||
    Array.isArray(value) ||
    value instanceof JsonNumber
  ) {
    throw new BrokenLine(`must be a JSON object, not ${shown(value)}`);
  }
  const twice = repeatedName(line);
  if (twice !== null) throw new BrokenLine(`${JSON.stringify(twice)} stands in it twice`);
  return value as { [name: string]: unknown };
}

/** A line has to say one thing: of two members with one name JSON.parse takes the last. */
function repeatedName(line: string): string | null {
  const names = new Set<string>();
  let depth = 0;
  for (const [token] of line.matchAll(/"(?:[^"\\]|\\.)*"(?:\s*:)?|[{}[\]]/g)) {
    if (token === '{' || token === '[') depth += 1;
    else if (token === '}' || token === ']') depth -= 1;
    else if (depth === 1 && token.endsWith(':')) {
      const name: string = JSON.parse(token.slice(0, -1));
      if (names.has(name)) return name;
      names.add(name);
    }
  }
  return null;
}

function integerOf(value: unknown): bigint {
  // 1.0 and 1e3 are written as what they may not be, whatever they are worth.
  if (value instanceof JsonNumber && /^-?\d+$/.test(value.text)) return BigInt(value.text);
  throw new BrokenLine(`amount must be an integer, not ${shown(value)}`);
}

function shown(value: unknown): string {
  if (value === undefined) return 'left out';
  if (value instanceof JsonNumber) return value.text;
  const text = typeof value === 'object' && value !== null ? 'an object or array' : String(value);
  return typeof value === 'string' ? JSON.stringify(value) : text;
}
