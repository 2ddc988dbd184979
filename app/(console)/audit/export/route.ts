import { type AuditFilter, type AuditItem, auditList } from '@/lib/queries/audit-list';
import { csvLine, download } from '@/lib/web/csv';
import { type PageCall, pageFile } from '@/lib/web/page-data';
import { auditFilter, auditSearch } from '../filter';

/** The rows that the page's filters choose, all of them, as CSV or as one JSON array. */
export const GET = pageFile('audit.read', async ({ db, query }) => {
  const filter = auditFilter(auditSearch(Object.fromEntries(query)));
  return query.get('format') === 'json'
    ? download('audit.json', 'application/json', jsonParts(db, filter))
    : download('audit.csv', 'text/csv', csvParts(db, filter));
});

const PAGE = 500;

async function* pages(db: PageCall['db'], filter: AuditFilter): AsyncGenerator<AuditItem[]> {
  for (let cursor: string | undefined; ; ) {
    const page = await auditList(db, filter, { limit: PAGE, cursor });
    yield page.items;
    if (page.nextCursor === null) return;
    cursor = page.nextCursor;
  }
}

const FIELDS = [
  'chain',
  'seq',
  'at',
  'actor',
  'verb',
  'subject',
  'outcome',
  'reason',
  'before',
  'after',
  'evidence',
  'requestId',
  'prev',
  'hash',
] as const;

async function* csvParts(db: PageCall['db'], filter: AuditFilter): AsyncGenerator<string> {
  yield csvLine(FIELDS);
  for await (const items of pages(db, filter)) {
    yield items.map((item) => csvLine(FIELDS.map((field) => item[field]))).join('');
  }
}

async function* jsonParts(db: PageCall['db'], filter: AuditFilter): AsyncGenerator<string> {
  let first = true;
  yield '[';
  for await (const items of pages(db, filter)) {
    yield items
      .map((item) => {
        const before = first ? '\n' : ',\n';
        first = false;
        return before + JSON.stringify(item);
      })
      .join('');
  }
  yield '\n]\n';
}
