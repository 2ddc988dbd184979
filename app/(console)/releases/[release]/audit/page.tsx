import type { Metadata } from 'next';
import Link from 'next/link';
import { StateBadge } from '@/components/release/state-badge';
import { type Column, DataTable } from '@/components/ui/data-table';
import { DigestChip } from '@/components/ui/digest-chip';
import { Empty } from '@/components/ui/empty';
import { Pager } from '@/components/ui/pager';
import { Panel } from '@/components/ui/panel';
import { plural } from '@/lib/domain/figures';
import { didWords, refusedWords } from '@/lib/domain/move-words';
import { type AuditItem, auditList } from '@/lib/queries/audit-list';
import { webDatabase } from '@/lib/web/db';
import { decodedPart } from '@/lib/web/page-data';
import { address, type Search, said } from '../../../_parts/search';
import { whenZoned } from '../../../times';
import { readHeader } from '../read';

export const metadata: Metadata = { title: 'Audit' };

interface Props {
  params: Promise<{ release: string }>;
  searchParams: Promise<Search>;
}

const perPage = 50;

/** Every move of this release and every refused one, newest first, as the chain holds them. */
export default async function ReleaseAudit({ params, searchParams }: Props) {
  const reference = decodedPart((await params).release);
  const { brief, now, auditRows } = await readHeader(reference);
  const search = await searchParams;
  const outcome = said(search, 'outcome');
  const page = await auditList(
    webDatabase(),
    {
      subject: brief.release,
      outcome: outcome === 'done' || outcome === 'refused' ? outcome : undefined,
    },
    { limit: perPage, cursor: said(search, 'cursor') },
  );
  const path = `/releases/${brief.release}/audit`;
  return (
    <Panel
      title="Audit"
      count={auditRows}
      note={
        <>
          chain of {brief.dataset}, {brief.zone}
        </>
      }
      aside={
        <Link className="s" href={address('/audit', { subject: brief.release })}>
          in the whole chain
        </Link>
      }
      flush
    >
      <DataTable
        caption={`Moves of ${brief.release}`}
        cards={2}
        rows={page.items}
        rowKey={({ id }) => id}
        columns={columnsOf(brief.zone, now)}
        empty={<Empty title="Nothing is recorded of it." />}
      />
      {(page.nextCursor || said(search, 'cursor')) && (
        <Pager
          text={`${plural(page.items.length, 'row')}, newest first`}
          firstHref={said(search, 'cursor') ? address(path, { outcome }) : undefined}
          nextHref={
            page.nextCursor ? address(path, { outcome, cursor: page.nextCursor }) : undefined
          }
        />
      )}
    </Panel>
  );
}

const REFUSED = { label: 'Refused', hue: 'bad', icon: 'bad' } as const;
const DONE = { label: 'Done', hue: 'ok', icon: 'ok' } as const;

function columnsOf(zone: string, now: string): readonly Column<AuditItem>[] {
  return [
    {
      key: 'when',
      head: 'When',
      nowrap: true,
      cell: ({ at, seq }) => {
        const told = whenZoned(zone, at, now);
        return (
          <>
            <time dateTime={told.utc} title={told.utc}>
              {told.text}
            </time>
            <span className="s">row {seq}</span>
          </>
        );
      },
    },
    {
      key: 'outcome',
      head: 'Outcome',
      cell: ({ outcome }) => <StateBadge look={outcome === 'done' ? DONE : REFUSED} />,
    },
    {
      key: 'what',
      head: 'Who did what',
      card: { full: true },
      cell: ({ actor, verb, subject, outcome, reason }) => (
        <>
          <b>{actor}</b>{' '}
          {outcome === 'done' ? didWords(verb, subject) : refusedWords(verb, subject)}
          {reason && <span className="s wrap">{reason}</span>}
        </>
      ),
    },
    {
      key: 'changed',
      head: 'Before and after',
      card: { label: 'Before and after', full: true },
      cell: ({ before, after }) => <Sides before={before} after={after} />,
    },
    {
      key: 'evidence',
      head: 'Evidence',
      card: { label: 'Evidence' },
      cell: ({ evidence }) =>
        evidence === null ? <span className="q">none</span> : <DigestChip value={evidence} />,
    },
    {
      key: 'hash',
      head: 'Hash',
      card: { label: 'Hash' },
      cell: ({ hash }) => <DigestChip value={hash} />,
    },
  ];
}

/** The row's own record of what was and what became, to open. */
function Sides({ before, after }: { before: unknown; after: unknown }) {
  if (before === null && after === null) return <span className="q">nothing</span>;
  return (
    <details className="sides">
      <summary>{summaryOf(after ?? before)}</summary>
      {before !== null && (
        <>
          <h3>before</h3>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard. */}
          <pre className="json" tabIndex={0}>
            {JSON.stringify(before, null, 2)}
          </pre>
        </>
      )}
      {after !== null && (
        <>
          <h3>after</h3>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard. */}
          <pre className="json" tabIndex={0}>
            {JSON.stringify(after, null, 2)}
          </pre>
        </>
      )}
    </details>
  );
}

/** "state BUILDING, code HELD": what a person looks for first. */
function summaryOf(side: unknown): string {
  if (typeof side !== 'object' || side === null) return 'shown in full';
  const { state, code } = side as { state?: unknown; code?: unknown };
  if (typeof code === 'string') return code;
  if (typeof state === 'string') return state;
  const names = Object.keys(side);
  return names.length === 0 ? 'nothing' : plural(names.length, 'member');
}
