import { runStamp } from '@/lib/queries/run-partitions';
import { pageData } from '@/lib/web/page-data';
import { toldStamp } from '../../told-stamp';

/** The stamp of one run. */
export const GET = pageData('dataset.read', async ({ db, params, query }) =>
  toldStamp(await runStamp(db, params.run ?? ''), query.get('zone')),
);
