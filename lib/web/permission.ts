import { sql } from 'drizzle-orm';
import { maybeOne } from '@/lib/db/client';
import { transaction } from '@/lib/db/transaction';
import { may, type Verb } from '@/lib/domain/permissions';
import { Forbidden } from '@/lib/domain/refusal';
import { type Chain, writeAudit } from '@/lib/services/audit/write';
import type { Ctx } from '@/lib/services/context';
import { chainOfRelease } from '@/lib/services/release/load';

/**
 * Refuses whom no role allows this, before anything of the request is read, and records it.
 *
 * @throws Forbidden
 */
export async function requirePermission(
  ctx: Ctx,
  permission: Verb,
  params: Readonly<Record<string, string>>,
): Promise<void> {
  if (may(ctx.actor.roles, permission)) return;
  const refused = new Forbidden(`This needs another role: ${permission} is not yours to do.`);
  const chain = await chainOf(ctx, params);
  await transaction(ctx.db, (tx) =>
    writeAudit(tx, ctx, {
      chain,
      verb: permission,
      subject: Object.values(params)[0] ?? '',
      outcome: 'refused',
      reason: refused.message,
      after: { code: refused.code },
    }),
  );
  throw refused;
}

async function chainOf(ctx: Ctx, params: Readonly<Record<string, string>>): Promise<Chain> {
  if (params.release !== undefined) return chainOfRelease(ctx.db, params.release);
  if (params.dataset === undefined) return 'people';
  // a chain for each name that somebody thinks of would never end
  const found = await maybeOne(
    ctx.db,
    sql`select 1 from control.dataset where name = ${params.dataset} and fork_of is null`,
  );
  return found ? `dataset:${params.dataset}` : 'people';
}
