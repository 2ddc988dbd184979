import { sql } from 'drizzle-orm';
import { array, json } from '@/lib/db/client';
import { loadSource } from '@/lib/db/dataset-shape';
import { isConflict, pgError } from '@/lib/db/pg-error';
import { createSourceTables } from '@/lib/db/statements/source-ddl';
import { transaction } from '@/lib/db/transaction';
import { canonicalJson } from '@/lib/digest/canonical';
import { parseName, readSourceName } from '@/lib/domain/names';
import { Refused, toFix } from '@/lib/domain/refusal';
import { sourceBodySchema } from '@/lib/domain/source';
import { parseInput } from '@/lib/domain/zod-issues';
import { writeAudit } from '@/lib/services/audit/write';
import { verb } from '@/lib/services/verb';

export interface ApplySource {
  name: string;
  [field: string]: unknown;
}

/**
 * Declares a source. Saying the same again changes nothing; saying something else of one that is
 * there is refused: rows and offsets already depend on its columns, key and shards.
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
          const { name: _, ...declared } = known;
          if (canonicalJson(declared) === canonicalJson(spec)) return { created: false };
          const fields = (Object.keys(spec) as (keyof typeof spec)[]).filter(
            (field) => canonicalJson(spec[field]) !== canonicalJson(declared[field]),
          );
          throw new Refused(
            toFix(
              'SOURCE_IS_FIXED',
              `Source ${name} exists with other ${fields.join(', ')}; use another name.`,
            ),
          );
        }
        await tx.execute(sql`
          insert into control.source (name, columns, key, event_time, shards, complete, created_by)
          values (${name}, ${json(spec.columns)}, ${array(spec.key, 'text')}, ${spec.eventTime},
            ${spec.shards}, ${spec.complete}, ${ctx.actor.person})`);
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
