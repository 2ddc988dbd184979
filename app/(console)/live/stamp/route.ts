import type { Instant } from '@/lib/domain/instant';
import { formatMoment } from '@/lib/domain/partition-label';
import { readZone } from '@/lib/domain/time-zone';
import { overviewStamp, releaseStamp, subscriberStamp } from '@/lib/queries/stamp';
import { pageData } from '@/lib/web/page-data';

/**
 * The stamp of a page: of a release (`?release=name@n`), of subscribers (`?of=subscribers`), or of the lists. `zone` is the one in which
 * the page says when it was read.
 */
export const GET = pageData('release.read', async ({ db, query }) => {
  const release = query.get('release');
  const { stamp, now } = release
    ? await releaseStamp(db, release)
    : query.get('of') === 'subscribers'
      ? await subscriberStamp(db)
      : await overviewStamp(db);
  const zone = readZone(query.get('zone'));
  const text = formatMoment(zone.ok ? zone.value : 'UTC', now as Instant);
  return { stamp, asOf: { text, utc: now } };
});
