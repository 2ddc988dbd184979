import { datasetsOverview } from '@/lib/queries/datasets-overview';
import { pageData } from '@/lib/web/page-data';

export const GET = pageData('dataset.read', ({ db }) => datasetsOverview(db));
