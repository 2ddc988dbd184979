import type { Ctx } from '@/lib/services/context';
import { moves } from '@/lib/services/release';
import { requireSeen, standingEvidence } from '@/lib/web/api/release-answer';
import type { MoveName } from '@/lib/web/move-input';

/** What a parsed body of a move may hold, as far as the door reads it. */
interface Said {
  evidence?: string | undefined;
  reason?: string | undefined;
  comment?: string | undefined;
  statement?: string | undefined;
}

/**
 * Makes a move for a door: the button and the API's call are this. `comment` and `reason` are two
 * names for the words that go into the audit chain; a digest of evidence that a move without a
 * signature quotes is compared before it runs.
 *
 * @param body parsed by `moveInputs[name]`
 * @param ifMatch the version that was looked at, as an ETag; null where none was named
 */
export async function makeMove(
  ctx: Ctx,
  name: MoveName,
  release: string,
  body: object,
  ifMatch: string | null = null,
): Promise<void> {
  const said = body as Said;
  const { evidence, reason = said.comment, comment = said.reason } = said;
  const signs = name === 'approve' || name === 'sign-rollback';
  await requireSeen(ctx.db, release, { ifMatch, evidence: signs ? undefined : evidence });
  const words = name === 'reject' ? {} : { reason, comment };
  const signed = signs
    ? {
        statement: said.statement ?? comment,
        // the second signature of a sitting: what was signed for the cutover is what stands
        ...(name === 'sign-rollback' && evidence === undefined
          ? { evidence: await standingEvidence(ctx.db, release) }
          : {}),
      }
    : {};
  const run = moves[name] as (ctx: Ctx, input: { release: string }) => Promise<void>;
  await run(ctx, { ...said, ...words, ...signed, release });
}
