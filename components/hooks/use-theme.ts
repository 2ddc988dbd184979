'use client';

import { createContext, useCallback, useContext, useSyncExternalStore } from 'react';
import { readTheme, THEME_COOKIE, type Theme } from './theme';

/** What the server read from the cookie; the attribute on `<html>` says the same. */
export const InitialTheme = createContext<Theme>('system');

const YEAR_SECONDS = 31_536_000;
const listeners = new Set<() => void>();
const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
};
const shown = () => readTheme(document.documentElement.dataset.theme);

/** The choice light, dark or system, and how to change it. The attribute on `<html>` is the truth. */
export function useTheme(): [theme: Theme, choose: (theme: Theme) => void] {
  const initial = useContext(InitialTheme);
  const theme = useSyncExternalStore(subscribe, shown, () => initial);
  const choose = useCallback((next: Theme) => {
    if (next === 'system') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = next;
    // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API needs https, this does not.
    document.cookie = `${THEME_COOKIE}=${next}; path=/; max-age=${YEAR_SECONDS}; samesite=lax`;
    for (const listener of listeners) listener();
  }, []);
  return [theme, choose];
}

/** Calls back when the colours change, for what is painted on a canvas. */
export function watchColours(changed: () => void): () => void {
  // paper is light in either theme
  const media = ['(prefers-color-scheme: dark)', 'print'].map((query) => matchMedia(query));
  for (const each of media) each.addEventListener('change', changed);
  const attribute = new MutationObserver(changed);
  attribute.observe(document.documentElement, { attributeFilter: ['data-theme'] });
  return () => {
    for (const each of media) each.removeEventListener('change', changed);
    attribute.disconnect();
  };
}
