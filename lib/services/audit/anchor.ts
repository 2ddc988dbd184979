import { sql } from 'drizzle-orm';
import { type Database, maybeOne, rows } from '@/lib/db/client';
import { transaction } from '@/lib/db/transaction';
import { digestOf } from '@/lib/digest/canonical';
import { runnerContext } from '@/lib/services/system';
import { type AuditHead, writeAudit } from './write';

/** Why a first row of the chain over the heads is none: each chain that begins is named there. */
export const begunAnew = 'the chain over the heads was gone';

/**
 * Writes the heads of all chains into the chain over them, if any moved since the last time. A
 * chain of its own per dataset keeps one dataset's moves from waiting for another's; this ties them
 * together, so that a whole chain cannot be cut short unseen.
 */
export async function anchorHeads(db: Database): Promise<boolean> {
  return transaction(db, async (tx) => {
    const heads = await rows<AuditHead>(
      tx,
      sql`select chain, seq, hash from control.audit_head where chain <> 'heads' order by chain collate "C"`,
    );
    if (heads.length === 0) return false;
    const subject = digestOf('interlock.heads.v1', heads);
    const last = await maybeOne<{ subject: string }>(
      tx,
      sql`select e.subject from control.audit_head h
        join control.audit_event e on e.chain = h.chain and e.seq = h.seq
        where h.chain = 'heads'`,
    );
    if (last?.subject === subject) return false;
    await writeAudit(tx, runnerContext(), {
      chain: 'heads',
      verb: 'audit.anchor',
      subject,
      after: heads,
      // this row stays, so that nobody takes the new chain for the old one
      reason: last === null ? begunAnew : null,
    });
    return true;
  });
}
