import { sql } from 'drizzle-orm';
import { Invalid } from '@/lib/domain/refusal';
import { endRelease } from './end-release';
import { move, refuseIf, stateBlocker } from './move';

/** Rejects a release, with a comment: it ends, what it sealed reopens, its candidate is dropped. */
export const reject = move<{ release: string; comment: string }>(
  'reject',
  async (tx, ctx, { registry, release }, input) => {
    const comment = input.comment?.trim() ?? '';
    if (comment === '') {
      throw new Invalid({
        pointer: '/comment',
        code: 'COMMENT_REQUIRED',
        message: 'Say why you reject it.',
      });
    }
    refuseIf(stateBlocker('reject', release));
    if (release.evidence !== null) {
      // A signer may change their mind: the earlier signature stays, the rejection ends the release.
      await tx.execute(sql`
        insert into control.signature
          (release, kind, person, decision, digest, release_digest, old_generation, statement, session)
        values (${release.id}, 'cutover', ${ctx.actor.person}, 'reject', ${release.evidence},
          ${release.digest}, ${release.oldGeneration}, ${comment}, ${ctx.actor.session})
        on conflict do nothing`);
    }
    await endRelease(tx, ctx, registry, release, 'REJECTED', 'release.reject', comment);
  },
);

/** Abandons a release before it is active: everything of it is drained and its candidate dropped. */
export const abandon = move<{ release: string; reason?: string; comment?: string }>(
  'abandon',
  async (tx, ctx, { registry, release }, input) => {
    refuseIf(stateBlocker('abandon', release));
    const why = input.reason ?? input.comment ?? 'abandoned';
    await endRelease(tx, ctx, registry, release, 'ABANDONED', 'release.abandon', why);
  },
);
