import { sql } from 'drizzle-orm';
import { type Database, one, type Tx } from '@/lib/db/client';
import { ofPeople } from '@/lib/db/fork-sql';
import { waitFor } from '@/lib/domain/next-move';
import { inFlightBriefs, type Viewer } from '@/lib/queries/release-brief';
import { unrevisedIds } from '@/lib/queries/unrevised';

export interface NavCounts {
  /** Releases that wait for this person. */
  waiting: number;
  /** Releases under way, drafts left out. */
  underWay: number;
  /** Rollbacks whose clock runs. */
  rollingBack: number;
  /** Releases that can still be rolled back. */
  inWindow: number;
  /** Runs that others asked for and that wait for a second person. */
  runsWaiting: number;
}

/** The counts in the nav, for one person. */
export async function navCounts(db: Database | Tx, viewer: Viewer): Promise<NavCounts> {
  const found = await inFlightBriefs(db, viewer);
  const { inWindow } = await one<{ inWindow: number }>(
    db,
    sql`select count(*)::int as "inWindow" from control.release r
      join control.registry g on g.dataset = r.dataset and g.active_generation = r.generation
      join control.generation o on o.id = r.old_generation
      where ${ofPeople(sql`r.dataset`)} and r.state in ('ACTIVE', 'RECONCILIATION_REQUIRED') and o.state = 'kept'
        and coalesce(o.kept_until > clock_timestamp(), true)`,
  );
  const { runsWaiting } = await one<{ runsWaiting: number }>(
    db,
    sql`select count(*)::int as "runsWaiting" from control.run
      where state = 'second_person' and "by" <> ${viewer.person}`,
  );
  const waiting = found.filter((brief) => waitFor(brief.turn, brief.person) !== null).length;
  return {
    waiting: waiting + (await unrevisedIds(db, viewer)).length,
    underWay: found.filter(({ turn }) => turn.state !== 'DRAFT' && turn.state !== 'ACTIVE').length,
    rollingBack: found.filter(({ turn }) => turn.rollingBack).length,
    inWindow,
    runsWaiting,
  };
}
