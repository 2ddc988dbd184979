'use client';

import { useSyncExternalStore } from 'react';

const KEY = 'interlock-single-keys';
const listeners = new Set<() => void>();
/** Where the browser keeps nothing for us: for as long as the page stands. */
let unkept: boolean | null = null;

/** Whether single keys do something. People who speak to their computer switch them off. */
export function singleKeysOn(): boolean {
  if (unkept !== null) return unkept;
  try {
    return localStorage.getItem(KEY) !== 'off';
  } catch {
    return true;
  }
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  addEventListener('storage', listener);
  return () => {
    listeners.delete(listener);
    removeEventListener('storage', listener);
  };
}

function choose(on: boolean): void {
  try {
    localStorage.setItem(KEY, on ? 'on' : 'off');
  } catch {
    unkept = on;
  }
  for (const listener of listeners) listener();
}

/** The choice, kept in this browser. */
export function useSingleKeys(): [on: boolean, choose: (on: boolean) => void] {
  return [useSyncExternalStore(subscribe, singleKeysOn, () => true), choose];
}
