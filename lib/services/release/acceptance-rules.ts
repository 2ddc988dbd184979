import { sql } from 'drizzle-orm';
import { type Database, one, rows, type Tx } from '@/lib/db/client';
import { digestOf } from '@/lib/digest/canonical';
import type { Release } from './load';

/** Count and digest of what was found, as an acceptance has to quote them. */
export interface Found {
  count: string;
  digest: string;
}

/** The candidate's quarantine: how many, and a digest over keys and codes in key order. */
export async function quarantineFound(tx: Database | Tx, generation: string): Promise<Found> {
  const entries = await rows<{ key: string; code: string }>(
    tx,
    sql`select source_key as key, code from control.quarantine
      where generation = ${generation} order by source_key collate "C"`,
  );
  return {
    count: String(entries.length),
    digest: digestOf(
      'interlock.quarantine.v1',
      entries.map((e) => [e.key, e.code]),
    ),
  };
}

/** How many quarantined events of the candidate no acceptance covers: all, or none. */
export async function unacceptedQuarantine(tx: Database | Tx, release: Release): Promise<string> {
  if (release.generation === null) return '0';
  const found = await quarantineFound(tx, release.generation);
  if (found.count === '0') return '0';
  const { accepted } = await one<{ accepted: boolean }>(
    tx,
    sql`select exists (select from control.acceptance where release = ${release.id}
      and what = 'quarantine' and count = ${found.count} and digest = ${found.digest}) as accepted`,
  );
  return accepted ? '0' : found.count;
}

/** Drift of a reconciliation: of one partition, or of all. */
export async function driftFound(
  tx: Database | Tx,
  reconciliation: string,
  partition: string | null,
): Promise<Found> {
  const parts = await rows<{ start: string; drift: string; digest: string }>(
    tx,
    sql`select start_at as start, drift, drift_digest as digest
      from control.reconciliation_partition
      where reconciliation = ${reconciliation} and drift > 0
        and (${partition}::timestamptz is null or start_at = ${partition}::timestamptz)
      order by start_at`,
  );
  return {
    count: String(parts.reduce((sum, p) => sum + BigInt(p.drift), 0n)),
    digest: digestOf(
      'interlock.drift.v1',
      parts.map((p) => [p.start, p.drift, p.digest]),
    ),
  };
}

/**
 * Rows of drift in a reconciliation that no acceptance covers. An acceptance covers exactly what
 * it quoted: the whole, or one partition, while count and digest are the same.
 */
export async function unacceptedDrift(
  tx: Database | Tx,
  release: Release,
  reconciliation: string,
): Promise<string> {
  const whole = await driftFound(tx, reconciliation, null);
  if (whole.count === '0') return '0';
  const acceptances = await rows<{ partition: string | null; count: string; digest: string }>(
    tx,
    sql`select partition, count, digest from control.acceptance
      where release = ${release.id} and what = 'drift'`,
  );
  const covers = (a: { count: string; digest: string }, f: Found) =>
    a.count === f.count && a.digest === f.digest;
  if (acceptances.some((a) => a.partition === null && covers(a, whole))) return '0';
  let accepted = 0n;
  for (const partition of new Set(acceptances.flatMap((a) => a.partition ?? []))) {
    const found = await driftFound(tx, reconciliation, partition);
    if (acceptances.some((a) => a.partition === partition && covers(a, found))) {
      accepted += BigInt(found.count);
    }
  }
  return String(BigInt(whole.count) - accepted);
}
