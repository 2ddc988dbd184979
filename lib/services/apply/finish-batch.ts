import type { Tx } from '@/lib/db/client';
import { type Batch, saveProgress } from '@/lib/db/statements/progress';
import { reached } from '@/lib/db/step';

/** The last of a batch, in either grain: from here on its events are applied. */
export async function finishBatch(tx: Tx, generation: string, batch: Batch): Promise<void> {
  await reached('apply.rows-written');
  await saveProgress(tx, generation, batch);
}
