import type { Instant } from '@/lib/domain/instant';
import { formatMoment } from '@/lib/domain/partition-label';
import { may } from '@/lib/domain/permissions';
import { Forbidden } from '@/lib/domain/refusal';
import { readZone } from '@/lib/domain/time-zone';
import { overviewStamp, releaseStamp } from '@/lib/queries/stamp';
import { problemResponse } from '@/lib/web/api/respond';
import { webDatabase } from '@/lib/web/db';
import { newRequestId, problemOf } from '@/lib/web/problem';
import { requireActor } from '@/lib/web/session';

/**
 * The stamp of a page: of a release (`?release=name@n`), or of the lists. `zone` is the one in which
 * the page says when it was read.
 */
export async function GET(request: Request): Promise<Response> {
  try {
    const actor = await requireActor();
    if (!may(actor.roles, 'release.read')) throw new Forbidden();
    const asked = new URL(request.url).searchParams;
    const release = asked.get('release');
    const db = webDatabase();
    const { stamp, now } = release ? await releaseStamp(db, release) : await overviewStamp(db);
    const zone = readZone(asked.get('zone'));
    const text = formatMoment(zone.ok ? zone.value : 'UTC', now as Instant);
    return Response.json(
      { stamp, asOf: { text, utc: now } },
      { headers: { 'cache-control': 'no-store' } },
    );
  } catch (error) {
    return problemResponse(problemOf(error, newRequestId()));
  }
}
