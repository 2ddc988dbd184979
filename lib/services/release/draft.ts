import { eq, sql } from 'drizzle-orm';
import { json, one, rows, type Tx } from '@/lib/db/client';
import { isConflict } from '@/lib/db/pg-error';
import { release as releaseTable } from '@/lib/db/schema/release';
import { transaction } from '@/lib/db/transaction';
import { isObject, type Json, mergePatch } from '@/lib/domain/json';
import { formatReleaseRef, readReleaseNameOrRef } from '@/lib/domain/names';
import { LostRace, Refused, toFix } from '@/lib/domain/refusal';
import {
  canonicalSpec,
  carriesFrom,
  diffSpecs,
  parseRelease,
  type ReleaseSpec,
} from '@/lib/domain/release';
import { writeAudit } from '@/lib/services/audit/write';
import type { Ctx } from '@/lib/services/context';
import { verb } from '@/lib/services/verb';
import { chainOfRelease, findRelease, lockRelease, referenceOf } from './load';
import { checkSpec } from './prepare';

/**
 * Drafts a release. A bare name, or a revision that exists, makes the next revision of that name;
 * whoever wrote fields that it carries is an author of it too.
 */
export const createRelease = verb<unknown, { name: string; revision: number }>(
  {
    name: 'release.create',
    subject: nameGiven,
    chain: async () => 'people',
  },
  async (ctx, input) => {
    const spec = parseRelease(input);
    await checkSpec(ctx.db, spec);
    for (let attempt = 0; ; attempt++) {
      try {
        return await transaction(ctx.db, (tx) => insertDraft(tx, ctx, spec));
      } catch (error) {
        // somebody made the same revision at the same time: the next one is free
        if (!isConflict(error, 'release_name_revision') || attempt >= 5) throw error;
      }
    }
  },
);

/** Whatever it was called, as far as it is text: what is refused is not parsed. */
function nameGiven(input: unknown): string {
  const release = isObject(input) ? input.release : undefined;
  return typeof release === 'string' ? release : '';
}

async function insertDraft(tx: Tx, ctx: Ctx, spec: ReleaseSpec) {
  const read = readReleaseNameOrRef(spec.release);
  if (!read.ok) throw new LostRace();
  const { name, revision: asked } = read.value;
  const [newest] = await rows<{ id: string; revision: number; dataset: string; spec: ReleaseSpec }>(
    tx,
    sql`select id, revision, dataset, spec from control.release where name = ${name} order by revision desc limit 1`,
  );
  if (newest && newest.dataset !== spec.dataset) {
    throw new Refused(
      toFix(
        'ALREADY_EXISTS',
        `The name ${name} belongs to releases of ${newest.dataset}; take another name.`,
      ),
    );
  }
  const revision =
    asked !== null && asked > (newest?.revision ?? 0) ? asked : (newest?.revision ?? 0) + 1;
  const stored = { ...spec, release: formatReleaseRef({ name, revision }) };
  const { id } = await one<{ id: string }>(
    tx,
    sql`insert into control.release (name, revision, dataset, spec, created_by, deadline)
      values (${name}, ${revision}, ${spec.dataset}, ${json(canonicalSpec(stored))}, ${ctx.actor.person},
        ${spec.deadline ?? null})
      returning id`,
  );
  await tx.execute(sql`
    insert into control.release_state (release, state, by) values (${id}, 'DRAFT', ${ctx.actor.person})`);
  await addAuthor(tx, id, ctx.actor.person, 'wrote');
  if (newest && carriesFrom(newest.spec, spec)) {
    await tx.execute(sql`
      insert into control.release_author (release, person, how)
      select ${id}, person, 'wrote fields carried by' from control.release_author where release = ${newest.id}
      on conflict do nothing`);
  }
  await writeAudit(tx, ctx, {
    chain: `dataset:${spec.dataset}`,
    verb: 'release.create',
    subject: stored.release,
    after: canonicalSpec(stored),
  });
  return { name, revision };
}

export async function addAuthor(
  tx: Tx,
  release: string,
  person: string,
  how: string,
): Promise<void> {
  await tx.execute(sql`
    insert into control.release_author (release, person, how) values (${release}, ${person}, ${how})
    on conflict do nothing`);
}

export interface PatchInput {
  release: string;
  /** The version that the editor was shown. */
  version: number;
  /** A JSON merge patch of the spec. */
  spec: Json;
}

/** Changes a draft; whoever changes one becomes one of its authors. */
export const patchRelease = verb<PatchInput, void>(
  {
    name: 'release.edit',
    subject: (input) => input.release,
    chain: (db, input) => chainOfRelease(db, input.release),
  },
  async (ctx, input) => {
    const { id } = await findRelease(ctx.db, input.release);
    await transaction(ctx.db, async (tx) => {
      const release = await lockRelease(tx, id);
      if (release.state !== 'DRAFT') throw new Refused(toFix('NOT_A_DRAFT'));
      const before = release.spec as Json;
      if (release.version !== input.version) {
        throw new Refused(
          toFix(
            'CHANGED_SINCE_SEEN',
            `The draft is at version ${release.version}, you were shown ${input.version}.`,
            {
              expected: input.version,
              current: release.version,
            },
          ),
        );
      }
      const spec = parseRelease(mergePatch(before, input.spec));
      const fixed = { ...spec, release: referenceOf(release), dataset: release.dataset };
      await checkSpec(tx, fixed);
      const changes = diffSpecs(before as object, fixed);
      await tx
        .update(releaseTable)
        .set({
          spec: canonicalSpec(fixed),
          version: release.version + 1,
          deadline: fixed.deadline ?? null,
        })
        .where(eq(releaseTable.id, id));
      await addAuthor(tx, id, ctx.actor.person, 'edited');
      await writeAudit(tx, ctx, {
        chain: `dataset:${release.dataset}`,
        verb: 'release.edit',
        subject: referenceOf(release),
        before: Object.fromEntries(changes.map((c) => [c.pointer, c.before ?? null])),
        after: Object.fromEntries(changes.map((c) => [c.pointer, c.after ?? null])),
      });
    });
  },
);
