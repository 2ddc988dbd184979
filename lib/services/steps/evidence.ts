import { sql } from 'drizzle-orm';
import { json, maybeOne, one, rows, type Tx } from '@/lib/db/client';
import { type Digest, digestOf, formatDigest } from '@/lib/digest/canonical';
import { type ManifestEntry, manifestRoot } from '@/lib/digest/manifest';
import { originOf } from '@/lib/domain/names';
import { quarantineFound } from '@/lib/services/release/acceptance-rules';
import type { Release } from '@/lib/services/release/load';

/** The candidate's manifest over its range: what the cutover's `where` compares as one root. */
export async function candidateManifest(tx: Tx, release: Release): Promise<ManifestEntry[]> {
  const found = await rows<{
    start: string;
    end: string;
    rows: string;
    sums: Record<string, string | null>;
    root: Buffer;
    fresh: boolean;
  }>(
    tx,
    sql`select s.start_at as start, s.end_at as "end", s.rows, s.sums, s.root,
        s.figures_version = s.version as fresh
      from control.segment_partition s where s.segment = ${release.segment} order by s.start_at`,
  );
  const stale = found.find((p) => !p.fresh);
  if (stale) throw new Error(`the figures of partition ${stale.start} are stale`);
  return found.map((p) => ({
    start: p.start,
    end: p.end,
    rows: p.rows,
    sums: p.sums,
    root: formatDigest(p.root),
  }));
}

/**
 * Root of what catch-up did: from where to where, how many events, and the roots of the partitions
 * that it touched.
 */
export async function catchUpRoot(tx: Tx, release: Release): Promise<Digest> {
  const touched = await rows<{ start: string; root: Buffer }>(
    tx,
    sql`select s.start_at as start, s.root from control.segment_partition s
      where s.segment = ${release.segment} and s.version > 1 order by s.start_at`,
  );
  const { events } = await one<{ events: string }>(
    tx,
    sql`select events from control.generation_progress where generation = ${release.generation}`,
  );
  return digestOf('interlock.catch-up.v1', {
    from: release.watermark,
    to: release.barrier,
    events,
    touched: touched.map((p) => [p.start, formatDigest(p.root)]),
  });
}

export async function candidateManifestRoot(tx: Tx, release: Release): Promise<Digest> {
  return manifestRoot(await candidateManifest(tx, release));
}

/**
 * Writes down the final evidence and answers its digest F: everything that a signature stands for.
 * If any part moves, the digest is another one, and every signature on this one is void.
 */
export async function writeEvidence(
  tx: Tx,
  release: Release,
  reconciliation: string,
): Promise<Digest> {
  const checks = await rows<Record<string, string>>(
    tx,
    sql`select name, verdict, figure, digest from control.check_result
      where reconciliation = ${reconciliation} order by position`,
  );
  const roots = await one<{ manifestRoot: string; catchUpRoot: string }>(
    tx,
    sql`select manifest_root as "manifestRoot", catch_up_root as "catchUpRoot"
      from control.generation where id = ${release.generation}`,
  );
  const acceptances = await rows<Record<string, string | null>>(
    tx,
    sql`select what, partition, class, count, digest, reason, person from control.acceptance
      where release = ${release.id} order by id`,
  );
  const names = await maybeOne<{ candidate: string; old: string }>(
    tx,
    sql`select (select name from control.generation where id = ${release.generation}) as candidate,
        (select name from control.generation where id = ${release.oldGeneration}) as old`,
  );
  const parts = {
    release: release.digest,
    generation: names?.candidate ?? null,
    expectedOldGeneration: names?.old ?? null,
    epoch: release.sealedEpoch,
    barrier: release.barrier,
    ...roots,
    checks,
    gates: {
      lagAtSealSeconds: release.lagAtSealSeconds,
      maxLiveLagSeconds: release.maxLiveLagSeconds,
      maxSealedSeconds: release.maxSealedSeconds,
      maxBufferedEvents: release.maxBufferedEvents,
      approvals: release.approvalsNeeded,
      rollbackApprovals: release.rollbackApprovalsNeeded,
    },
    sealedPartitions: await sealedInRange(tx, release),
    quarantine: await quarantineFound(tx, release.generation as string),
    acceptances,
  };
  const digest = digestOf('interlock.evidence.v1', parts);
  await tx.execute(sql`
    insert into control.evidence (digest, release, basis, parts, reconciliation)
    values (${digest}, ${release.id}, 'final', ${json(parts)}, ${reconciliation})
    on conflict (digest) do nothing`);
  return digest;
}

/** What of the range was published: it is not served anew, and the cutover compares that it is still this. */
async function sealedInRange(tx: Tx, release: Release): Promise<{ start: string; root: string }[]> {
  const found = await rows<{ start: string; root: Buffer }>(
    tx,
    sql`select start_at as start, root from control.published_partition
      where dataset = ${originOf(release.dataset)} and start_at >= ${release.rangeFrom}::timestamptz
        and (${release.rangeTo}::timestamptz is null or start_at < ${release.rangeTo}::timestamptz)
      order by start_at`,
  );
  return found.map(({ start, root }) => ({ start, root: formatDigest(root) }));
}
