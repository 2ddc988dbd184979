import { Conditions } from '@/components/release/conditions';
import { Gates } from '@/components/release/gates';
import { RowDiff } from '@/components/release/row-diff';
import { StateBadge } from '@/components/release/state-badge';
import { MiniRail } from '@/components/release/state-rail';
import { DataTable } from '@/components/ui/data-table';
import { DigestChip } from '@/components/ui/digest-chip';
import { BigFigure, Facts, Figure, Money, ShareBar } from '@/components/ui/figure';
import { Filters } from '@/components/ui/filters';
import { Pager } from '@/components/ui/pager';
import { Panel } from '@/components/ui/panel';
import { SqlDiff } from '@/components/ui/sql-diff';
import { Tag } from '@/components/ui/tag';
import { diffRows, digest, gates, newSql, oldSql } from './story';

const releases = [
  {
    name: 'vat-fix@3',
    dataset: 'order_tax',
    state: 'RECONCILED',
    next: 'you sign, then dee cuts over',
    tax: '210838.30',
    rows: 463185,
  },
  {
    name: 'reprice@7',
    dataset: 'stock_daily',
    state: 'ACTIVE',
    next: 'retires after 13 Dec 08:41 GMT',
    tax: '-133.73',
    rows: 92,
  },
  {
    name: 'geo-fill@1',
    dataset: 'customer_orders',
    state: 'DRAFT',
    next: 'ana pins it',
    tax: '0.00',
    rows: 24,
  },
] as const;

export function RecordSamples() {
  return (
    <>
      <div className="grid side l">
        <Gates title="Checks" gates={gates} verb="passed" note="1 is watched" />
        <div className="stack">
          <Panel title="Evidence">
            <DigestChip value={digest('c')} big />
            <div className="sub">
              <Facts
                items={[
                  { term: 'Input root', value: <DigestChip value={digest('0')} /> },
                  { term: 'Void', value: <DigestChip value={digest('b')} struck /> },
                  { term: 'Written', value: '09:19:44 GMT' },
                ]}
              />
            </div>
          </Panel>
          <Panel title="Figures">
            <div className="figs">
              <BigFigure label="Unexplained rows" value="0" note="must be 0" hue="ok" icon="ok" />
              <BigFigure label="Rollback, estimate" value="0:44" note="per hour of writes" />
            </div>
            <div className="sub">
              <Facts
                numbers
                items={[
                  { term: 'Rows', value: <Figure value={1644} href="#diff" /> },
                  { term: 'net', value: <Money value="26596.226" /> },
                  { term: 'Δ tax', value: <Money value="210838.30" signed currency="GBP" /> },
                ]}
              />
            </div>
          </Panel>
        </div>
      </div>
      <Gates title="Gates" gates={gates} compact />
      <Panel title="Releases in flight" count={3} countHref="#releases" flush>
        <DataTable
          caption="Releases in flight"
          cards={2}
          rows={releases}
          rowKey={(row) => row.name}
          selected="vat-fix@3"
          total={{
            name: 'all',
            rows: <Figure value={463301} />,
            tax: <Money value="210704.57" signed />,
          }}
          columns={[
            {
              key: 'name',
              head: 'Release',
              card: { full: true },
              sort: { href: '#a', direction: 'ascending' },
              cell: (row) => (
                <>
                  <b>
                    <a href="#release">{row.name}</a>
                  </b>
                  <span className="s">{row.dataset}</span>
                </>
              ),
            },
            { key: 'state', head: 'State', cell: (row) => <StateBadge release={row.state} /> },
            { key: 'rail', head: 'Rail', cell: (row) => <MiniRail current={row.state} /> },
            {
              key: 'rows',
              head: 'Rows',
              number: true,
              sort: { href: '#b' },
              card: { label: 'Rows' },
              cell: (row) => <Figure value={row.rows} href="#diff" />,
            },
            {
              key: 'tax',
              head: 'Δ tax',
              number: true,
              card: { label: 'Δ tax' },
              cell: (row) => <Money value={row.tax} signed />,
            },
            { key: 'next', head: 'Next', card: { full: true }, cell: (row) => row.next },
            {
              key: 'share',
              head: 'Share',
              card: { hide: true },
              cell: () => <ShareBar percent={64} />,
            },
          ]}
        />
      </Panel>
      <Panel title="The switch" flush>
        <Conditions
          conditions={[
            {
              name: 'active',
              holds: true,
              label: 'Active generation',
              expected: <span className="mono">vat-stop-g1</span>,
              current: <span className="mono">vat-stop-g1</span>,
            },
            {
              name: 'evidence',
              holds: true,
              label: 'Evidence',
              expected: <DigestChip value={digest('c')} />,
              current: <DigestChip value={digest('c')} />,
            },
            {
              name: 'held',
              holds: false,
              label: 'Not held, not paused',
              expected: 'no flag',
              current: 'held by cyd 11:51:08: reading the February drift',
            },
          ]}
        />
      </Panel>
      <Panel
        title="Row diff"
        id="diff"
        flush
        aside={
          <Filters
            label="Class"
            current="all"
            items={[
              { value: 'all', label: 'all', count: 462938, href: '#all' },
              { value: 'changed', label: 'changed', count: 461842, href: '#changed' },
              { value: 'drift', label: 'drift', count: 312, href: '#drift' },
              { value: 'unexplained', label: 'unexplained', count: 0, href: '#unexplained' },
            ]}
          />
        }
      >
        <RowDiff
          once={[{ name: 'line' }, { name: 'invoiced_at' }, { name: 'net', number: true }]}
          compared={[
            { name: 'tax', number: true },
            { name: 'gross', number: true },
          ]}
          rows={diffRows}
        />
        <Pager text="rows 1 to 5 of 462,938, by partition and key" nextHref="#next" />
      </Panel>
      <Panel title="Transform" note="3 lines change">
        <SqlDiff
          before={oldSql}
          after={newSql}
          oldHead={
            <>
              old, in use <DigestChip value={digest('6')} />
            </>
          }
          newHead={
            <>
              new <DigestChip value={digest('9')} /> <Tag>commit 4f2a91c</Tag>
            </>
          }
        />
      </Panel>
    </>
  );
}
