/** True for the page itself and for all below it; the overview is only itself. */
export function isHere(path: string, href: string): boolean {
  return path === href || (href !== '/' && path.startsWith(`${href}/`));
}
