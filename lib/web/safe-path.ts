/**
 * A path on this site to go to after signing in; `/` for anything that is not one. Browsers read
 * `//host` and `/\host` as another site, and drop tabs and newlines before they look.
 */
export function safePath(target: string | null | undefined, base = 'http://localhost'): string {
  if (!target) return '/';
  try {
    const origin = new URL(base).origin;
    const url = new URL(target, origin);
    if (url.origin !== origin || !/^https?:$/.test(url.protocol)) return '/';
    const path = `${url.pathname}${url.search}${url.hash}`;
    // a path that a second reading would take for another site's
    return /^\/(?![/\\])/.test(path) ? path : '/';
  } catch {
    return '/';
  }
}
