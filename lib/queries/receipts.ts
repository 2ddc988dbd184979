import { sql } from 'drizzle-orm';
import { type Database, rows, type Tx } from '@/lib/db/client';
import { instantForm, type Page, type PageRequest, pageOf, readCursor } from '@/lib/queries/page';
import { releaseId } from '@/lib/queries/release-ref';

/** The proof that one partition was built. */
export interface ReceiptView {
  start: string;
  end: string;
  attempt: number;
  releaseDigest: string;
  transform: string;
  inputRoot: string;
  outputRoot: string;
  /** In grain `row` it is `rowsOut` + `filtered` + `quarantined`. */
  factsIn: number;
  rowsOut: number;
  filtered: number;
  quarantined: number;
  /** Conserved sums by name, exact text. */
  sums: Record<string, string | null>;
  /** It was computed twice, the second time under other session settings, and came to one root. */
  sampled: boolean;
  at: string;
}

/**
 * Receipts of a release in order of time.
 *
 * @throws NotFound
 */
export async function receiptList(
  db: Database | Tx,
  reference: string,
  { limit, cursor }: PageRequest,
): Promise<Page<ReceiptView>> {
  const id = await releaseId(db, reference);
  const after = readCursor(cursor, [instantForm]);
  const found = await rows<ReceiptView>(
    db,
    sql`select start_at as start, end_at as "end", attempt, release_digest as "releaseDigest",
        transform, input_root as "inputRoot", output_root as "outputRoot",
        facts_in::float8 as "factsIn", rows_out::float8 as "rowsOut",
        filtered::float8 as filtered, quarantined::float8 as quarantined, sums, sampled, at
      from control.receipt
      where release = ${id} and (${after?.[0] ?? null}::timestamptz is null
        or start_at > ${after?.[0] ?? null}::timestamptz)
      order by start_at limit ${limit + 1}`,
  );
  return pageOf(found, limit, (receipt) => [receipt.start]);
}
