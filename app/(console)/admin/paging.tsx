import { Pager } from '@/components/ui/pager';
import { Invalid } from '@/lib/domain/refusal';
import type { Page, PageRequest } from '@/lib/queries/page';
import { type AdminSearch, adminHref } from './search';

const PAGE = 50;

export function More({
  page,
  text,
  cursor,
  search,
}: {
  page: Page<unknown>;
  text: string;
  cursor: string | undefined;
  search: AdminSearch;
}) {
  if (page.items.length === 0) return null;
  return (
    <Pager
      text={text}
      {...(cursor ? { firstHref: adminHref(search, {}) } : {})}
      {...(page.nextCursor ? { nextHref: adminHref(search, { cursor: page.nextCursor }) } : {})}
    />
  );
}

/** A page of a list; a cursor that is none of ours begins again. */
export async function pageOf<T>(
  cursor: string | undefined,
  read: (request: PageRequest) => Promise<Page<T>>,
): Promise<Page<T>> {
  try {
    return await read({ limit: PAGE, cursor });
  } catch (error) {
    if (!(error instanceof Invalid)) throw error;
    return read({ limit: PAGE });
  }
}
