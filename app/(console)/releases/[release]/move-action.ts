'use server';

import { type MoveRequest, moveActions, noSuchMove } from '@/lib/web/move-actions';
import type { MoveName } from '@/lib/web/move-input';
import type { Problem } from '@/lib/web/problem';

/**
 * Makes any move of a release: `body` is the move's own input as the API takes it, `key` keeps a
 * repeated try from being done twice, `seen` refuses what was decided on an old page.
 */
export async function moveRelease(
  input: MoveRequest & { move: MoveName },
): Promise<{ ok: true } | { ok: false; problem: Problem }> {
  // what comes in is typed by us and written by anybody
  const { move, ...request } = input ?? {};
  return isMove(move) ? moveActions[move](request as MoveRequest) : noSuchMove();
}

function isMove(move: unknown): move is MoveName {
  return typeof move === 'string' && Object.hasOwn(moveActions, move);
}
