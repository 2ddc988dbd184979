import { type DiffInput, type DiffItem, diffPage } from '@/lib/services/release';
import { csvLine, download } from '@/lib/web/csv';
import { type PageCall, pageFile } from '@/lib/web/page-data';

/** The differing rows that the page's filters choose, all of them, as CSV or JSON lines. */
export const GET = pageFile('release.read', async (call) => {
  const release = call.params.release ?? '';
  const said = (name: string) => call.query.get(name) ?? undefined;
  const bucket = said('bucket');
  const filter = {
    release,
    class: said('class'),
    rule: said('rule'),
    partition: said('partition'),
    from: said('from'),
    to: said('to'),
    bucket: bucket !== undefined && /^\d{1,2}$/.test(bucket) ? Number(bucket) : undefined,
  };
  // read before the answer begins, so that a refusal is a refusal and no broken file
  const first = await diffPage(call.db, { ...filter, limit: 500 });
  const csv = call.query.get('format') !== 'jsonl';
  return download(
    `${release}-diff.${csv ? 'csv' : 'jsonl'}`,
    csv ? 'text/csv' : 'application/x-ndjson',
    csv ? csvLines(call, filter, first) : jsonLines(call, filter, first),
  );
});

type First = Awaited<ReturnType<typeof diffPage>>;

async function* pages(
  { db }: PageCall,
  filter: DiffInput,
  first: First,
): AsyncGenerator<DiffItem[]> {
  for (let page = first; ; ) {
    yield page.items;
    if (page.nextCursor === null) return;
    page = await diffPage(db, { ...filter, cursor: page.nextCursor, limit: 500 });
  }
}

async function* jsonLines(call: PageCall, filter: DiffInput, first: First): AsyncGenerator<string> {
  for await (const items of pages(call, filter, first)) {
    yield items.map((item) => `${JSON.stringify(item)}\n`).join('');
  }
}

const SIDES = ['old', 'control', 'new'] as const;

async function* csvLines(call: PageCall, filter: DiffInput, first: First): AsyncGenerator<string> {
  const some = first.items[0];
  const columns = Object.keys(some?.new ?? some?.control ?? some?.old ?? {});
  yield csvLine([
    'partition',
    'key',
    'class',
    'rule',
    'kind',
    'changed',
    'drift',
    ...SIDES.flatMap((side) => columns.map((column) => `${side}.${column}`)),
  ]);
  for await (const items of pages(call, filter, first)) {
    yield items
      .map((item) =>
        csvLine([
          item.partition,
          item.key,
          item.class,
          item.rule,
          item.kind,
          item.changed.join(' '),
          item.drift,
          ...SIDES.flatMap((side) => columns.map((column) => item[side]?.[column])),
        ]),
      )
      .join('');
  }
}
