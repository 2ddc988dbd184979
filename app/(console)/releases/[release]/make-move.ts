'use client';

import type { ActionResult } from '@/components/release/blockers';
import { say } from '@/components/ui/toaster';
import type { Move } from '@/lib/domain/lifecycle';
import type { MoveRequest } from '@/lib/web/move-actions';
import { moveRelease } from './move-action';

/** What the page showed of the release when somebody decided. */
export interface Shown {
  release: string;
  version: number;
  /** When it was read. */
  at: string;
}

const SAID: Partial<Record<Move, string>> = {
  pin: 'Snapshot pinned',
  build: 'The build has started',
  rehearse: 'A rehearsal is asked for',
  drill: 'A drill is asked for',
  seal: 'Ingress is sealed',
  reopen: 'Ingress is open again',
  reject: 'Rejected',
  abandon: 'Abandoned',
  pause: 'Paused',
  resume: 'Resumed',
  hold: 'Held',
  unhold: 'The hold is lifted',
  retry: 'It is tried again',
};

/** Makes a move of what the page shows, and says so in passing. */
export async function makeMove(
  { release, version, at }: Shown,
  move: Move,
  more: Pick<MoveRequest, 'body' | 'key'> = {},
): Promise<ActionResult> {
  const result = await moveRelease({ release, move, seen: { version, at }, ...more });
  if (result.ok) say(`${SAID[move] ?? 'Done'}, ${release}`);
  return result;
}
