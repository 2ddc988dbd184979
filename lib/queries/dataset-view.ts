import { sql } from 'drizzle-orm';
import { type Database, maybeOne, rows, type Tx } from '@/lib/db/client';
import { type StandingMark, standingMarksOf } from '@/lib/db/statements/contamination';
import { NotFound } from '@/lib/domain/refusal';
import { type Offsets, offsetsByShard, offsetsOrNull } from '@/lib/queries/offsets';
import { type Page, type PageRequest, pageOf, readCursor } from '@/lib/queries/page';

export interface IngressView {
  epoch: number;
  state: 'OPEN' | 'SEALED';
  /** What the active generation has applied. */
  progress: Offsets;
  /** How long the oldest event that is not applied yet has waited. */
  lagSeconds: number;
  /** Events in the log that the active generation has not applied. */
  buffered: number;
  quarantined: number;
  /** The release that sealed, or that is rolling back. */
  sealer: string | null;
  sealedAt: string | null;
  sealedUntil: string | null;
  barrier: Offsets | null;
}

export interface GenerationView {
  name: string;
  state: 'candidate' | 'serving' | 'kept' | 'hidden' | 'retired';
  /** `name@revision`; null for the first load. */
  release: string | null;
  transform: string;
  createdAt: string;
  servedFrom: string | null;
  servedUntil: string | null;
  keptUntil: string | null;
  retiredAt: string | null;
  manifestRoot: string | null;
  progress: Offsets | null;
  openLeases: number;
}

export interface DatasetView {
  name: string;
  source: string;
  columns: unknown;
  columnsDigest: string;
  key: string[];
  businessTime: string;
  timezone: string;
  partition: string;
  grain: string;
  sourceTime: string | null;
  /** The active generation's. */
  transform: { digest: string; sql: string; commit: string | null; lock: string | null } | null;
  conserved: unknown;
  rollups: unknown;
  policy: unknown;
  createdAt: string;
  createdBy: string;
  /** Null until the first load has reached the log's end. */
  activeGeneration: string | null;
  /** The generation that the first load fills, while it does. */
  loading: string | null;
  ingress: IngressView;
  generations: GenerationView[];
  /** Ranges whose served values are known to be wrong, in order of time. */
  contaminated: StandingMark[];
}

type Row = Omit<DatasetView, 'ingress' | 'generations' | 'transform' | 'contaminated'> & {
  active: string | null;
  transformDigest: string | null;
  transformSql: string | null;
  transformCommit: string | null;
  transformLock: string | null;
};

/**
 * A dataset as it is defined and served now.
 *
 * @param retired how many of the generations that are gone are listed, the newest; all unless given
 * @throws NotFound
 */
export async function datasetView(
  db: Database | Tx,
  name: string,
  retired?: number,
): Promise<DatasetView> {
  const found = await maybeOne<Row>(
    db,
    sql`select d.name, d.source, d.columns, d.columns_digest as "columnsDigest", d.key,
        d.business_time as "businessTime", d.timezone, d.partition, d.grain,
        d.source_time as "sourceTime", d.conserved, d.rollups, d.policy,
        d.created_at as "createdAt", d.created_by as "createdBy",
        r.active_generation as active, g.name as "activeGeneration", l.name as loading,
        t.digest as "transformDigest", t.sql as "transformSql", t.commit as "transformCommit",
        t.lock as "transformLock"
      from control.dataset d
      join control.registry r on r.dataset = d.name
      left join control.generation g on g.id = r.active_generation
      left join control.generation l on l.id = r.loading_generation
      left join control.transform t on t.digest = coalesce(g.transform, l.transform)
      where d.name = ${name} and d.fork_of is null`,
  );
  if (!found) throw new NotFound('dataset', name);
  const {
    active: _,
    transformDigest,
    transformSql,
    transformCommit,
    transformLock,
    ...dataset
  } = found;
  return {
    ...dataset,
    transform:
      transformDigest === null || transformSql === null
        ? null
        : {
            digest: transformDigest,
            sql: transformSql,
            commit: transformCommit,
            lock: transformLock,
          },
    ingress: await ingressView(db, name),
    generations: await generationViews(db, name, retired),
    contaminated: await standingMarksOf(db, name),
  };
}

