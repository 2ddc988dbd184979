import { sql } from 'drizzle-orm';
import { type Database, maybeOne } from '@/lib/db/client';
import type { ReleaseState } from '@/lib/domain/lifecycle';
import { readReleaseRef } from '@/lib/domain/names';
import { savedReports, shadowOf } from '@/lib/queries/reports';
import { type MarkInput, markContaminated } from '@/lib/services/contamination';
import type { Ctx } from '@/lib/services/context';
import type { Persona } from '@/lib/services/people/personas';
import { createRelease, findRelease, moves } from '@/lib/services/release';
import { askShadowReads, readInShadow, type SaveReport, saveReport } from '@/lib/services/reports';
import { as } from './cast';
import type { Draft } from './story/releases';
import { isBuilt, isDropped, isRehearsed, workUntil } from './work';

/*
 * The steps of a release of the story. Each looks where the release is and does its part only if
 * that is still to be done, so that a start that was killed anywhere is gone on with by the next.
 */

/** Makes the move if the release is in the state in which it is due. */
async function move(
  db: Database,
  release: string,
  due: ReleaseState,
  person: Persona,
  run: (ctx: Ctx) => Promise<unknown>,
): Promise<boolean> {
  if ((await findRelease(db, release)).state !== due) return false;
  await run(await as(db, person));
  return true;
}

export async function draft(db: Database, spec: Draft): Promise<void> {
  const read = readReleaseRef(spec.release);
  if (!read.ok) throw new Error(read.message);
  const known = await maybeOne(
    db,
    sql`select 1 from control.release
      where name = ${read.value.name} and revision = ${read.value.revision}`,
  );
  if (!known) await createRelease(await as(db, 'owner'), spec);
}

/** From the draft through pin and build to a receipt for every partition. */
export async function built(db: Database, spec: Draft): Promise<void> {
  const { release } = spec;
  await draft(db, spec);
  await move(db, release, 'DRAFT', 'owner', (ctx) => moves.pin(ctx, { release }));
  await move(db, release, 'SNAPSHOT_PINNED', 'owner', (ctx) => moves.build(ctx, { release }));
  await workUntil(db, release, async (at) => at.state !== 'BUILDING' || isBuilt(db, at));
}

/** A rehearsal that came to its end, whatever it found. */
export async function rehearsed(db: Database, release: string): Promise<void> {
  const before = await findRelease(db, release);
  if (before.state !== 'BUILDING' || (await isRehearsed(db, before))) return;
  if (before.rehearseAskedAt === null) await moves.rehearse(await as(db, 'owner'), { release });
  await workUntil(db, release, (at) => isRehearsed(db, at));
}

/** From the rehearsal through seal, signatures and cutover to its generation in use. */
export async function cutOver(
  db: Database,
  release: string,
  statements: { approver: string; approver2: string },
): Promise<void> {
  await move(db, release, 'BUILDING', 'owner', (ctx) => moves.seal(ctx, { release }));
  const sealed = ['INGRESS_SEALED', 'CAUGHT_UP'];
  await workUntil(db, release, (at) => !sealed.includes(at.state));
  await sign(db, release, 'approver', statements.approver);
  await signRollback(db, release);
  await sign(db, release, 'approver2', statements.approver2);
  await move(db, release, 'APPROVED', 'oncall', (ctx) => moves.activate(ctx, { release }));
}

async function sign(db: Database, release: string, person: Persona, statement: string) {
  await move(db, release, 'RECONCILED', person, async (ctx) => {
    const at = await findRelease(db, release);
    if (await signed(db, at.id, 'cutover', person)) return;
    await moves.approve(ctx, { release, evidence: at.evidence ?? '', statement });
  });
}

async function signRollback(db: Database, release: string): Promise<void> {
  await move(db, release, 'RECONCILED', 'approver', async (ctx) => {
    const at = await findRelease(db, release);
    if (await signed(db, at.id, 'rollback', 'approver')) return;
    await moves['sign-rollback'](ctx, { release, evidence: at.evidence ?? '' });
  });
}

async function signed(db: Database, id: string, kind: string, person: Persona): Promise<boolean> {
  const found = await maybeOne(
    db,
    sql`select 1 from control.signature s join control.release x on x.id = s.release
      where s.release = ${id} and s.kind = ${kind} and s.person = ${person} and s.digest = x.evidence`,
  );
  return found !== null;
}

/** The generation that the release replaced is dropped once its window is over. */
export async function retired(db: Database, release: string): Promise<void> {
  await workUntil(db, release, (at) => at.state === 'RETIRED');
}

/** The runner looks once at what a cutover is watched for. */
export async function watched(db: Database, release: string): Promise<void> {
  await workUntil(db, release, () => true);
}

export async function rolledBack(db: Database, release: string, reason: string): Promise<void> {
  const { id } = await findRelease(db, release);
  const under = await maybeOne(
    db,
    sql`select 1 from control.rollback where release = ${id} and state not in ('called_off', 'failed')`,
  );
  if (!under) {
    await move(db, release, 'ACTIVE', 'oncall', (ctx) => moves.rollback(ctx, { release, reason }));
  }
  await workUntil(db, release, (at) => at.state === 'ROLLED_BACK');
}

export async function rejected(db: Database, release: string, comment: string): Promise<void> {
  await move(db, release, 'BUILDING', 'approver', (ctx) => moves.reject(ctx, { release, comment }));
  await workUntil(db, release, (at) => isDropped(db, at));
}

export async function abandoned(
  db: Database,
  release: string,
  from: 'DRAFT' | 'BUILDING',
  reason: string,
): Promise<void> {
  await move(db, release, from, 'owner', (ctx) => moves.abandon(ctx, { release, reason }));
  await workUntil(db, release, (at) => isDropped(db, at));
}

/** Readers are warned of a range, unless they are already. */
export async function marked(db: Database, mark: MarkInput): Promise<void> {
  const known = await maybeOne(
    db,
    sql`select 1 from control.contamination where dataset = ${mark.dataset}
      and range_from = ${mark.from}::timestamptz and range_to = ${mark.to}::timestamptz`,
  );
  if (!known) await markContaminated(await as(db, 'oncall'), mark);
}

/** Reports are saved, and read on both generations of a release, where that was not done yet. */
export async function readBefore(
  db: Database,
  release: string,
  reports: readonly SaveReport[],
): Promise<void> {
  const approver = await as(db, 'approver');
  for (const report of reports) {
    const saved = await savedReports(db, report.dataset);
    if (!saved.some(({ name }) => name === report.name)) {
      await saveReport(await as(db, 'owner'), report);
    }
  }
  const unread = (await shadowOf(db, release)).filter(({ read }) => read === null);
  if (unread.length > 0) {
    await askShadowReads(approver, { release, reports: unread.map(({ report }) => report.id) });
  }
  for (const { read } of await shadowOf(db, release)) {
    // one that a killed start had begun is left to the job runner
    if (read?.state === 'ASKED') await readInShadow(db, read.id);
  }
}
