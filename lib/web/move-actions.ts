import { sql } from 'drizzle-orm';
import { refresh } from 'next/cache';
import * as z from 'zod';
import { maybeOne } from '@/lib/db/client';
import { sha256 } from '@/lib/digest/canonical';
import type { Instant } from '@/lib/domain/instant';
import { sortedText } from '@/lib/domain/json';
import { formatMoment } from '@/lib/domain/partition-label';
import { Invalid, Refused, toFix } from '@/lib/domain/refusal';
import { changesSince } from '@/lib/queries/release-changes';
import type { Ctx } from '@/lib/services/context';
import { once } from '@/lib/services/idempotency';
import { findRelease } from '@/lib/services/release/load';
import { type ActionResult, action } from '@/lib/web/action';
import { makeMove } from '@/lib/web/make-move';
import { type MoveName, moveInputs, moveNames } from '@/lib/web/move-input';
import { newRequestId, problemOf } from '@/lib/web/problem';

/** What a page shows of a release while somebody decides on a move. */
export interface SeenRelease {
  version: number;
  /** When it was read. */
  at: string;
}

export interface MoveRequest {
  /** `name@revision`. */
  release: string;
  /** The move's own input, as the API takes it. */
  body?: Record<string, unknown>;
  /** What the page showed: a release that moved on since refuses, and says what changed. */
  seen?: SeenRelease | undefined;
  /** The same for all tries of one opening of a dialog: what was done is not done twice. */
  key?: string | undefined;
}

const request = (body: z.ZodType) =>
  z.strictObject({
    release: z.string().max(200),
    body: body.prefault({}),
    seen: z.strictObject({ version: z.int(), at: z.iso.datetime() }).optional(),
    key: z.string().min(1).max(100).optional(),
  });

/** Every move as a server action, by its name; each checks the permission of its own verb. */
export const moveActions = Object.fromEntries(
  moveNames.map((move) => [
    move,
    action(`release.${move}`, request(moveInputs[move]), (ctx, input) =>
      perform(ctx, move, input as MoveRequest & { body: Record<string, unknown> }),
    ),
  ]),
) as Record<MoveName, (input: MoveRequest) => Promise<ActionResult<null>>>;

/** For a call that no page of ours makes. */
export function noSuchMove(): Extract<ActionResult<null>, { ok: false }> {
  const error = new Invalid({
    pointer: '/move',
    code: 'INVALID_INPUT',
    message: `The moves are ${moveNames.join(', ')}.`,
  });
  return { ok: false, problem: problemOf(error, newRequestId()) };
}

async function perform(
  ctx: Ctx,
  move: MoveName,
  { release, body, seen, key }: MoveRequest & { body: Record<string, unknown> },
): Promise<null> {
  const run = async () => {
    if (seen) await requireVersion(ctx, release, seen);
    await makeMove(ctx, move, release, body);
    return { status: 200, body: '', headers: {} };
  };
  if (key === undefined) await run();
  else {
    const call = {
      route: `move ${move} ${release}`,
      key,
      bodyDigest: sha256(sortedText(body)),
      recover: async (requestId: string) =>
        (await wasDone(ctx, move, requestId)) ? { status: 200, body: '', headers: {} } : null,
    };
    await once(ctx, call, run);
  }
  // the nav's counts, lists and every tab of the release show it
  refresh();
  return null;
}

/**
 * Compares what the page showed with what is there. The move itself decides under its locks; this
 * only keeps a person from acting on a page that is out of date.
 *
 * @throws Refused with one blocker for each thing that changed
 */
async function requireVersion(ctx: Ctx, reference: string, seen: SeenRelease): Promise<void> {
  const now = await findRelease(ctx.db, reference);
  if (now.version === seen.version) return;
  const changes = await changesSince(ctx.db, reference, seen.at);
  const sides = { expected: seen.version, current: now.version };
  // the page that is out of date is rendered anew with the refusal: the next press is on what is
  refresh();
  throw new Refused(
    changes.length === 0
      ? [toFix('CHANGED_SINCE_SEEN', 'It changed since you looked; look again.', sides)]
      : changes.map(({ actor, did, at, zone }) =>
          toFix(
            'CHANGED_SINCE_SEEN',
            `${actor} ${did}, ${formatMoment(zone, at as Instant)}. Nothing that you pressed was done.`,
          ),
        ),
  );
}

async function wasDone(ctx: Ctx, move: MoveName, requestId: string): Promise<boolean> {
  const found = await maybeOne(
    ctx.db,
    sql`select 1 from control.audit_event
      where request_id = ${requestId} and outcome = 'done' and verb = ${`release.${move}`} limit 1`,
  );
  return found !== null;
}