interface IngressRow {
  epoch: number;
  state: 'OPEN' | 'SEALED';
  sealer: string | null;
  sealedAt: string | null;
  sealedUntil: string | null;
  barrier: string[] | null;
  progress: string[] | null;
  quarantined: number;
  lagSeconds: number;
  buffered: number;
}

/** Ingress of a dataset: epoch, state, and how far behind the log the active generation is. */
export async function ingressView(db: Database | Tx, dataset: string): Promise<IngressView> {
  const found = await maybeOne<IngressRow>(
    db,
    sql`select r.epoch, r.state, r.sealed_at as "sealedAt", r.sealed_until as "sealedUntil", r.barrier,
        (select case when r.sealer like 'rollback:%' then 'rollback of ' else '' end
            || l.name || '@' || l.revision
          from control.release l
          where l.id = case
            when r.sealer like 'release:%' then substr(r.sealer, 9)::bigint
            else (select b.release from control.rollback b
              where b.id = substr(r.sealer, 10)::bigint) end) as sealer,
        p.offsets as progress,
        (select count(*)::int from control.quarantine q
          where q.generation = r.active_generation) as quarantined,
        coalesce(behind.lag, 0)::int as "lagSeconds",
        coalesce(behind.events, 0)::float8 as buffered
      from control.registry r
      join control.dataset d on d.name = r.dataset
      left join control.generation_progress p on p.generation = r.active_generation
      left join lateral (
        select sum(greatest(s.last_offset - p.offsets[s.shard + 1], 0)) as events,
          greatest(0, ceil(extract(epoch from clock_timestamp() - min((
            select e.received_at from control.source_event e
            where e.source = s.source and e.shard = s.shard
              and e."offset" = p.offsets[s.shard + 1] + 1))))) as lag
        from control.source_shard s where s.source = d.source and p.offsets is not null
      ) behind on true
      where r.dataset = ${dataset}`,
  );
  if (!found) throw new NotFound('dataset', dataset);
  return {
    ...found,
    progress: offsetsByShard(found.progress ?? []),
    barrier: offsetsOrNull(found.barrier),
  };
}

async function generationViews(
  db: Database | Tx,
  dataset: string,
  retired: number | undefined,
): Promise<GenerationView[]> {
  const found = await rows<Omit<GenerationView, 'progress'> & { progress: string[] | null }>(
    db,
    sql`select g.name, g.state, r.name || '@' || r.revision as release, g.transform,
        g.created_at as "createdAt", g.served_from as "servedFrom",
        g.served_until as "servedUntil", g.kept_until as "keptUntil",
        g.retired_at as "retiredAt", g.manifest_root as "manifestRoot", p.offsets as progress,
        (select count(*)::int from control.lease l
          where l.generation = g.id and l.ended_at is null
            and l.until > statement_timestamp()) as "openLeases"
      from control.generation g
      left join control.release r on r.id = g.release
      left join control.generation_progress p on p.generation = g.id
      where g.dataset = ${dataset} and (g.state <> 'retired' or ${retired ?? null}::int is null
        or g.id in (select x.id from control.generation x
          where x.dataset = ${dataset} and x.state = 'retired'
          order by x.id desc limit ${retired ?? null}::int))
      order by g.id`,
  );
  return found.map((g) => ({ ...g, progress: offsetsOrNull(g.progress) }));
}

export interface DatasetItem {
  name: string;
  source: string;
  timezone: string;
  partition: string;
  activeGeneration: string | null;
  epoch: number;
  state: 'OPEN' | 'SEALED';
}

/** All datasets by name. */
export async function datasetList(
  db: Database | Tx,
  { limit, cursor }: PageRequest,
): Promise<Page<DatasetItem>> {
  const after = readCursor(cursor, [/^[a-z][a-z0-9_]*$/]);
  const found = await rows<DatasetItem>(
    db,
    sql`select d.name, d.source, d.timezone, d.partition, g.name as "activeGeneration",
        r.epoch, r.state
      from control.dataset d
      join control.registry r on r.dataset = d.name
      left join control.generation g on g.id = r.active_generation
      where d.fork_of is null and d.name > ${after?.[0] ?? ''}
      order by d.name limit ${limit + 1}`,
  );
  return pageOf(found, limit, (dataset) => [dataset.name]);
}
