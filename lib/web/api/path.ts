/** Nothing of ours has a longer name; what has would not fit an index. */
const maxNameLength = 300;

/**
 * The names in a concrete path, by its template: `/releases/{release}/plan`. Null where it does not
 * fit, or where a name is not well-formed text.
 */
export function matchPath(template: string, path: string): Record<string, string> | null {
  const wanted = template.split('/');
  const given = path.replace(/\/$/, '').split('/');
  if (wanted.length !== given.length) return null;
  const params: Record<string, string> = {};
  for (const [i, piece] of wanted.entries()) {
    const text = given[i] ?? '';
    const name = /^\{(\w+)\}$/.exec(piece)?.[1];
    if (name === undefined) {
      if (piece !== text) return null;
      continue;
    }
    const value = decode(text);
    if (value === null || value === '') return null;
    params[name] = value;
  }
  return params;
}

function decode(text: string): string | null {
  try {
    const value = decodeURIComponent(text);
    return value.includes('\0') || value.length > maxNameLength ? null : value;
  } catch {
    return null;
  }
}
