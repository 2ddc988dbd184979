import Link from 'next/link';
import { StateBadge } from '@/components/release/state-badge';
import type { StateLook } from '@/components/release/states';
import { DataTable } from '@/components/ui/data-table';
import { Empty } from '@/components/ui/empty';
import { Figure } from '@/components/ui/figure';
import { Panel } from '@/components/ui/panel';
import { clockText } from '@/components/ui/progress';
import { ROLLBACK_LIMIT_SECONDS, type RollbackState } from '@/lib/domain/rollback';
import type { PastRollback } from '@/lib/queries/oncall-view';
import { When } from '../_parts/when';
import { CopyRecord } from './copy-record';
import { tookText } from './took-text';

const LOOKS: Partial<Record<RollbackState, StateLook>> = {
  done: { label: 'Done', hue: 'ok', icon: 'ok' },
  called_off: { label: 'Called off', hue: 'idle', icon: 'void' },
  failed: { label: 'Failed', hue: 'bad', icon: 'bad' },
};

/** How rollbacks went before: what an estimate can go by. */
export function Past({ past }: { past: readonly PastRollback[] }) {
  return (
    <Panel
      title="Earlier rollbacks"
      note={`measured, limit ${clockText(ROLLBACK_LIMIT_SECONDS)}`}
      aside={
        <Link className="s" href="/audit?verb=release.rollback">
          all of them
        </Link>
      }
      flush
    >
      <DataTable<PastRollback>
        caption="Earlier rollbacks"
        cards={2}
        rows={past}
        rowKey={(row) => row.id}
        empty={
          <Empty title="There was none.">
            Until one was made, nothing was measured that an estimate could go by.
          </Empty>
        }
        columns={[
          {
            key: 'release',
            head: 'Release',
            card: { full: true },
            cell: (row) => (
              <>
                <span className="row">
                  <b>
                    <Link href={`/releases/${row.release}`}>{row.release}</Link>
                  </b>
                  <StateBadge
                    look={LOOKS[row.state] ?? { label: row.state, hue: 'idle', icon: 'wait' }}
                  />
                </span>
                <span className="s wrap">
                  <When zone={row.zone} at={row.requestedAt} />, {row.by}
                </span>
              </>
            ),
          },
          {
            key: 'events',
            head: 'Events',
            number: true,
            card: { label: 'Events' },
            cell: (row) => <Figure value={row.events} />,
          },
          {
            key: 'took',
            head: 'Took',
            number: true,
            card: { label: 'Took' },
            cell: (row) => <b>{tookText(row.seconds)}</b>,
          },
          {
            key: 'record',
            head: <span className="sr">Record</span>,
            number: true,
            card: { full: true },
            cell: (row) => <CopyRecord record={row} small />,
          },
        ]}
      />
    </Panel>
  );
}
