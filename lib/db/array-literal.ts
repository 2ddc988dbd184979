/** A value of an array, as text; null is NULL. */
type Element = string | number | bigint | boolean | null;

/** Writes a one-dimensional array in PostgreSQL's text form; every element but NULL is quoted. */
export function writeArray(values: readonly Element[]): string {
  const elements = values.map((value) =>
    value === null ? 'NULL' : `"${String(value).replace(/["\\]/g, '\\$&')}"`,
  );
  return `{${elements.join(',')}}`;
}

/**
 * Reads an array in PostgreSQL's text form, nested to any depth.
 *
 * postgres.js has a parser of its own, which gives NULL elements as the string `NULL`, or worse, as
 * what their type makes of it (`false`, NaN).
 *
 * @param element reads one element's text; never called for NULL
 */
export function readArray<T>(literal: string, element: (text: string) => T): unknown[] {
  // A lower bound other than 1 is written in front: `[0:1]={1,2}`.
  let at = literal.indexOf('{');
  const stack: unknown[][] = [[]];
  const top = () => stack[stack.length - 1] as unknown[];
  for (; at < literal.length; ) {
    const char = literal[at];
    if (char === '{') {
      const inner: unknown[] = [];
      top().push(inner);
      stack.push(inner);
      at += 1;
    } else if (char === '}') {
      stack.pop();
      at += 1;
    } else if (char === ',') {
      at += 1;
    } else if (char === '"') {
      const end = closingQuote(literal, at + 1);
      top().push(element(literal.slice(at + 1, end).replace(/\\(.)/gs, '$1')));
      at = end + 1;
    } else {
      const end = literal.slice(at).search(/[,}]/) + at;
      const text = literal.slice(at, end);
      top().push(text === 'NULL' ? null : element(text));
      at = end;
    }
  }
  return stack[0]?.[0] as unknown[];
}

function closingQuote(literal: string, from: number): number {
  let at = from;
  while (literal[at] !== '"') at += literal[at] === '\\' ? 2 : 1;
  return at;
}
