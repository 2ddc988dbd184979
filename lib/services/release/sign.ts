import { sql } from 'drizzle-orm';
import { affected, one, rows, type Tx } from '@/lib/db/client';
import { type Signature, type SignQuestion, signBlockers } from '@/lib/domain/approval-rules';
import type { Instant } from '@/lib/domain/instant';
import type { ReleaseState } from '@/lib/domain/lifecycle';
import type { Role } from '@/lib/domain/permissions';
import { LostRace, Refused } from '@/lib/domain/refusal';
import { writeAudit } from '@/lib/services/audit/write';
import type { Ctx } from '@/lib/services/context';
import { standing } from './facts';
import { type Release, referenceOf } from './load';
import { move } from './move';
import { setState } from './move-state';

export interface SignInput {
  release: string;
  /** The digest of the evidence that the signer was shown. */
  evidence: string;
  statement?: string;
}

/**
 * Signs the cutover: a signature on the digest of the evidence that the signer was shown. The
 * release's row is locked, the person's role read now; the last signature that is needed moves the
 * release to APPROVED. Approving does not execute.
 */
export const approve = move<SignInput>('approve', async (tx, ctx, { release }, input) => {
  await sign(tx, ctx, release, 'cutover', input);
  const after = await standing(tx, release);
  const enough = after.cutover >= (release.approvalsNeeded ?? Number.POSITIVE_INFINITY);
  if (release.state === 'RECONCILED' && enough) {
    await setState(tx, ctx, release, { to: 'APPROVED' });
  }
  await auditSignature(tx, ctx, release, 'release.approve', input, {
    signatures: `${after.cutover} of ${release.approvalsNeeded}`,
  });
});

/**
 * Signs the rollback: bound to the release, its evidence and the old generation, and may be given
 * in the same sitting as the cutover's. Without it there is no rollback.
 */
export const signRollback = move<SignInput>(
  'sign-rollback',
  async (tx, ctx, { release }, input) => {
    await sign(tx, ctx, release, 'rollback', input);
    await auditSignature(tx, ctx, release, 'release.sign-rollback', input, {});
  },
);

/**
 * One conditional INSERT is the decision: state, evidence, hold, deadline, role, authorship and
 * "once" are all in its `where`. The rows that it believes in are locked before. Zero rows: the
 * same rules, asked one by one, say why.
 */
async function sign(
  tx: Tx,
  ctx: Ctx,
  release: Release,
  kind: 'cutover' | 'rollback',
  input: SignInput,
): Promise<void> {
  const person = ctx.actor.person;
  // Losing the role locks the person's row: whoever comes second sees what the first one did.
  await tx.execute(sql`select 1 from control.person where name = ${person} for update`);
  const signed = await affected(
    tx,
    sql`insert into control.signature
        (release, kind, person, decision, digest, release_digest, old_generation, statement, session)
      select x.id, ${kind}, ${person}, 'approve', x.evidence, x.digest, x.old_generation,
        ${input.statement ?? null}, ${ctx.actor.session}
      from control.release x
      where x.id = ${release.id} and x.evidence = ${input.evidence} and x.held_at is null
        and x.state in ('RECONCILED', 'APPROVED', ${kind === 'rollback' ? 'ACTIVE' : 'APPROVED'})
        and (${kind} = 'rollback' or x.deadline is null or x.deadline > clock_timestamp())
        and exists (select from control.person_role where person = ${person} and role = 'approver')
        and not exists (select from control.release_author where release = x.id and person = ${person})
        and not exists (select from control.signature s where s.release = x.id and s.kind = ${kind}
          and s.person = ${person} and s.digest = x.evidence)`,
  );
  if (signed === 1) return;
  const blockers = signBlockers(await question(tx, ctx, release, kind, input.evidence));
  if (blockers.length === 0) throw new LostRace();
  throw new Refused(blockers);
}

async function question(
  tx: Tx,
  ctx: Ctx,
  release: Release,
  kind: 'cutover' | 'rollback',
  shownDigest: string,
): Promise<SignQuestion> {
  const person = ctx.actor.person;
  const found = await one<{ roles: Role[] | null; authors: string[] | null; now: string }>(
    tx,
    sql`select (select array_agg(role) from control.person_role where person = ${person}) as roles,
        (select array_agg(person) from control.release_author where release = ${release.id}) as authors,
        clock_timestamp() as now`,
  );
  return {
    kind,
    person,
    roles: found.roles ?? [],
    authors: found.authors ?? [],
    signatures: await rows<Signature>(
      tx,
      sql`select person, kind, decision, digest from control.signature where release = ${release.id}`,
    ),
    currentDigest: release.evidence,
    shownDigest,
    state: release.state as ReleaseState,
    held: release.heldAt !== null,
    deadline: release.deadline as Instant | null,
    now: found.now as Instant,
  };
}

const auditSignature = (
  tx: Tx,
  ctx: Ctx,
  release: Release,
  name: string,
  input: SignInput,
  after: Record<string, unknown>,
) =>
  writeAudit(tx, ctx, {
    chain: `dataset:${release.dataset}`,
    verb: name,
    subject: referenceOf(release),
    after,
    reason: input.statement ?? null,
    evidence: input.evidence,
  });
