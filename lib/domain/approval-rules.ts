import { compareInstants, type Instant } from './instant';
import type { ReleaseState } from './lifecycle';
import type { Role } from './permissions';
import { type Blocker, toFix, toWait } from './refusal';

/**
 * The rules of signing, as the database enforces them in its own statements: distinct people, no
 * author, a role at the time of counting, on the digest of the evidence as it is now.
 */
export type Decision = 'approve' | 'reject';

export type Signature = {
  person: string;
  kind: 'cutover' | 'rollback';
  decision: Decision;
  /** Digest of the evidence that was signed. */
  digest: string;
};

export type ApprovalNumbers = { cutover: number; rollback: number };

/** How many have to sign: the larger of what the release and the dataset's policy ask for. */
export function effectiveApprovals(
  release: ApprovalNumbers,
  policy: ApprovalNumbers,
): ApprovalNumbers {
  return {
    cutover: Math.max(release.cutover, policy.cutover),
    rollback: Math.max(release.rollback, policy.rollback),
  };
}

/**
 * Everyone who may not sign a revision: who edited it, who accepted drift or quarantine of it by
 * name, and the authors of the revisions whose fields it carries. Otherwise having one's own
 * fields revised by somebody else would be a way to sign them.
 */
export function authorsOf(own: {
  editors: readonly string[];
  acceptors: readonly string[];
  /** Authors of the revisions that it carries fields from, their own inherited ones included. */
  inherited: readonly string[];
}): string[] {
  return [...new Set([...own.editors, ...own.acceptors, ...own.inherited])].sort();
}

export type Void = 'moved' | 'author' | 'role' | 'repeated' | 'rejected';

/** Why a signature does not count, or null if it stands. */
export type Judged = Signature & { voidBecause: Void | null };

/**
 * Judges signatures against the evidence and the people of this moment.
 *
 * @param roles the roles that each signer has now; somebody who is missing has none
 */
export function judgeSignatures(
  signatures: readonly Signature[],
  digest: string | null,
  authors: readonly string[],
  roles: ReadonlyMap<string, readonly Role[]>,
): Judged[] {
  const counted = new Set<string>();
  return signatures.map((signature) => {
    const because = (): Void | null => {
      if (signature.decision === 'reject') return 'rejected';
      if (signature.digest !== digest) return 'moved';
      if (authors.includes(signature.person)) return 'author';
      if (!roles.get(signature.person)?.includes('approver')) return 'role';
      const once = `${signature.kind} ${signature.person}`;
      if (counted.has(once)) return 'repeated';
      counted.add(once);
      return null;
    };
    return { ...signature, voidBecause: because() };
  });
}

/** How many signatures stand, by kind. */
export function standing(
  signatures: readonly Signature[],
  digest: string | null,
  authors: readonly string[],
  roles: ReadonlyMap<string, readonly Role[]>,
): ApprovalNumbers {
  const stand = judgeSignatures(signatures, digest, authors, roles).filter(
    (s) => s.voidBecause === null,
  );
  return {
    cutover: stand.filter((s) => s.kind === 'cutover').length,
    rollback: stand.filter((s) => s.kind === 'rollback').length,
  };
}

export type SignQuestion = {
  kind: 'cutover' | 'rollback';
  person: string;
  roles: readonly Role[];
  authors: readonly string[];
  signatures: readonly Signature[];
  /** Digest of the evidence now; null before there is any. */
  currentDigest: string | null;
  /** Digest that the signer was shown. */
  shownDigest: string;
  state: ReleaseState;
  held: boolean;
  deadline: Instant | null;
  now: Instant;
};

const SIGNABLE: Record<'cutover' | 'rollback', readonly ReleaseState[]> = {
  cutover: ['RECONCILED', 'APPROVED'],
  rollback: ['RECONCILED', 'APPROVED', 'ACTIVE'],
};

/** Everything that keeps a person from signing now; none: the signature counts. */
export function signBlockers(q: SignQuestion): Blocker[] {
  const blockers: Blocker[] = [];
  if (!q.roles.includes('approver')) {
    blockers.push(
      toFix('FORBIDDEN', 'Signing needs the role approver.', { current: [...q.roles] }),
    );
  }
  if (q.authors.includes(q.person)) {
    blockers.push(
      toFix('SELF_APPROVAL', 'You wrote a frozen field of this release; somebody else signs it.', {
        current: q.person,
      }),
    );
  }
  if (!SIGNABLE[q.kind].includes(q.state) || q.currentDigest === null) {
    const lost = q.state === 'RECONCILIATION_REQUIRED';
    blockers.push(
      lost
        ? toFix('RECONCILIATION_REQUIRED')
        : toWait('EVIDENCE_MISSING', 'There is no evidence to sign in this state.', {
            expected: [...SIGNABLE[q.kind]],
            current: q.state,
          }),
    );
  } else if (q.shownDigest !== q.currentDigest) {
    blockers.push(
      toFix('EVIDENCE_MOVED', 'The evidence is no longer what you were shown; read it again.', {
        expected: q.shownDigest,
        current: q.currentDigest,
      }),
    );
  }
  const signed = q.signatures.some(
    (s) =>
      s.kind === q.kind &&
      s.person === q.person &&
      s.decision === 'approve' &&
      s.digest === q.currentDigest,
  );
  if (signed)
    blockers.push(toFix('ALREADY_SIGNED', 'You signed this evidence; one person counts once.'));
  if (q.held) blockers.push(toFix('HELD'));
  if (q.kind === 'cutover' && q.deadline !== null && compareInstants(q.now, q.deadline) >= 0) {
    blockers.push(
      toFix('DEADLINE_PASSED', `The deadline was ${q.deadline}.`, {
        expected: q.deadline,
        current: q.now,
      }),
    );
  }
  return blockers;
}
