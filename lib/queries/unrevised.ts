import { sql } from 'drizzle-orm';
import { type Database, rows, type Tx } from '@/lib/db/client';
import { ofPeople } from '@/lib/db/fork-sql';
import { may } from '@/lib/domain/permissions';
import { briefsOf, type ReleaseBrief, type Viewer } from '@/lib/queries/release-brief';

/** After this nobody is reminded any more: who wanted the next revision has made it. */
const REMINDED_DAYS = 14;

/**
 * Releases of this person that were rejected lately and have no next revision: a rejection says what
 * has to be different in it, so it waits for who wrote the release.
 *
 * @returns ids, newest first; none for who may not draft
 */
export async function unrevisedIds(db: Database | Tx, viewer: Viewer): Promise<string[]> {
  if (!may(viewer.roles, 'release.create')) return [];
  const found = await rows<{ id: string }>(
    db,
    sql`select r.id from control.release r
      join control.release_author a on a.release = r.id and a.person = ${viewer.person}
      where r.state = 'REJECTED' and ${ofPeople(sql`r.dataset`)}
        and not exists (select from control.release n
          where n.name = r.name and n.revision > r.revision)
        and exists (select from control.release_state s
          where s.release = r.id and s.state = 'REJECTED'
            and s.at > clock_timestamp() - make_interval(days => ${REMINDED_DAYS}))
      order by r.id desc limit 20`,
  );
  return found.map(({ id }) => id);
}

/** The same as rows of a list, with who rejected it and why in `since`. */
export async function unrevisedBriefs(db: Database | Tx, viewer: Viewer): Promise<ReleaseBrief[]> {
  const ids = await unrevisedIds(db, viewer);
  return ids.length === 0 ? [] : briefsOf(db, viewer, ids);
}
