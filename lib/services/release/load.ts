import { and, eq, sql } from 'drizzle-orm';
import { type Database, maybeOne, type Tx } from '@/lib/db/client';
import { release as releaseTable } from '@/lib/db/schema/release';
import { readReleaseRef } from '@/lib/domain/names';
import { NotFound } from '@/lib/domain/refusal';
import type { Chain } from '@/lib/services/audit/write';

export type Release = typeof releaseTable.$inferSelect;

export const referenceOf = (release: Pick<Release, 'name' | 'revision'>) =>
  `${release.name}@${release.revision}`;

/**
 * Reads a release by `name@revision`.
 *
 * @throws NotFound
 */
export async function findRelease(tx: Database | Tx, reference: string): Promise<Release> {
  const parsed = readReleaseRef(reference);
  if (!parsed.ok) throw new NotFound('release', reference);
  const { name, revision } = parsed.value;
  const [found] = await tx
    .select()
    .from(releaseTable)
    .where(and(eq(releaseTable.name, name), eq(releaseTable.revision, revision)));
  if (!found) throw new NotFound('release', reference);
  return found;
}

/** Locks a release's row and reads it as it is after the lock. */
export async function lockRelease(tx: Tx, id: string): Promise<Release> {
  await tx.execute(sql`select 1 from control.release where id = ${id} for update`);
  const [found] = await tx.select().from(releaseTable).where(eq(releaseTable.id, id));
  if (!found) throw new NotFound('release', id);
  return found;
}

/** The audit chain of a release's dataset; `people` for one that is not there. */
export async function chainOfRelease(db: Database, reference: string): Promise<Chain> {
  const parsed = readReleaseRef(reference);
  if (!parsed.ok) return 'people';
  const { name, revision } = parsed.value;
  const found = await maybeOne<{ dataset: string }>(
    db,
    sql`select dataset from control.release where name = ${name} and revision = ${revision}`,
  );
  return found ? `dataset:${found.dataset}` : 'people';
}
