import { sql } from 'drizzle-orm';
import { type Database, maybeOne, type Tx } from '@/lib/db/client';
import type { AskedKind } from '@/lib/domain/notices';
import { NotFound, Refused, toFix } from '@/lib/domain/refusal';
import type { Chain } from '@/lib/services/audit/write';

export interface SubscriberRow {
  name: string;
  /** Null: told of every dataset. */
  dataset: string | null;
  url: string;
  kinds: AskedKind[];
  endedAt: string | null;
}

/**
 * The subscriber's row, locked against other changes of it; notices are written beside them, so that
 * no cutover waits for an admin.
 *
 * @throws NotFound
 */
export async function lockSubscriber(tx: Tx, name: string): Promise<SubscriberRow> {
  const found = await maybeOne<SubscriberRow>(
    tx,
    sql`select name, dataset, url, kinds, ended_at as "endedAt" from control.subscriber
      where name = ${name} for no key update`,
  );
  if (!found) throw new NotFound('subscriber', name);
  return found;
}

/** @throws Refused where it was ended */
export function requireGoing({ name, endedAt }: SubscriberRow): void {
  if (endedAt === null) return;
  throw new Refused(
    toFix('SUBSCRIBER_ENDED', `${name} was ended; add another one to be told again.`),
  );
}

/** Changes of whoever is told of one dataset are in its chain, the others in that of people. */
export const chainOfSubscriber = ({ dataset }: Pick<SubscriberRow, 'dataset'>): Chain =>
  dataset === null ? 'people' : `dataset:${dataset}`;

/** The chain of a subscriber that may not be there. */
export async function chainOfName(db: Database, { name }: { name: unknown }): Promise<Chain> {
  const found = await maybeOne<Pick<SubscriberRow, 'dataset'>>(
    db,
    sql`select dataset from control.subscriber where name = ${String(name)}`,
  );
  return found ? chainOfSubscriber(found) : 'people';
}
