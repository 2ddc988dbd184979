/**
 * JSON whose numbers are kept as written: `JSON.parse` turns 0.1000000000000000055 and
 * 9007199254740993 into other numbers without a word, and money must not change on its way in.
 */
export class JsonNumber {
  constructor(readonly text: string) {}
}

export type ExactJson =
  | null
  | boolean
  | string
  | JsonNumber
  | ExactJson[]
  | { [name: string]: ExactJson };

/** Strings, and numbers as JSON spells them; everything else of JSON is punctuation and names. */
const TOKENS = /"(?:[^"\\]|\\.)*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/**
 * Reads one JSON text.
 *
 * @throws SyntaxError where it is none
 */
export function parseExact(text: string): ExactJson {
  // Every string, names too, gets an `s` before it and every number becomes a string behind `n`:
  // JSON.parse then still judges the grammar, and nothing can be mistaken for the other.
  const tagged = text.replace(TOKENS, (token) =>
    token.startsWith('"') ? `"s${token.slice(1)}` : `"n${token}"`,
  );
  let parsed: unknown;
  try {
    parsed = JSON.parse(tagged);
  } catch {
    // The message of the original names the right column.
    JSON.parse(text);
    throw new SyntaxError('not a JSON value');
  }
  return untag(parsed);
}

function untag(value: unknown): ExactJson {
  if (typeof value === 'string') {
    return value.startsWith('s') ? value.slice(1) : new JsonNumber(value.slice(1));
  }
  if (Array.isArray(value)) return value.map(untag);
  if (typeof value !== 'object' || value === null) return value as boolean | null;
  const object: { [name: string]: ExactJson } = Object.create(null);
  for (const [name, member] of Object.entries(value)) {
    // `{1: 2}` is no JSON, but its tagged form is.
    if (!name.startsWith('s')) throw new SyntaxError('a name of an object must be a string');
    object[name.slice(1)] = untag(member);
  }
  return object;
}
