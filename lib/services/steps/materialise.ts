import { sql } from 'drizzle-orm';
import { type Database, rows } from '@/lib/db/client';
import { snapshotTable } from '@/lib/db/dataset-shape';
import { materialiseFacts } from '@/lib/db/statements/facts';
import { reached } from '@/lib/db/step';
import { transaction } from '@/lib/db/transaction';
import { loadReleaseShape } from './release-shape';

/**
 * Writes facts(W) of a pinned release out, once: the watermark names one world whenever it is read,
 * so this needs no lock on the dataset. Harmless when done again.
 */
export async function materialise(db: Database, release: string): Promise<void> {
  const shape = await loadReleaseShape(db, release);
  const { snapshot, watermark } = shape.release;
  await transaction(
    db,
    async (tx) => {
      const open = await rows(
        tx,
        sql`select 1 from control.snapshot where id = ${snapshot} and ready_at is null for update skip locked`,
      );
      if (open.length === 0) return;
      const source = shape.dataset.source;
      await tx.execute(
        sql`delete from ${sql.raw(snapshotTable(source.name))} where _snapshot = ${snapshot}`,
      );
      const count = await materialiseFacts(tx, source, snapshot, watermark);
      await reached('snapshot.rows-written');
      await tx.execute(sql`
        update control.snapshot set rows = ${count}, ready_at = clock_timestamp() where id = ${snapshot}`);
    },
    { statementTimeoutMs: 600_000 },
  );
  await db.execute(sql.raw(`analyze ${snapshotTable(shape.dataset.source.name)}`));
}
