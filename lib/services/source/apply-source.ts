import { sql } from 'drizzle-orm';
import { array, json, maybeOne, type Tx } from '@/lib/db/client';
import { loadSource, type SourceShape } from '@/lib/db/dataset-shape';
import { isConflict, pgError } from '@/lib/db/pg-error';
import { createSourceTables } from '@/lib/db/statements/source-ddl';
import { transaction } from '@/lib/db/transaction';
import { canonicalJson } from '@/lib/digest/canonical';
import { parseName, readSourceName } from '@/lib/domain/names';
import { Refused, toFix } from '@/lib/domain/refusal';
import { type SourceSpec, sourceBodySchema } from '@/lib/domain/source';
import { parseInput } from '@/lib/domain/zod-issues';
import { writeAudit } from '@/lib/services/audit/write';
import type { Ctx } from '@/lib/services/context';
import { verb } from '@/lib/services/verb';

export interface ApplySource {
  name: string;
  [field: string]: unknown;
}

/**
 * Declares a source. Saying the same again changes nothing. Of one that is there only
 * `retentionDays` changes (left out: everything is kept from now on); saying something else of the
 * others is refused, since rows and offsets already depend on them.
 */
export const applySource = verb<ApplySource, { created: boolean }>(
  { name: 'source.apply', subject: (input) => String(input.name), chain: async () => 'people' },
  async (ctx, input) => {
    const { name: given, ...body } = input;
    const name = parseName(readSourceName, given, '/name');
    const spec = parseInput(sourceBodySchema, body);
    try {
      return await transaction(ctx.db, async (tx) => {
        const known = await loadSource(tx, name);
        if (known) {
          await changeRetention(tx, ctx, known, spec);
          return { created: false };
        }
        await tx.execute(sql`
          insert into control.source (name, columns, key, event_time, shards, complete, retention_days,
            created_by)
          values (${name}, ${json(spec.columns)}, ${array(spec.key, 'text')}, ${spec.eventTime},
            ${spec.shards}, ${spec.complete}, ${spec.retentionDays}, ${ctx.actor.person})`);
        await tx.execute(sql`
          insert into control.source_shard (source, shard)
          select ${name}, n from generate_series(0, ${spec.shards - 1}::int) n`);
        await createSourceTables(tx, { name, ...spec });
        await writeAudit(tx, ctx, {
          chain: 'people',
          verb: 'source.apply',
          subject: name,
          after: spec,
        });
        return { created: true };
      });
    } catch (error) {
      if (isConflict(error) || pgError(error)?.code === '42P06') {
        throw new Refused(
          toFix('ALREADY_EXISTS', `Somebody else made source ${name} just now; apply it again.`),
        );
      }
      throw error;
    }
  },
);

/** The one field that changes; a chunk of pruning that is under way is waited for. */
async function changeRetention(
  tx: Tx,
  ctx: Ctx,
  { name, ...declared }: SourceShape,
  { retentionDays, ...fixed }: SourceSpec,
): Promise<void> {
  const differing = (Object.keys(fixed) as (keyof typeof fixed)[]).filter(
    (field) => canonicalJson(fixed[field]) !== canonicalJson(declared[field]),
  );
  if (differing.length > 0) {
    throw new Refused(
      toFix(
        'SOURCE_IS_FIXED',
        `Source ${name} exists with other ${differing.join(', ')}; use another name.`,
      ),
    );
  }
  const before = await maybeOne<{ retentionDays: number | null }>(
    tx,
    sql`select retention_days as "retentionDays" from control.source where name = ${name}
      for no key update`,
  );
  if (!before || before.retentionDays === retentionDays) return;
  await tx.execute(
    sql`update control.source set retention_days = ${retentionDays} where name = ${name}`,
  );
  await writeAudit(tx, ctx, {
    chain: 'people',
    verb: 'source.apply',
    subject: name,
    before: { ...before },
    after: { retentionDays },
  });
}
