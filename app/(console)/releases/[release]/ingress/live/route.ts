import { ingressSeal } from '@/lib/queries/ingress-seal';
import { pageData } from '@/lib/web/page-data';

export const GET = pageData('release.read', ({ db, params }) =>
  ingressSeal(db, params.release ?? ''),
);
