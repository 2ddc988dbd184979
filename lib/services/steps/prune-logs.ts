import type { Database } from '@/lib/db/client';
import { isRetryable } from '@/lib/db/pg-error';
import {
  lockForPruning,
  prunedSources,
  pruneEvents,
  pruneWindows,
} from '@/lib/db/statements/prune-log';
import { reached } from '@/lib/db/step';
import { transaction } from '@/lib/db/transaction';

export interface PruneOptions {
  /** Offsets per shard in one transaction. */
  size?: number;
  /** Transactions per source. */
  chunks?: number;
}

/** So many offsets, of all shards together, are removed within a fraction of a second. */
const mostOffsets = 20_000;
const mostOfShard = 5_000;
/** Per source and round: the sweeper has other work, and the next round comes in seconds. */
const mostChunks = 5;

/**
 * Prunes the log of every source with a retention, a bounded number of chunks each. Every chunk is
 * one transaction that takes up where the last one ended, so a killed round is simply gone on with.
 * A source that somebody is moving at is left for the next round.
 *
 * @returns events removed
 */
export async function pruneLogs(db: Database, options: PruneOptions = {}): Promise<number> {
  let removed = 0;
  for (const { name, shards } of await prunedSources(db)) {
    const size = options.size ?? Math.min(mostOfShard, Math.ceil(mostOffsets / shards));
    for (let chunk = 0; chunk < (options.chunks ?? mostChunks); chunk++) {
      const gone = await pruneChunk(db, name, size);
      if (gone === null) break;
      await reached('prune.committed');
      removed += gone;
    }
  }
  return removed;
}

/** One chunk; null where nothing may go or somebody else is at the source. */
async function pruneChunk(db: Database, source: string, size: number): Promise<number | null> {
  // first without any lock: most rounds find nothing, and live writing would miss its turn for it
  if ((await pruneWindows(db, source, size)).length === 0) return null;
  try {
    return await transaction(
      db,
      async (tx) => {
        if (!(await lockForPruning(tx, source))) return null;
        const windows = await pruneWindows(tx, source, size);
        if (windows.length === 0) return null;
        const gone = await pruneEvents(tx, source, windows);
        await reached('prune.before-commit');
        return gone;
      },
      { lockTimeoutMs: 1_000, statementTimeoutMs: 60_000, retries: 0 },
    );
  } catch (error) {
    if (isRetryable(error)) return null;
    throw error;
  }
}
