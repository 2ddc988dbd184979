import { sql } from 'drizzle-orm';
import { type Database, maybeOne, rows, type Tx } from '@/lib/db/client';
import { ofPeople } from '@/lib/db/fork-sql';
import { type DatasetOverview, datasetsOverview } from '@/lib/queries/datasets-overview';
import { type DrillView, recentDrills } from '@/lib/queries/drills';
import {
  endedBriefs,
  inFlightBriefs,
  type ReleaseBrief,
  type Viewer,
} from '@/lib/queries/release-brief';

/** One row of the audit chains, as a list of moves shows it. */
export interface RecentMove {
  id: string;
  at: string;
  actor: string;
  verb: string;
  subject: string;
  outcome: 'done' | 'refused';
  /** The code of a refusal. */
  code: string | null;
  dataset: string | null;
}

export interface LastRollback {
  release: string;
  state: string;
  requestedAt: string;
  seconds: number;
  zone: string;
}

export interface Overview {
  now: string;
  datasets: DatasetOverview[];
  /** Not over yet, newest first; at most 200. */
  inFlight: ReleaseBrief[];
  ended: ReleaseBrief[];
  moves: RecentMove[];
  lastRollback: LastRollback | null;
  /** The newest drill of all, where there was one. */
  lastDrill: DrillView | null;
}

const listed = { ended: 5, moves: 10 };

/** Everything on the first page, for one person. */
export async function overview(db: Database | Tx, viewer: Viewer): Promise<Overview> {
  const { now, items } = await datasetsOverview(db);
  return {
    now,
    datasets: items,
    inFlight: await inFlightBriefs(db, viewer),
    ended: await endedBriefs(db, viewer, listed.ended),
    moves: await recentMoves(db, listed.moves),
    lastRollback: await lastRollback(db),
    lastDrill: (await recentDrills(db, 1))[0] ?? null,
  };
}

function recentMoves(db: Database | Tx, most: number): Promise<RecentMove[]> {
  return rows<RecentMove>(
    db,
    sql`select id, at, actor, verb, subject, outcome, after ->> 'code' as code,
        case when chain like 'dataset:%' then substr(chain, 9) end as dataset
      from control.audit_event where chain <> 'heads' and ${ofPeople(sql`chain`)}
      order by id desc limit ${most}`,
  );
}

function lastRollback(db: Database | Tx): Promise<LastRollback | null> {
  return maybeOne<LastRollback>(
    db,
    sql`select r.name || '@' || r.revision as release, b.state, b.requested_at as "requestedAt",
        extract(epoch from b.ended_at - b.requested_at)::float8 as seconds, d.timezone as zone
      from control.rollback b
      join control.release r on r.id = b.release
      join control.dataset d on d.name = b.dataset
      where b.ended_at is not null and ${ofPeople(sql`b.dataset`)} order by b.id desc limit 1`,
  );
}
