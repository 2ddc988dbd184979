import { sql } from 'drizzle-orm';
import { type Database, rows, type Tx } from '@/lib/db/client';
import { transaction } from '@/lib/db/transaction';
import { digestOf } from '@/lib/digest/canonical';
import { type BadAuditRow, verifyAnchors } from '@/lib/services/audit/verify-anchors';
import { type AuditHead, type AuditRow, auditHash, chainStart } from '@/lib/services/audit/write';

export interface AuditVerdict {
  ok: boolean;
  /** Digest over the heads of all chains: one value that stands for the whole audit. */
  head: string;
  /** Rows in all chains. */
  length: number;
  firstBad?: BadAuditRow;
}

const batch = 2_000;

/**
 * Recomputes every audit chain from its first row and compares it with what is stored: sequence
 * without gaps, each row naming the one before it, each hash that of its row, the head naming the
 * last row, and every row that the chain over the heads ever named being the one that it named.
 * One snapshot, so rows that are being added meanwhile do not matter.
 */
export async function verifyAudit(db: Database): Promise<AuditVerdict> {
  return transaction(db, verify, { isolation: 'repeatable read', readOnly: true });
}

async function verify(tx: Tx): Promise<AuditVerdict> {
  const heads = await rows<AuditHead>(
    tx,
    sql`select chain, seq, hash from control.audit_head order by chain collate "C"`,
  );
  const chains = await rows<{ chain: string; length: string; last: string }>(
    tx,
    sql`select chain, count(*) as length, max(seq) as last from control.audit_event group by chain`,
  );
  const headed = new Set(heads.map(({ chain }) => chain));
  const faults: BadAuditRow[] = [];
  for (const head of heads) {
    const fault = await faultOfChain(tx, head);
    if (fault) faults.push(fault);
  }
  // rows of a chain whose head was taken away must not go unseen
  for (const { chain } of chains) {
    if (!headed.has(chain)) faults.push({ chain, seq: '1', why: 'the chain has no head' });
  }
  faults.push(...(await verifyAnchors(tx, new Map(chains.map((c) => [c.chain, c.last])))));
  const firstBad = faults.sort(inOrder)[0];
  return {
    ok: firstBad === undefined,
    head: digestOf(
      'interlock.audit-heads.v1',
      heads.map(({ chain, seq, hash }) => ({ chain, seq, hash })),
    ),
    length: chains.reduce((sum, { length }) => sum + Number(length), 0),
    ...(firstBad ? { firstBad } : {}),
  };
}

/** Sorting keeps what was found first before the rest of the same row. */
function inOrder(a: BadAuditRow, b: BadAuditRow): number {
  if (a.chain !== b.chain) return a.chain < b.chain ? -1 : 1;
  return Math.sign(Number(BigInt(a.seq) - BigInt(b.seq)));
}

async function faultOfChain(tx: Tx, head: AuditHead): Promise<BadAuditRow | null> {
  const { chain } = head;
  let seq = 0n;
  let prev = chainStart;
  // a key of two: without its index a sequence number could be there twice
  let after: { seq: string; id: string } | null = null;
  for (;;) {
    const page: (AuditRow & { id: string; hash: string })[] = await rows(
      tx,
      sql`select id, chain, seq, prev, hash, at, actor, verb, subject, outcome, before, after,
          reason, evidence, request_id as "requestId"
        from control.audit_event where chain = ${chain}
          ${after === null ? sql`` : sql`and (seq, id) > (${after.seq}, ${after.id})`}
        order by seq, id limit ${batch}`,
    );
    for (const { id, hash, ...row } of page) {
      seq += 1n;
      const why = faultOfRow(row, hash, seq, prev);
      if (why) return { chain, seq: row.seq, why };
      prev = hash;
      after = { seq: row.seq, id };
    }
    if (page.length < batch) break;
  }
  if (seq === 0n) return { chain, seq: '1', why: 'the chain has no rows' };
  if (head.seq === String(seq) && head.hash === prev) return null;
  const why =
    head.seq === String(seq)
      ? 'it is not the row that the head names'
      : `the head names row ${head.seq}, the chain ends with row ${seq}`;
  return { chain, seq: String(seq), why };
}

function faultOfRow(row: AuditRow, hash: string, seq: bigint, prev: string): string | null {
  if (BigInt(row.seq) > seq) return `row ${seq} is missing`;
  if (BigInt(row.seq) < seq) return 'it is there once more than it may be';
  if (row.prev !== prev) return 'it does not name the row before it';
  return auditHash(row) === hash ? null : 'its hash is not that of its fields';
}
