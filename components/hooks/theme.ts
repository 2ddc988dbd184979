/** The choice of colours, kept in a cookie so that the server renders the right ones at once. */
export const THEME_COOKIE = 'interlock-theme';

export type Theme = 'light' | 'dark' | 'system';

export function readTheme(value: string | undefined): Theme {
  return value === 'light' || value === 'dark' ? value : 'system';
}
