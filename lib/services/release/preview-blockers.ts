import type { Database } from '@/lib/db/client';
import { transaction } from '@/lib/db/transaction';
import { type Blocker, InterlockError, toWait } from '@/lib/domain/refusal';
import { parseRelease } from '@/lib/domain/release';
import type { Release } from './load';
import { pinBlockers } from './pin';
import { activeOf, checkSpec } from './prepare';

/** No release has this id: a spec that was never kept stands in its own way nowhere. */
const NEVER_KEPT = '0';

/**
 * What would keep a spec that is still being written from being pinned now, beside its own faults:
 * the rules that the pin itself refuses by. Empty where the spec has faults, which come first.
 *
 * @param self id of the draft that it is kept as; null before it is
 */
export async function specBlockers(
  db: Database,
  input: unknown,
  self: string | null,
): Promise<Blocker[]> {
  try {
    const spec = parseRelease(input);
    return await transaction(db, async (tx) => {
      const dataset = await checkSpec(tx, spec);
      const active = await activeOf(tx, dataset.name);
      const asKept = { id: self ?? NEVER_KEPT } as Release;
      return [
        ...(active === null ? [toWait('DATASET_NOT_READY')] : []),
        ...(await pinBlockers(tx, asKept, spec, dataset)),
      ];
    });
  } catch (error) {
    if (error instanceof InterlockError) return [];
    throw error;
  }
}
