import { type Column, DataTable } from '@/components/ui/data-table';
import { DigestChip } from '@/components/ui/digest-chip';
import { Empty } from '@/components/ui/empty';
import { Figure } from '@/components/ui/figure';
import { countText, figureText } from '@/components/ui/figure-text';
import { Panel } from '@/components/ui/panel';
import { Term } from '@/components/ui/term';
import type { AcceptanceView, DriftPartition } from '@/lib/queries/reconciliation-findings';
import type { ReconciliationPage, RunFindings } from '@/lib/queries/reconciliation-view';
import type { ToAccept } from '@/lib/web/to-accept';
import type { Can } from '../../../_parts/access';
import { QuarantineTable } from '../../../_parts/quarantine-table';
import { address } from '../../../_parts/search';
import { Between, When } from '../../../_parts/when';
import { Accept } from './actions';

interface Props {
  page: ReconciliationPage;
  found: RunFindings;
  quotes: ToAccept;
  can: Can<'release.accept' | 'release.rehearse'>;
}

const ACCEPTING = ['BUILDING', 'INGRESS_SEALED', 'CAUGHT_UP', 'RECONCILIATION_REQUIRED'];

/** Drift and quarantine, who accepted what; nothing where there is nothing of the kind. */
export function Findings(props: Props) {
  const { page, found, quotes } = props;
  const drift = found.drift.length > 0;
  const quarantine = quotes.quarantine !== null;
  if (!drift && !quarantine && page.acceptances.length === 0) return null;
  return (
    <div className={drift && quarantine ? 'grid g2' : 'stack'}>
      {drift && <Drift {...props} />}
      {quarantine && <Quarantine {...props} />}
      {page.acceptances.length > 0 && <Acceptances page={page} />}
    </div>
  );
}

/** Keys of rows that do nothing but drift; the others stand in the row diff. */
const KEYS: Column<DriftPartition> = {
  key: 'keys',
  head: 'Some of the keys',
  mono: true,
  card: { full: true },
  cell: (row) => row.samples.join(', '),
};

function Drift({ page, found, quotes, can }: Props) {
  const open = quotes.drift !== null && quotes.drift.notAccepted !== '0';
  const may = can['release.accept'] && ACCEPTING.includes(page.state);
  return (
    <Panel
      title={<Term name="drift" />}
      count={figureText(found.totals.drift)}
      note={open ? 'blocks the seal until it is accepted' : 'accepted by name'}
      flush
      aside={
        open && may && quotes.drift ? (
          <Accept page={page} quote={{ what: 'drift', ...quotes.drift }} />
        ) : undefined
      }
    >
      <DataTable<DriftPartition>
        caption="Partitions with drift"
        cards={2}
        rows={found.drift}
        rowKey={(row) => row.start}
        columns={[
          {
            key: 'partition',
            head: 'Partition',
            card: { full: true },
            cell: (row) => <Between zone={page.zone} from={row.start} to={row.end} />,
          },
          ...(found.drift.some((row) => row.samples.length > 0) ? [KEYS] : []),
          {
            key: 'rows',
            head: 'Rows',
            number: true,
            card: { label: 'Rows' },
            cell: (row) => (
              <Figure
                value={row.rows}
                href={address(
                  `/releases/${page.release}/reconciliation`,
                  { run: found.run.id, class: 'drift', partition: row.start },
                  '#diff',
                )}
              />
            ),
          },
        ]}
      />
    </Panel>
  );
}

function Quarantine({ page, quotes, can }: Props) {
  const quote = quotes.quarantine;
  const accepted = page.acceptances.some(
    (a) => a.what === 'quarantine' && a.count === quote?.count && a.digest === quote.digest,
  );
  const may = can['release.accept'] && ACCEPTING.includes(page.state);
  return (
    <Panel
      title={<Term name="quarantined event">Quarantine</Term>}
      id="quarantine"
      count={page.quarantined}
      note={accepted ? 'accepted by name' : 'blocks seal and cutover until it is accepted'}
      flush
      aside={
        !accepted && may && quote ? (
          <Accept page={page} quote={{ what: 'quarantine', ...quote }} />
        ) : undefined
      }
    >
      <QuarantineTable
        caption="Events that could not become rows"
        rows={page.quarantine}
        zone={page.zone}
        hue="bad"
      />
      {page.quarantined > page.quarantine.length && (
        <p className="pad s m">
          The first {page.quarantine.length} of {countText(page.quarantined, 'event')}.
        </p>
      )}
    </Panel>
  );
}

function Acceptances({ page }: { page: ReconciliationPage }) {
  return (
    <Panel title="Accepted by name" count={page.acceptances.length} flush>
      <DataTable<AcceptanceView>
        caption="Acceptances"
        cards={2}
        rows={page.acceptances}
        rowKey={(row) => row.id}
        empty={<Empty title="Nothing was accepted." />}
        columns={[
          {
            key: 'what',
            head: 'What',
            card: { label: 'What' },
            cell: (row) => `${figureText(row.count)} of ${row.what}`,
          },
          {
            key: 'who',
            head: 'Who',
            card: { label: 'Who' },
            cell: (row) => (
              <>
                <b>{row.person}</b>
                <span className="s">
                  <When zone={page.zone} at={row.at} />
                </span>
              </>
            ),
          },
          { key: 'why', head: 'Why', card: { full: true }, cell: (row) => row.reason },
          {
            key: 'digest',
            head: 'Digest',
            card: { label: 'Digest' },
            cell: (row) => <DigestChip value={row.digest} />,
          },
        ]}
      />
    </Panel>
  );
}
