import { runsStamp } from '@/lib/queries/run-partitions';
import { pageData } from '@/lib/web/page-data';
import { toldStamp } from '../told-stamp';

/** The stamp of the list of runs. */
export const GET = pageData('dataset.read', async ({ db, query }) =>
  toldStamp(await runsStamp(db), query.get('zone')),
);
