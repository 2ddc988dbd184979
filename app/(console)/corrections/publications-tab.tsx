import Link from 'next/link';
import { DataTable } from '@/components/ui/data-table';
import { Empty } from '@/components/ui/empty';
import { countText } from '@/components/ui/figure-text';
import { Pager } from '@/components/ui/pager';
import { Panel } from '@/components/ui/panel';
import { Invalid } from '@/lib/domain/refusal';
import type { CorrectionDataset } from '@/lib/queries/corrections-page';
import { type PublicationItem, publicationList } from '@/lib/queries/publications';
import { webDatabase } from '@/lib/web/db';
import { Between, When } from '../_parts/when';
import { type CorrectionsSearch, correctionsHref } from './search';

const PAGE = 50;

/** What was sent out: when, which range, to whom, by which document. */
export async function PublicationsTab({
  search,
  dataset: { name, zone },
  cursor,
}: {
  search: CorrectionsSearch;
  dataset: CorrectionDataset;
  cursor: string | undefined;
}) {
  const page = await pageOf(name, cursor);
  return (
    <Panel title="Publications" note="newest first" flush>
      <DataTable<PublicationItem>
        caption="Publications, newest first"
        cards={2}
        rows={page.items}
        rowKey={({ id }) => id}
        empty={
          <Empty title={`Nothing of ${name} was published yet.`}>
            A publication says which figures were sent out, to whom, and where what was sent is
            kept.
          </Empty>
        }
        columns={[
          {
            key: 'at',
            head: 'When',
            nowrap: true,
            card: { label: 'When' },
            cell: ({ at }) => <When zone={zone} at={at} />,
          },
          {
            key: 'range',
            head: 'Range',
            card: { full: true },
            cell: ({ range }) => <Between zone={zone} from={range.from} to={range.to} />,
          },
          {
            key: 'to',
            head: 'To whom',
            card: { label: 'To whom' },
            cell: ({ sentTo }) => <b className="wrap">{sentTo}</b>,
          },
          {
            key: 'document',
            head: 'Document',
            card: { label: 'Document' },
            cell: ({ document }) => <DocumentText text={document} />,
          },
          { key: 'by', head: 'By', card: { label: 'By' }, cell: ({ by }) => by },
          {
            key: 'sealed',
            head: 'Sealed by it',
            number: true,
            card: { label: 'Sealed by it' },
            cell: ({ partitions, range }) => (
              <Link
                href={correctionsHref(search, {
                  tab: 'sealed',
                  dataset: name,
                  from: range.from,
                  to: range.to,
                })}
              >
                {partitions === 0 ? 'none, all sealed before' : countText(partitions, 'partition')}
              </Link>
            ),
          },
        ]}
      />
      {page.items.length > 0 && (
        <Pager
          text={`${countText(page.items.length, 'publication')}${cursor ? ' of an earlier page' : ''}, newest first`}
          {...(cursor ? { firstHref: correctionsHref(search, {}) } : {})}
          {...(page.nextCursor
            ? { nextHref: correctionsHref(search, { cursor: page.nextCursor }) }
            : {})}
        />
      )}
    </Panel>
  );
}

/** A page of publications; a cursor that is none of ours begins again. */
async function pageOf(dataset: string, cursor: string | undefined) {
  const db = webDatabase();
  try {
    return await publicationList(db, dataset, { limit: PAGE, cursor });
  } catch (error) {
    if (!(error instanceof Invalid)) throw error;
    return publicationList(db, dataset, { limit: PAGE });
  }
}

/** Where what was sent is kept: a link where it is one. */
export function DocumentText({ text }: { text: string | null }) {
  if (text === null) return <span className="q">none named</span>;
  return /^https?:\/\/\S+$/.test(text) ? (
    <a href={text} rel="noreferrer noopener" target="_blank" className="wrap">
      {text}
    </a>
  ) : (
    <span className="wrap">{text}</span>
  );
}
