export type Json =
  | string
  | number
  | bigint
  | boolean
  | readonly Json[]
  | { readonly [name: string]: Json };

/** JSON with bigints in full: `JSON.stringify` refuses them, and a number would round them. */
export function jsonText(value: Json): string {
  if (typeof value === 'bigint') return String(value);
  if (Array.isArray(value)) return `[${value.map(jsonText).join(', ')}]`;
  if (typeof value === 'object') {
    const members = Object.entries(value).map(
      ([name, member]) => `${JSON.stringify(name)}: ${jsonText(member)}`,
    );
    return `{${members.join(', ')}}`;
  }
  return JSON.stringify(value);
}
