import { readInstant } from '@/lib/domain/instant';
import { exportCorrections, streamOf } from '@/lib/web/corrections-export';
import { pageFile } from '@/lib/web/page-data';
import { correctionsSearch } from '../search';

/** The corrections that the page's filters choose, all of them, as one file with its digest. */
export const GET = pageFile('correction.read', async ({ db, query }) => {
  const { dataset, from, to, release, kind, by } = correctionsSearch(Object.fromEntries(query));
  const made = await exportCorrections(
    db,
    { dataset, from: instantOf(from), to: instantOf(to), release, kind, by },
    query.get('format') === 'json' ? 'json' : 'csv',
  );
  return new Response(streamOf(made), {
    headers: { ...made.headers, 'x-content-type-options': 'nosniff' },
  });
});

/** The page's own links name instants; what is none filters nothing. */
function instantOf(text: string | undefined): string | undefined {
  const read = text === undefined ? null : readInstant(text);
  return read?.ok ? read.value : undefined;
}
