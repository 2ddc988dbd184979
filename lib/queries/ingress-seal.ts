import { sql } from 'drizzle-orm';
import { type Database, maybeOne, one, rows, type Tx } from '@/lib/db/client';
import { type ReleaseBasis, releaseBasis } from '@/lib/queries/release-basis';

/** Where both generations stand in one shard of the log. Offsets are exact text. */
export interface ShardStand {
  shard: number;
  logEnd: string;
  old: string | null;
  candidate: string | null;
  /** Of the release's own seal, or of whoever sealed. */
  barrier: string | null;
}

/** One move of ingress, from the audit chain: who sealed, reopened, switched, or tried to. */
export interface IngressEvent {
  id: string;
  at: string;
  actor: string;
  verb: string;
  /** `name@revision`. */
  release: string;
  outcome: 'done' | 'refused';
  /** The epoch that it was done under, and the one after it, where the row says so. */
  epochBefore: string | null;
  epochAfter: string | null;
  reason: string | null;
}

export interface IngressSeal extends ReleaseBasis {
  epoch: number;
  ingress: 'OPEN' | 'SEALED';
  /** `name@revision` of the release that holds the seal, or whose rollback does. */
  sealer: string | null;
  byRollback: boolean;
  /** This release holds the seal. */
  mine: boolean;
  sealedAt: string | null;
  sealedUntil: string | null;
  /** Seconds since the seal, and from the seal to the reopening. */
  sealedSeconds: number | null;
  sealedLimitSeconds: number | null;
  activeGeneration: string | null;
  /** The barrier that the release's final evidence is of; null before the seal and after a reopening. */
  sealedEpoch: number | null;
  shards: ShardStand[];
  /** Events in the log that the generation in use has not applied. */
  buffered: string;
  /** Limits of the release. */
  maxBufferedEvents: string | null;
  maxSealedSeconds: number | null;
  maxLiveLagSeconds: number | null;
  /** Seconds that the oldest event not applied yet has waited. */
  lagSeconds: number;
  lagAtSealSeconds: string | null;
  /** Quarantined events of the candidate. */
  quarantined: number;
  events: IngressEvent[];
}

type SealRow = Omit<IngressSeal, keyof ReleaseBasis | 'shards' | 'events' | 'buffered'> & {
  active: string | null;
  candidateId: string | null;
  oldId: string | null;
  barrier: string[] | null;
  ownBarrier: string[] | null;
};

const LISTED = 20;

/**
 * Ingress of a release's dataset, as the release sees it: the epoch, who sealed it, and how far both
 * generations are in every shard.
 *
 * @throws NotFound
 */
export async function ingressSeal(db: Database | Tx, reference: string): Promise<IngressSeal> {
  const basis = await releaseBasis(db, reference);
  const head = await sealOf(db, basis.id);
  const { active, candidateId, oldId, barrier, ownBarrier, ...seal } = head;
  // after the cutover the generation that was left stands still; what is behind is the one in use
  const old = oldId ?? active;
  const shards = await standsOf(db, basis.source, old, candidateId, barrier ?? ownBarrier);
  return {
    ...basis,
    ...seal,
    shards,
    buffered: active === null ? '0' : await bufferedOf(db, basis.source, active),
    events: await eventsOf(db, basis.dataset),
  };
}

function sealOf(db: Database | Tx, id: string): Promise<SealRow> {
  return one<SealRow>(
    db,
    sql`select g.epoch, g.state as ingress, g.active_generation as active,
        (select name from control.generation a where a.id = g.active_generation) as "activeGeneration",
        (select l.name || '@' || l.revision from control.release l
          where l.id = case
            when g.sealer like 'release:%' then substr(g.sealer, 9)::bigint
            else (select b.release from control.rollback b
              where b.id = substr(g.sealer, 10)::bigint) end) as sealer,
        coalesce(g.sealer like 'rollback:%', false) as "byRollback",
        coalesce(g.sealer = 'release:' || r.id, false) as mine,
        g.sealed_at as "sealedAt", g.sealed_until as "sealedUntil",
        extract(epoch from clock_timestamp() - g.sealed_at)::float8 as "sealedSeconds",
        extract(epoch from g.sealed_until - g.sealed_at)::float8 as "sealedLimitSeconds",
        g.barrier, r.barrier as "ownBarrier", r.sealed_epoch as "sealedEpoch",
        r.generation as "candidateId", r.old_generation as "oldId",
        r.max_buffered_events as "maxBufferedEvents", r.max_sealed_seconds as "maxSealedSeconds",
        r.max_live_lag_seconds as "maxLiveLagSeconds", r.lag_at_seal_seconds as "lagAtSealSeconds",
        (select count(*)::int from control.quarantine q where q.generation = r.generation)
          as quarantined,
        coalesce((select greatest(0, ceil(extract(epoch from clock_timestamp() - min(e.received_at))))
          from control.generation_progress p
          cross join unnest(p.offsets) with ordinality as s (applied, n)
          join control.source_event e on e.source = d.source and e.shard = s.n - 1
            and e."offset" = s.applied + 1
          where p.generation = g.active_generation), 0)::int as "lagSeconds"
      from control.release r
      join control.dataset d on d.name = r.dataset
      join control.registry g on g.dataset = r.dataset
      where r.id = ${id}`,
  );
}

function standsOf(
  db: Database | Tx,
  source: string,
  old: string | null,
  candidate: string | null,
  barrier: readonly string[] | null,
): Promise<ShardStand[]> {
  return rows<Omit<ShardStand, 'barrier'>>(
    db,
    sql`select s.shard, s.last_offset as "logEnd", o.offsets[s.shard + 1] as old,
        c.offsets[s.shard + 1] as candidate
      from control.source_shard s
      left join control.generation_progress o on o.generation = ${old}
      left join control.generation_progress c on c.generation = ${candidate}
      where s.source = ${source} order by s.shard`,
  ).then((found) => found.map((s) => ({ ...s, barrier: barrier?.[s.shard] ?? null })));
}

async function bufferedOf(db: Database | Tx, source: string, active: string): Promise<string> {
  const found = await maybeOne<{ events: string }>(
    db,
    sql`select coalesce(sum(greatest(s.last_offset - p.offsets[s.shard + 1], 0)), 0)::bigint as events
      from control.source_shard s join control.generation_progress p on p.generation = ${active}
      where s.source = ${source}`,
  );
  return found?.events ?? '0';
}

/** Every move that changed a dataset's ingress, or was refused to, newest first. */
function eventsOf(db: Database | Tx, dataset: string): Promise<IngressEvent[]> {
  return rows(
    db,
    sql`select id, at, actor, verb, subject as release, outcome, before ->> 'epoch' as "epochBefore",
        after ->> 'epoch' as "epochAfter", reason
      from control.audit_event
      where chain = ${`dataset:${dataset}`} and verb in ('release.seal', 'release.reopen',
        'release.activate', 'release.rolled-back', 'release.trouble', 'release.call-off')
      order by id desc limit ${LISTED}`,
  );
}
