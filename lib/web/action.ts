import { headers } from 'next/headers';
import { unstable_rethrow } from 'next/navigation';
import type * as z from 'zod';
import { isObject } from '@/lib/domain/json';
import type { Verb } from '@/lib/domain/permissions';
import { Unauthenticated } from '@/lib/domain/refusal';
import { parseInput } from '@/lib/domain/zod-issues';
import type { Ctx } from '@/lib/services/context';
import { faultOfText } from '@/lib/web/api/json-text';
import { webDatabase } from '@/lib/web/db';
import { requireOwnOrigin } from '@/lib/web/origin';
import { requirePermission } from '@/lib/web/permission';
import { requirePlain } from '@/lib/web/plain-input';
import { newRequestId, type Problem, problemOf } from '@/lib/web/problem';
import { currentActor } from '@/lib/web/session';
import { countStranger } from '@/lib/web/strangers';

export type ActionResult<T> = { ok: true; value: T } | { ok: false; problem: Problem };

/**
 * The one wrapper of every server action: who is signed in and from which page it comes, whether
 * the person's roles of this moment allow it, the input's form, then the verb. Whatever goes wrong
 * comes back as a problem with blockers and a request id; nothing is thrown at the browser.
 *
 * ```ts
 * 'use server';
 * export const seal = action('release.seal', sealInput, async (ctx, input) => {
 *   await moves.seal(ctx, input);
 *   revalidatePath(`/releases/${input.release}`);
 * });
 * ```
 *
 * @param permission the verb's name; its refusals are audited under it
 * @param schema of the one argument; `release` or `dataset` in it names the audit chain
 */
export function action<S extends z.ZodType, T>(
  permission: Verb,
  schema: S,
  run: (ctx: Ctx, input: z.output<S>) => Promise<T>,
): (input: z.input<S>) => Promise<ActionResult<T>> {
  return async (input) => {
    const requestId = newRequestId();
    try {
      const db = webDatabase();
      requireOwnOrigin(await headers());
      const actor = await currentActor();
      if (!actor) {
        await countStranger(db, 'action');
        throw new Unauthenticated('You are not signed in any more; sign in and try again.');
      }
      const ctx: Ctx = { db, actor, requestId };
      await requirePermission(ctx, permission, namesOf(input));
      requirePlain(input);
      return { ok: true, value: await run(ctx, parseInput(schema, input)) };
    } catch (error) {
      // redirect() and notFound() are thrown, and are no errors
      unstable_rethrow(error);
      return { ok: false, problem: problemOf(error, requestId) };
    }
  };
}

/** The names in an input that say which audit chain it belongs to; nothing of it is checked yet. */
function namesOf(input: unknown): Record<string, string> {
  if (!isObject(input)) return {};
  return Object.fromEntries(
    ['release', 'dataset', 'source', 'person'].flatMap((name) => {
      const value = input[name];
      return typeof value === 'string' && !faultOfText(value) ? [[name, value.slice(0, 200)]] : [];
    }),
  );
}
