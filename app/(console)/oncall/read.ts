import type { Blocker } from '@/lib/domain/refusal';
import { type OncallPage, oncallPage } from '@/lib/queries/oncall-view';
import { blockersOf, findRelease } from '@/lib/services/release';
import type { PageCall } from '@/lib/web/page-data';

/** On-call's page with what stands in the way of each rollback. */
export interface OncallData extends OncallPage {
  /** By `name@revision`; missing where a rollback is not open to the release's state. */
  blockers: Record<string, readonly Blocker[]>;
}

export async function readOncall(db: PageCall['db']): Promise<OncallData> {
  const page = await oncallPage(db);
  const blockers: Record<string, readonly Blocker[]> = {};
  for (const { release } of page.releases) {
    const found = (await blockersOf(db, await findRelease(db, release))).rollback;
    if (found) blockers[release] = found;
  }
  return { ...page, blockers };
}
