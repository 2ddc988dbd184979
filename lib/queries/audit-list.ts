import { type SQL, sql } from 'drizzle-orm';
import { type Database, rows, type Tx } from '@/lib/db/client';
import { ofPeople } from '@/lib/db/fork-sql';
import { idForm } from '@/lib/domain/id-form';
import { type Page, type PageRequest, pageOf, readCursor } from '@/lib/queries/page';

export interface AuditItem {
  id: string;
  chain: string;
  seq: string;
  at: string;
  actor: string;
  verb: string;
  subject: string;
  outcome: 'done' | 'refused';
  before: unknown;
  after: unknown;
  reason: string | null;
  evidence: string | null;
  requestId: string;
  prev: string;
  hash: string;
}

export interface AuditFilter {
  chain?: string | undefined;
  dataset?: string | undefined;
  /** Person or system process. */
  actor?: string | undefined;
  verb?: string | undefined;
  /** `name@revision` of a release, or the name of whatever else it was done to. */
  subject?: string | undefined;
  outcome?: 'done' | 'refused' | undefined;
  /** Leaves out the rows that tie the chains together, which nobody did: one each time any chain moved. */
  withoutAnchors?: boolean;
}

/** Rows of the audit chains, newest first. */
export async function auditList(
  db: Database | Tx,
  filter: AuditFilter,
  { limit, cursor }: PageRequest,
): Promise<Page<AuditItem>> {
  const before = readCursor(cursor, [idForm]);
  const conditions: SQL[] = [sql`true`];
  if (before) conditions.push(sql`id < ${before[0]}`);
  const chain =
    filter.chain ?? (filter.dataset === undefined ? undefined : `dataset:${filter.dataset}`);
  // a drill's fork has a chain of its own; whoever wants it names it
  if (chain === undefined && filter.subject === undefined) {
    conditions.push(ofPeople(sql`chain || subject`));
  }
  if (filter.withoutAnchors) conditions.push(sql`chain <> 'heads'`);
  if (chain !== undefined) conditions.push(sql`chain = ${chain}`);
  if (filter.actor !== undefined) conditions.push(sql`actor = ${filter.actor}`);
  if (filter.verb !== undefined) conditions.push(sql`verb = ${filter.verb}`);
  if (filter.subject !== undefined) conditions.push(sql`subject = ${filter.subject}`);
  if (filter.outcome !== undefined) conditions.push(sql`outcome = ${filter.outcome}`);
  const found = await rows<AuditItem>(
    db,
    sql`select id, chain, seq, at, actor, verb, subject, outcome, before, after, reason, evidence,
        request_id as "requestId", prev, hash
      from control.audit_event
      where ${sql.join(conditions, sql` and `)}
      order by id desc limit ${limit + 1}`,
  );
  return pageOf(found, limit, (row) => [row.id]);
}
