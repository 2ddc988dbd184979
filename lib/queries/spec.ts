import { sql } from 'drizzle-orm';
import { type Database, one, rows, type Tx } from '@/lib/db/client';
import { transformInUse } from '@/lib/queries/draft';
import { releaseId } from '@/lib/queries/release-ref';

export interface TransformText {
  digest: string | null;
  sql: string;
  commit: string | null;
  lock: string | null;
}

export interface SpecAuthor {
  person: string;
  /** "wrote", "edited", "accepted drift"… */
  how: string;
  at: string;
}

/** What a release says, as it was frozen or as it is drafted now. */
export interface SpecView {
  now: string;
  release: string;
  state: string;
  zone: string;
  spec: Record<string, unknown>;
  digest: string | null;
  planDigest: string | null;
  columnsDigest: string;
  evidence: string | null;
  /** The transform in use, or the one that was frozen as old. */
  old: TransformText | null;
  new: TransformText | null;
  snapshot: { name: string; rows: string; at: string; watermark: string[] } | null;
  oldGeneration: string | null;
  authors: SpecAuthor[];
  /** The revision before this one. */
  before: { release: string; spec: Record<string, unknown>; sql: string | null } | null;
}

interface Row {
  now: string;
  release: string;
  state: string;
  dataset: string;
  zone: string;
  spec: Record<string, unknown>;
  digest: string | null;
  planDigest: string | null;
  columnsDigest: string;
  evidence: string | null;
  old: TransformText | null;
  newStored: TransformText | null;
  snapshot: SpecView['snapshot'];
  oldGeneration: string | null;
  before: SpecView['before'];
  from: string | null;
}

/**
 * The spec of a release with everything that it names.
 *
 * @throws NotFound
 */
export async function specView(db: Database | Tx, reference: string): Promise<SpecView> {
  const id = await releaseId(db, reference);
  const { from, newStored, dataset, ...row } = await one<Row>(
    db,
    sql`select clock_timestamp() as now, r.name || '@' || r.revision as release, r.state, r.dataset,
        d.timezone as zone, r.spec, r.digest, r.plan_digest as "planDigest",
        d.columns_digest as "columnsDigest", r.evidence,
        case when o.digest is not null then jsonb_build_object('digest', o.digest, 'sql', o.sql,
          'commit', o.commit, 'lock', o.lock) end as old,
        case when n.digest is not null then jsonb_build_object('digest', n.digest, 'sql', n.sql,
          'commit', n.commit, 'lock', n.lock) end as "newStored",
        case when s.id is not null then jsonb_build_object('name', s.name, 'rows', s.rows::text,
          'at', to_char(s.created_at, 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
          'watermark', (select jsonb_agg(w::text) from unnest(s.watermark) w)) end as snapshot,
        g.name as "oldGeneration", r.spec #>> '{range,from}' as "from",
        (select jsonb_build_object('release', b.name || '@' || b.revision, 'spec', b.spec,
            'sql', coalesce(b.spec #>> '{transform,new,sql}', t.sql))
          from control.release b
          left join control.transform t
            on t.digest = coalesce(b.new_transform, b.spec #>> '{transform,new}')
          where b.name = r.name and b.revision < r.revision
          order by b.revision desc limit 1) as before
      from control.release r
      join control.dataset d on d.name = r.dataset
      left join control.transform o on o.digest = r.old_transform
      left join control.transform n
        on n.digest = coalesce(r.new_transform, r.spec #>> '{transform,new}')
      left join control.snapshot s on s.id = r.snapshot
      left join control.generation g on g.id = r.old_generation
      where r.id = ${id}`,
  );
  const inUse = row.old ?? (await transformInUse(db, dataset, from));
  return {
    ...row,
    old: inUse && { commit: null, lock: null, ...inUse },
    new: newStored ?? draftedTransform(row.spec),
    authors: await rows<SpecAuthor>(
      db,
      sql`select person, how, at from control.release_author where release = ${id} order by at, person`,
    ),
  };
}

/** The transform of a draft, which is kept as text until it is pinned. */
function draftedTransform(spec: Record<string, unknown>): TransformText | null {
  const { transform } = spec as { transform?: { new?: unknown; commit?: string; lock?: string } };
  const given = transform?.new;
  if (typeof given !== 'object' || given === null) return null;
  const { sql: text, commit, lock } = given as { sql: string; commit?: string; lock?: string };
  return {
    digest: null,
    sql: text,
    commit: commit ?? transform?.commit ?? null,
    lock: lock ?? transform?.lock ?? null,
  };
}
