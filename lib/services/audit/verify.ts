import { sql } from 'drizzle-orm';
import { type Database, rows, type Tx } from '@/lib/db/client';
import { transaction } from '@/lib/db/transaction';
import { digestOf } from '@/lib/digest/canonical';
import { type AuditRow, auditHash, chainStart } from '@/lib/services/audit/write';

/** The first row, in order of chain and sequence, that is not what its chain says. */
export interface BadAuditRow {
  chain: string;
  seq: string;
  why: string;
}

export interface AuditVerdict {
  ok: boolean;
  /** Digest over the heads of all chains: one value that stands for the whole audit. */
  head: string;
  /** Rows in all chains. */
  length: number;
  firstBad?: BadAuditRow;
}

interface Head {
  chain: string;
  seq: string;
  hash: string;
}

const batch = 2_000;

/**
 * Recomputes every audit chain from its first row and compares it with what is stored: sequence
 * without gaps, each row naming the one before it, each hash that of its row, and the head naming
 * the last row. One snapshot, so rows that are being added meanwhile do not matter.
 */
export async function verifyAudit(db: Database): Promise<AuditVerdict> {
  return transaction(db, verify, { isolation: 'repeatable read', readOnly: true });
}

async function verify(tx: Tx): Promise<AuditVerdict> {
  const heads = await rows<Head>(
    tx,
    sql`select chain, seq, hash from control.audit_head order by chain collate "C"`,
  );
  // rows of a chain whose head was taken away must not go unseen
  const orphans = await rows<{ chain: string }>(
    tx,
    sql`select distinct chain from control.audit_event e
      where not exists (select from control.audit_head h where h.chain = e.chain)
      order by chain limit 1`,
  );
  let length = 0;
  let firstBad: BadAuditRow | undefined;
  for (const head of heads) {
    const found = await verifyChain(tx, head);
    length += found.length;
    firstBad ??= found.bad;
  }
  const [orphan] = orphans;
  if (orphan) firstBad ??= { chain: orphan.chain, seq: '1', why: 'the chain has no head' };
  const head = digestOf(
    'interlock.audit-heads.v1',
    heads.map(({ chain, seq, hash }) => ({ chain, seq, hash })),
  );
  return { ok: firstBad === undefined, head, length, ...(firstBad ? { firstBad } : {}) };
}

async function verifyChain(tx: Tx, head: Head): Promise<{ length: number; bad?: BadAuditRow }> {
  const { chain } = head;
  let seq = 0n;
  let prev = chainStart;
  for (;;) {
    const page = await rows<AuditRow & { hash: string }>(
      tx,
      sql`select chain, seq, prev, hash, at, actor, verb, subject, outcome, before, after, reason,
          evidence, request_id as "requestId"
        from control.audit_event where chain = ${chain} and seq > ${String(seq)}
        order by seq limit ${batch}`,
    );
    for (const { hash, ...row } of page) {
      seq += 1n;
      const why = faultOf(row, hash, seq, prev);
      if (why) return { length: Number(seq), bad: { chain, seq: row.seq, why } };
      prev = hash;
    }
    if (page.length < batch) break;
  }
  if (head.seq === String(seq) && head.hash === prev) return { length: Number(seq) };
  const why = `the head names row ${head.seq}, the chain ends with row ${seq}`;
  return { length: Number(seq), bad: { chain, seq: String(seq), why } };
}

function faultOf(row: AuditRow, hash: string, seq: bigint, prev: string): string | null {
  if (row.seq !== String(seq)) return `row ${seq} is missing`;
  if (row.prev !== prev) return 'it does not name the row before it';
  return auditHash(row) === hash ? null : 'its hash is not that of its fields';
}
