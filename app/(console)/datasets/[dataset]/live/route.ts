import { datasetServing } from '@/lib/queries/dataset-serving';
import { pageData } from '@/lib/web/page-data';

export const GET = pageData('dataset.read', ({ db, params }) =>
  datasetServing(db, params.dataset ?? ''),
);
