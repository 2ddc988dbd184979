import { calendarStamp } from '@/lib/queries/calendar-range';
import { pageData } from '@/lib/web/page-data';
import { toldStamp } from '../../../../runs/told-stamp';

/** The stamp of a dataset's calendar. */
export const GET = pageData('dataset.read', async ({ db, params, query }) =>
  toldStamp(await calendarStamp(db, params.dataset ?? ''), query.get('zone')),
);
