import type { Database } from '@/lib/db/client';
import { transaction } from '@/lib/db/transaction';
import { type Move, movesFrom, type ReleaseState } from '@/lib/domain/lifecycle';
import {
  type Blocker,
  InterlockError,
  Invalid,
  Refused,
  toFix,
  toWait,
} from '@/lib/domain/refusal';
import { parseRelease } from '@/lib/domain/release';
import {
  activateBlockers,
  buildBlockers,
  drillBlockers,
  rehearseBlockers,
  rollbackBlockers,
  sealBlockers,
  signBlockers,
} from '@/lib/domain/release-blockers';
import { releaseFacts } from './facts';
import type { Release } from './load';
import { pinBlockers } from './pin';
import { activeOf, checkSpec, planOf } from './prepare';

/**
 * For each move that is open to a release's state, everything that stands in its way: the same
 * rules, from the same facts, that the move itself refuses by. What is left out is who asks.
 */
export async function blockersOf(
  db: Database,
  release: Release,
): Promise<Partial<Record<Move, Blocker[]>>> {
  const state = release.state as ReleaseState;
  const cutOver = release.troubleFrom === 'ACTIVE';
  const facts = await releaseFacts(db, release);
  const found: Partial<Record<Move, Blocker[]>> = {};
  for (const move of movesFrom(state, cutOver)) {
    switch (move) {
      case 'pin':
        found.pin = await draftBlockers(db, release);
        break;
      case 'build':
        found.build = buildBlockers(facts);
        break;
      case 'rehearse':
        found.rehearse = rehearseBlockers(facts);
        break;
      case 'drill':
        found.drill = drillBlockers(facts);
        break;
      case 'seal':
        found.seal = sealBlockers(facts);
        break;
      case 'approve':
        found.approve = signBlockers(facts);
        break;
      case 'sign-rollback':
        found['sign-rollback'] = signBlockers(facts).filter((b) => b.code !== 'DEADLINE_PASSED');
        break;
      case 'activate':
        found.activate = activateBlockers(facts, null);
        break;
      case 'rollback':
        found.rollback = rollbackBlockers(facts);
        break;
      case 'retry':
        found.retry =
          state === 'BUILDING' && facts.failed === 0
            ? [toWait('WRONG_STATE', 'No partition failed.')]
            : [];
        break;
      case 'call-off':
        found['call-off'] = facts.ingress.rollbackInProgress
          ? []
          : [toFix('WRONG_STATE', 'No rollback of this release is under way.')];
        break;
      default:
        found[move] = [];
    }
  }
  return found;
}

/** Everything that keeps a draft from being pinned, its own faults included. */
async function draftBlockers(db: Database, release: Release): Promise<Blocker[]> {
  try {
    const spec = parseRelease(release.spec);
    return await transaction(db, async (tx) => {
      const dataset = await checkSpec(tx, spec);
      const active = await activeOf(tx, dataset.name);
      const plan = await planOf(tx, dataset, spec.range, active);
      return [
        ...(active === null ? [toWait('DATASET_NOT_READY')] : []),
        ...(await pinBlockers(tx, release, spec, dataset)),
        ...(plan.partitions.length === 0 ? [toFix('NOTHING_PLANNED')] : []),
      ];
    });
  } catch (error) {
    if (error instanceof Invalid) {
      return error.issues.map((issue) =>
        toFix(issue.code, issue.message, { pointer: issue.pointer }),
      );
    }
    if (error instanceof Refused) return [...error.blockers];
    if (error instanceof InterlockError) return [toFix(error.code, error.message)];
    throw error;
  }
}
