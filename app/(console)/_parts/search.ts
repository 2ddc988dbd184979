export type Search = Readonly<Record<string, string | string[] | undefined>>;

/** One value of a page's search; the first where somebody wrote several, nothing where it is empty. */
export function said(search: Search, name: string): string | undefined {
  const value = search[name];
  const first = Array.isArray(value) ? value[0] : value;
  return first === undefined || first === '' ? undefined : first;
}

/** An address with some values of its search; those that are undefined are left out. */
export function address(
  path: string,
  values: Readonly<Record<string, string | undefined>>,
  hash = '',
): string {
  const query = new URLSearchParams(
    Object.entries(values).flatMap(([name, value]): [string, string][] =>
      value === undefined ? [] : [[name, value]],
    ),
  ).toString();
  return `${path}${query === '' ? '' : `?${query}`}${hash}`;
}
