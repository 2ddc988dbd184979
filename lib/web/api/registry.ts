import type { Endpoint } from '@/lib/web/api/endpoint';
import { audit } from '@/lib/web/api/endpoints/audit';
import { claims } from '@/lib/web/api/endpoints/claims';
import { contaminations } from '@/lib/web/api/endpoints/contaminations';
import { datasets } from '@/lib/web/api/endpoints/datasets';
import { documentOf } from '@/lib/web/api/endpoints/document';
import { moves } from '@/lib/web/api/endpoints/moves';
import { notices } from '@/lib/web/api/endpoints/notices';
import { people } from '@/lib/web/api/endpoints/people';
import { publications } from '@/lib/web/api/endpoints/publications';
import { releases } from '@/lib/web/api/endpoints/releases';
import { reportEndpoints } from '@/lib/web/api/endpoints/reports';
import { runs } from '@/lib/web/api/endpoints/runs';
import { sources } from '@/lib/web/api/endpoints/sources';

/** Every endpoint of `/api/v1`: what is not here is 404, and not in the document. */
export const endpoints: readonly Endpoint[] = [
  ...people,
  ...sources,
  ...datasets,
  ...claims,
  ...contaminations,
  ...runs,
  ...publications,
  ...notices,
  ...reportEndpoints,
  ...releases,
  ...moves,
  ...audit,
  documentOf(() => endpoints),
];
