import type { Move } from '@/lib/domain/lifecycle';
import type { Ctx } from '@/lib/services/context';
import { accept } from './accept';
import { activate } from './activate';
import { build, limits, rehearse, retry } from './build';
import { drill } from './drill';
import { hold, pause, resume, unhold } from './flags';
import { pin } from './pin';
import { abandon, reject } from './reject';
import { reopen } from './reopen';
import { callOff, rollback } from './rollback';
import { seal } from './seal';
import { approve, signRollback } from './sign';

/** Every move of people by its name: the button, the API's call and the command line's are these. */
export const moves = {
  pin,
  build,
  rehearse,
  drill,
  seal,
  reopen,
  accept,
  approve,
  reject,
  'sign-rollback': signRollback,
  activate,
  rollback,
  'call-off': callOff,
  abandon,
  pause,
  resume,
  hold,
  unhold,
  retry,
  limits,
} satisfies Record<Move, (ctx: Ctx, input: never) => Promise<void>>;

export { blockersOf } from './blockers';
export { type DiffInput, type DiffItem, diffPage } from './diff';
export { createRelease, patchRelease } from './draft';
export { findRelease, type Release } from './load';
export { type PlanView, previewPlan, previewSpec, type Sample, samplePartition } from './preview';
