import { sql } from 'drizzle-orm';
import { type Database, rows, type Tx } from '@/lib/db/client';

export interface SignatureView {
  person: string;
  kind: 'cutover' | 'rollback';
  decision: 'approve' | 'reject';
  /** The digest of the evidence that was signed. */
  digest: string;
  statement: string | null;
  at: string;
  /** It counts: for the evidence as it stands, by somebody who may sign now. */
  standing: boolean;
  /** Why it does not count. */
  void: 'EVIDENCE_MOVED' | 'ROLE_LOST' | 'SELF_APPROVAL' | 'REJECTION' | null;
}

/** Every signature that was ever given on a release, in order; void ones stay visible as void. */
export async function signaturesOf(db: Database | Tx, release: string): Promise<SignatureView[]> {
  const found = await rows<Omit<SignatureView, 'standing'>>(
    db,
    sql`select s.person, s.kind, s.decision, s.digest, s.statement, s.at,
        case
          when s.decision <> 'approve' then 'REJECTION'
          when s.digest is distinct from r.evidence then 'EVIDENCE_MOVED'
          when not exists (select from control.person_role p
            where p.person = s.person and p.role = 'approver') then 'ROLE_LOST'
          when exists (select from control.release_author a
            where a.release = s.release and a.person = s.person) then 'SELF_APPROVAL'
        end as void
      from control.signature s
      join control.release r on r.id = s.release
      where s.release = ${release} order by s.id`,
  );
  return found.map((s) => ({ ...s, standing: s.void === null }));
}
