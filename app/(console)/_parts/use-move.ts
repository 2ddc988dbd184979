'use client';

import { useCallback } from 'react';
import type { ActionResult } from '@/components/release/blockers';
import type { MoveName } from '@/lib/web/move-input';
import { moveRelease } from '../releases/[release]/move-action';

/** What the page showed while somebody decided. */
interface Shown {
  release: string;
  version: number;
  now: string;
}

export type Move = (
  move: MoveName,
  body?: Record<string, unknown>,
  key?: string,
) => Promise<ActionResult>;

/** Makes a move that names by itself what was seen, such as a digest of evidence. */
export const moveUnseen =
  (release: string): Move =>
  (move, body = {}, key) =>
    moveRelease({ release, move, body, key });

/**
 * Makes moves of the release that a page shows. A release that changed since the page was read
 * refuses and says what changed; `key` keeps a repeated try from being done twice.
 */
export function useMove({ release, version, now }: Shown): Move {
  return useCallback(
    (move, body = {}, key) => moveRelease({ release, move, body, seen: { version, at: now }, key }),
    [release, version, now],
  );
}

/** Words for a move's body: nothing where nothing was written. */
export function words(comment: string): { comment?: string } {
  return comment.trim() === '' ? {} : { comment: comment.trim() };
}
