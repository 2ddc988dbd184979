import type { Persona } from '@/lib/services/people/personas';
import type { Places } from './world';

/** A page of the console, and who looks at it. */
export interface Route {
  as: Persona;
  path: string;
}

/** Every page of the console on the benchmark's release and datasets, and each tab and list of it. */
export function routesOf(places: Places): Route[] {
  const { release, wide, published, sealedStart, run, source } = places;
  const { dataset } = places;
  const of = (tab: string) => `/releases/${release}${tab}`;
  const seen = (as: Persona, paths: readonly string[]) => paths.map((path) => ({ as, path }));
  return [
    ...seen('oncall', [
      '/',
      '/releases',
      '/releases?state=ended',
      of(''),
      of(`?partition=${encodeURIComponent(sealedStart)}`),
      of('/build'),
      of('/ingress'),
      of('/reconciliation'),
      of('/approval'),
      of('/cutover'),
      of('/spec'),
      of('/audit'),
      `/releases/${wide}`,
      '/oncall',
      '/datasets',
      `/datasets/${dataset}`,
      `/datasets/${dataset}/calendar`,
      `/datasets/${published}`,
      `/datasets/${published}/calendar`,
      '/runs',
      `/runs/${run}`,
      '/corrections',
      `/corrections?dataset=${published}`,
      `/corrections?tab=history&dataset=${published}`,
      `/corrections?tab=publications&dataset=${published}`,
      `/corrections/${published}/${encodeURIComponent(sealedStart)}`,
      `/sources/${source}`,
      '/audit',
      `/audit?chain=${encodeURIComponent(`dataset:${published}`)}`,
    ]),
    ...seen('owner', [
      '/releases/new',
      `/releases/${places.draft}/edit`,
      `/releases/${places.draft}`,
    ]),
    ...seen('admin', [
      '/admin',
      '/admin?tab=tokens',
      '/admin?tab=datasets',
      '/admin?tab=sources',
      '/admin?tab=budgets',
      '/admin?tab=subscribers',
    ]),
  ];
}
