import { type SQL, sql } from 'drizzle-orm';
import { affected, type Tx } from '@/lib/db/client';
import type { ReleaseState } from '@/lib/domain/lifecycle';
import { LostRace } from '@/lib/domain/refusal';
import { writeAudit } from '@/lib/services/audit/write';
import type { Ctx } from '@/lib/services/context';
import { type Release, referenceOf } from './load';

export interface StateChange {
  to: ReleaseState;
  /** The audit row's verb. */
  verb: string;
  /** Further columns to set, as `column = value` pieces. */
  set?: SQL[];
  why?: string | null;
  evidence?: string | null;
  before?: Record<string, unknown>;
  after?: Record<string, unknown>;
}

/**
 * Moves a release on by compare-and-set on state and version, and writes who and when. The
 * caller holds the release's row; the audit row comes last.
 *
 * @throws LostRace where the release is no longer what it was read as
 */
export async function moveState(
  tx: Tx,
  ctx: Pick<Ctx, 'actor' | 'requestId'>,
  release: Release,
  change: StateChange,
): Promise<void> {
  await setState(tx, ctx, release, change);
  await writeAudit(tx, ctx, {
    chain: `dataset:${release.dataset}`,
    verb: change.verb,
    subject: referenceOf(release),
    before: { state: release.state, ...change.before },
    after: { state: change.to, ...change.after },
    reason: change.why ?? null,
    evidence: change.evidence ?? null,
  });
}

/** `moveState` without the audit row, for a move that is part of a larger one. */
export async function setState(
  tx: Tx,
  ctx: Pick<Ctx, 'actor'>,
  release: Release,
  { to, set = [], why }: Pick<StateChange, 'to' | 'set' | 'why'>,
): Promise<void> {
  const changes = [
    sql`state = ${to}`,
    sql`version = version + 1`,
    sql`updated_at = clock_timestamp()`,
    ...set,
  ];
  const moved = await affected(
    tx,
    sql`update control.release set ${sql.join(changes, sql`, `)}
      where id = ${release.id} and state = ${release.state} and version = ${release.version}`,
  );
  if (moved !== 1) throw new LostRace(`${referenceOf(release)} is no longer ${release.state}.`);
  if (to !== release.state) {
    await tx.execute(sql`
      insert into control.release_state (release, state, by, why)
      values (${release.id}, ${to}, ${ctx.actor.person}, ${why ?? null})`);
  }
}
