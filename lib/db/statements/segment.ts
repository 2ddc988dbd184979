import { sql } from 'drizzle-orm';
import { array, one, type Tx } from '@/lib/db/client';

/** Registers a fresh segment; its number is never used again, so a copy meets no leftovers. */
export async function newSegment(
  tx: Tx,
  dataset: string,
  kind: 'load' | 'release' | 'epoch' | 'replay' | 'copy' | 'run',
): Promise<string> {
  const { id } = await one<{ id: string }>(
    tx,
    sql`insert into control.segment (dataset, kind) values (${dataset}, ${kind}) returning id`,
  );
  return id;
}

export async function startProgress(
  tx: Tx,
  generation: string,
  offsets: readonly string[],
): Promise<void> {
  await tx.execute(sql`
    insert into control.generation_progress (generation, offsets)
    values (${generation}, ${array(offsets, 'bigint')})`);
}
