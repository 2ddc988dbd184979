import type { Database, Tx } from '@/lib/db/client';
import { pgError } from '@/lib/db/pg-error';
import { transaction } from '@/lib/db/transaction';
import { may, type Verb } from '@/lib/domain/permissions';
import { Forbidden, InterlockError, LostRace } from '@/lib/domain/refusal';
import { type Chain, writeAudit } from './audit/write';
import type { Ctx } from './context';

export interface VerbDefinition<Input> {
  /** The permission that it needs, and the audit row's verb. */
  name: Verb;
  subject: (input: Input) => string;
  /** The audit chain that its refusals belong to; `people` where there is none better. */
  chain: (db: Database, input: Input) => Promise<Chain>;
  /** Questions leave no audit row when they are refused. */
  audited?: boolean;
}

/**
 * A verb: who calls is checked first, and a refusal is recorded in a transaction of its own, since
 * the move's was rolled back. Codes that PostgreSQL could not resolve by retrying become LOST_RACE.
 */
export function verb<Input, Output>(
  definition: VerbDefinition<Input>,
  run: (ctx: Ctx, input: Input) => Promise<Output>,
): (ctx: Ctx, input: Input) => Promise<Output> {
  return async (ctx, input) => {
    try {
      if (!may(ctx.actor.roles, definition.name)) {
        throw new Forbidden(`This needs another role: ${definition.name} is not yours to do.`);
      }
      return await run(ctx, input);
    } catch (error) {
      const refused = translate(error);
      if (
        refused instanceof InterlockError &&
        refused.status !== 404 &&
        definition.audited !== false
      ) {
        await recordRefusal(ctx, definition, input, refused);
      }
      throw refused;
    }
  };
}

function translate(error: unknown): unknown {
  const code = pgError(error)?.code;
  if (code === '55P03' || code === '40P01' || code === '40001') {
    return new LostRace('Another move held this dataset for too long; nothing changed, try again.');
  }
  return error;
}

async function recordRefusal<Input>(
  ctx: Ctx,
  definition: VerbDefinition<Input>,
  input: Input,
  error: InterlockError,
): Promise<void> {
  const chain = await definition.chain(ctx.db, input);
  const blockers = 'blockers' in error ? error.blockers : undefined;
  await transaction(ctx.db, (tx: Tx) =>
    writeAudit(tx, ctx, {
      chain,
      verb: definition.name,
      subject: definition.subject(input),
      outcome: 'refused',
      reason: error.message,
      after: { code: error.code, ...(blockers === undefined ? {} : { blockers }) },
    }),
  );
}
