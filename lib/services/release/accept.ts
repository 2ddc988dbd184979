import { sql } from 'drizzle-orm';
import { maybeOne, type Tx } from '@/lib/db/client';
import { Invalid, Refused, toFix } from '@/lib/domain/refusal';
import { writeAudit } from '@/lib/services/audit/write';
import { driftFound, type Found, quarantineFound } from './acceptance-rules';
import { addAuthor } from './draft';
import { type Release, referenceOf } from './load';
import { move, refuseIf, stateBlocker } from './move';

export interface AcceptInput {
  release: string;
  what: 'drift' | 'quarantine';
  /** A partition's start: its drift alone. */
  partition?: string;
  class?: string;
  count: number | string;
  digest: string;
  reason: string;
}

/**
 * Accepts drift or quarantine by name, quoting the count and digest of what was seen: if it is
 * another now, nothing is accepted. Whoever accepts counts as an author from then on.
 */
export const accept = move<AcceptInput>('accept', async (tx, ctx, { release }, input) => {
  const reason = input.reason?.trim() ?? '';
  if (reason === '') {
    throw new Invalid({
      pointer: '/reason',
      code: 'COMMENT_REQUIRED',
      message: 'Say why this is accepted.',
    });
  }
  refuseIf(stateBlocker('accept', release));
  const found = await whatIsThere(tx, release, input);
  if (found.count !== String(input.count) || found.digest !== input.digest) {
    throw new Refused(
      toFix(
        'EVIDENCE_MOVED',
        `There are ${found.count} now, with another digest than you quoted: look again.`,
        {
          expected: { count: String(input.count), digest: input.digest },
          current: { ...found },
        },
      ),
    );
  }
  await tx.execute(sql`
    insert into control.acceptance (release, what, partition, class, count, digest, reason, person)
    values (${release.id}, ${input.what}, ${input.partition ?? null}, ${input.class ?? null}, ${found.count},
      ${found.digest}, ${reason}, ${ctx.actor.person})`);
  await addAuthor(tx, release.id, ctx.actor.person, `accepted ${input.what} of`);
  await writeAudit(tx, ctx, {
    chain: `dataset:${release.dataset}`,
    verb: 'release.accept',
    subject: referenceOf(release),
    after: { what: input.what, partition: input.partition ?? null, ...found },
    reason,
  });
});

async function whatIsThere(tx: Tx, release: Release, input: AcceptInput): Promise<Found> {
  if (input.what === 'quarantine') return quarantineFound(tx, release.generation as string);
  const latest = await maybeOne<{ id: string }>(
    tx,
    sql`select id from control.reconciliation where release = ${release.id} and verdict in ('passed', 'failed')
      order by id desc limit 1`,
  );
  if (!latest)
    throw new Refused(toFix('REHEARSAL_MISSING', 'No reconciliation has found drift yet.'));
  return driftFound(tx, latest.id, input.partition ?? null);
}
