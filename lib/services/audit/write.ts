import { sql } from 'drizzle-orm';
import { affected, json, one, type Tx } from '@/lib/db/client';
import { digestOf } from '@/lib/digest/canonical';
import type { Ctx } from '@/lib/services/context';
import { runnerActor } from '@/lib/services/system';

/** `dataset:<name>` for what touches a dataset, `people` for people, tokens and sources. */
export type Chain = `dataset:${string}` | 'people' | 'heads';

export interface AuditEntry {
  chain: Chain;
  /** The permission's name, e.g. `release.activate`. */
  verb: string;
  /** What it was done to: `order-tax-fix@3`, `order_tax`, `ana`. */
  subject: string;
  outcome?: 'done' | 'refused';
  before?: unknown;
  after?: unknown;
  reason?: string | null;
  /** Digest of the evidence that the move stood on. */
  evidence?: string | null;
}

/** The fields that an audit row's hash covers, in the form in which they are hashed. */
export interface AuditRow {
  chain: string;
  seq: string;
  prev: string;
  at: string;
  actor: string;
  verb: string;
  subject: string;
  outcome: string;
  before: unknown;
  after: unknown;
  reason: string | null;
  evidence: string | null;
  requestId: string;
}

/**
 * What was refused may be called anything, and the subject is indexed: a row of an index holds no
 * more than 2,704 bytes, and a refusal that cannot be written would be none.
 */
const mostOfSubject = 300;

/** What the first row of a chain names as the one before it. */
export const chainStart = 'sha256:0000000000000000000000000000000000000000000000000000000000000000';

/** A head as the chain over the heads names it; `seq` 0 is a chain that begins. */
export interface AuditHead {
  chain: string;
  seq: string;
  hash: string;
}

export function auditHash(row: AuditRow): string {
  return digestOf('interlock.audit.v1', row);
}

/**
 * Adds one row to a chain, in the caller's transaction. Its head is the last lock that any
 * transaction takes, so call this after every other statement.
 *
 * A chain that begins is first named in the chain over the heads: so that it cannot be taken away
 * whole, and so that there is a chain over the heads as long as there is any other.
 */
export async function writeAudit(
  tx: Tx,
  ctx: Pick<Ctx, 'actor' | 'requestId'>,
  entry: AuditEntry,
): Promise<void> {
  const begun = await affected(
    tx,
    sql`insert into control.audit_head (chain, seq, hash) values (${entry.chain}, 0, ${chainStart})
      on conflict do nothing`,
  );
  if (begun === 1 && entry.chain !== 'heads') {
    const start: AuditHead = { chain: entry.chain, seq: '0', hash: chainStart };
    await writeAudit(
      tx,
      { actor: runnerActor, requestId: ctx.requestId },
      { chain: 'heads', verb: 'audit.anchor', subject: entry.chain, after: [start] },
    );
  }
  const head = await one<{ seq: string; hash: string; now: string }>(
    tx,
    sql`select seq, hash, clock_timestamp() as now from control.audit_head
      where chain = ${entry.chain} for update`,
  );
  const row: AuditRow = {
    chain: entry.chain,
    seq: String(BigInt(head.seq) + 1n),
    prev: head.hash,
    at: head.now,
    actor: ctx.actor.person,
    verb: entry.verb,
    subject: entry.subject.slice(0, mostOfSubject),
    outcome: entry.outcome ?? 'done',
    before: entry.before ?? null,
    after: entry.after ?? null,
    reason: entry.reason ?? null,
    evidence: entry.evidence ?? null,
    requestId: ctx.requestId,
  };
  const hash = auditHash(row);
  await tx.execute(sql`
    insert into control.audit_event
      (chain, seq, prev, hash, at, actor, verb, subject, outcome, before, after, reason, evidence, request_id)
    values (${row.chain}, ${row.seq}, ${row.prev}, ${hash}, ${row.at}, ${row.actor}, ${row.verb},
      ${row.subject}, ${row.outcome}, ${json(row.before)}, ${json(row.after)}, ${row.reason},
      ${row.evidence}, ${row.requestId})`);
  await tx.execute(
    sql`update control.audit_head set seq = ${row.seq}, hash = ${hash} where chain = ${row.chain}`,
  );
}
