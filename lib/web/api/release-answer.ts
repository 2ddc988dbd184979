import type { Database } from '@/lib/db/client';
import { transaction } from '@/lib/db/transaction';
import { type Blocker, LostRace, Refused, toFix } from '@/lib/domain/refusal';
import { releaseId } from '@/lib/queries/release-ref';
import { type ReleaseView, releaseView } from '@/lib/queries/release-view';
import { isWorking, workOf } from '@/lib/queries/release-working';
import { blockersOf } from '@/lib/services/release';
import { driftFound, type Found, quarantineFound } from '@/lib/services/release/acceptance-rules';
import { findRelease, type Release } from '@/lib/services/release/load';
import { type Answer, ok } from '@/lib/web/api/endpoint';
import { untilIdle } from '@/lib/web/api/wait';

/** A release as the API gives it: its written form, and everything that became of it. */
export type ReleaseAnswer = Record<string, unknown> &
  ReleaseView & {
    blockers: Record<string, readonly Blocker[]>;
    /** What `accept` has to quote; null where there is nothing of the kind. */
    toAccept: { drift: Found | null; quarantine: Found | null };
  };

/** Reads a release with what blocks each move that is open to its state. */
export async function releaseAnswer(db: Database, reference: string): Promise<ReleaseAnswer> {
  // one snapshot: a state and a signature of different moments would not fit together
  const { view, release } = await transaction(
    db,
    async (tx) => ({
      view: await releaseView(tx, reference),
      release: await findRelease(tx, reference),
    }),
    { isolation: 'repeatable read', readOnly: true },
  );
  return {
    ...view.spec,
    ...view,
    blockers: await blockersOf(db, release),
    toAccept: await toAccept(db, view, release),
  };
}

async function toAccept(
  db: Database,
  { rehearsal, reconciliation }: ReleaseView,
  release: Release,
): Promise<ReleaseAnswer['toAccept']> {
  const ended = [reconciliation, rehearsal].filter(
    (each) => each !== null && (each.verdict === 'passed' || each.verdict === 'failed'),
  );
  const newest = ended.sort((a, b) => (BigInt(a?.id ?? 0) < BigInt(b?.id ?? 0) ? 1 : -1))[0];
  const some = (found: Found) => (found.count === '0' ? null : found);
  return {
    drift: newest ? some(await driftFound(db, newest.id, null)) : null,
    quarantine:
      release.generation === null ? null : some(await quarantineFound(db, release.generation)),
  };
}

/** The answer of a release's own paths, with its ETag. */
export async function releaseResponse(
  db: Database,
  reference: string,
  status = 200,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const body = await releaseAnswer(db, reference);
  return { ...ok(body, { etag: etagOf(body.version), ...headers }), status };
}

/** Waits until the runner has nothing left to do for a release. */
export async function waitForRelease(
  db: Database,
  reference: string,
  seconds: number | undefined,
  signal: AbortSignal,
): Promise<void> {
  if (!seconds) return;
  const id = await releaseId(db, reference);
  await untilIdle(seconds, signal, async () => isWorking(await workOf(db, id)));
}

export const etagOf = (version: number): string => `"${version}"`;

/** The version that an `If-Match` names; null for `*`, and for a tag that is none of ours. */
export function versionOf(ifMatch: string): number | 'any' | null {
  if (ifMatch.trim() === '*') return 'any';
  const version = /^(?:W\/)?"?(\d{1,9})"?$/.exec(ifMatch.trim())?.[1];
  return version === undefined ? null : Number(version);
}

/** The digest of the evidence that stands; '' where there is none. */
export async function standingEvidence(db: Database, reference: string): Promise<string> {
  return (await findRelease(db, reference)).evidence ?? '';
}

/**
 * Compares what the caller looked at with what is there: the version of `If-Match`, the digest of
 * `evidence`. The move itself compares again under its locks.
 *
 * @throws LostRace or Refused, both 409
 */
export async function requireSeen(
  db: Database,
  reference: string,
  seen: { ifMatch: string | null; evidence?: string | undefined },
): Promise<void> {
  if (seen.ifMatch === null && seen.evidence === undefined) return;
  const now = await findRelease(db, reference);
  if (seen.ifMatch !== null) {
    const version = versionOf(seen.ifMatch);
    if (version !== 'any' && version !== now.version) {
      throw new LostRace(
        `${reference} is at version ${now.version}, not at ${seen.ifMatch}; read it again.`,
        'CHANGED_SINCE_SEEN',
      );
    }
  }
  if (seen.evidence !== undefined && seen.evidence !== now.evidence) {
    throw new Refused(
      toFix('EVIDENCE_MOVED', 'The evidence is no longer what you were shown: read it again.', {
        expected: seen.evidence,
        current: now.evidence,
      }),
    );
  }
}
