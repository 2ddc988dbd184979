import Link from 'next/link';
import { StateBadge } from '@/components/release/state-badge';
import type { StateLook } from '@/components/release/states';
import { DataTable } from '@/components/ui/data-table';
import { Empty } from '@/components/ui/empty';
import { Figure, ShareBar } from '@/components/ui/figure';
import { Panel } from '@/components/ui/panel';
import { clockText } from '@/components/ui/progress';
import { ROLLBACK_LIMIT_SECONDS } from '@/lib/domain/rollback';
import type { DrillView } from '@/lib/queries/drills';
import { When } from '../_parts/when';
import { tookText } from './took-text';

const LIMIT = ROLLBACK_LIMIT_SECONDS;

function lookOf({ outcome, rollbackSeconds }: DrillView): StateLook {
  if (outcome === null) return { label: 'Running', hue: 'run', icon: 'building' };
  if (outcome === 'failed') return { label: 'Failed', hue: 'bad', icon: 'bad' };
  return (rollbackSeconds ?? 0) > LIMIT
    ? { label: 'Too slow', hue: 'bad', icon: 'warn' }
    : { label: 'Passed', hue: 'ok', icon: 'ok' };
}

/** Measured times of rollbacks on forks: what the gates read the last of. */
export function Drills({ drills }: { drills: readonly DrillView[] }) {
  return (
    <Panel
      title="Drills"
      note={`measured, limit ${clockText(LIMIT)}`}
      aside={
        <Link className="s" href="/audit?verb=release.drill-ended">
          all of them
        </Link>
      }
      flush
    >
      <DataTable<DrillView>
        caption="Drills"
        cards={2}
        rows={drills}
        rowKey={(row) => row.id}
        empty={
          <Empty title="There was none.">
            A drill tries a rehearsed release’s cutover and rollback on a fork of its dataset; it is
            started from the release’s menu.
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
                  <StateBadge look={lookOf(row)} turning={row.outcome === null} />
                </span>
                <span className="s wrap">
                  <When zone={row.zone} at={row.startedAt} />, {row.by}
                  {row.outcome === null && row.steps.length > 0 && `, ${row.steps.at(-1)?.step}`}
                  {row.outcome === 'failed' && row.why && `: ${row.why}`}
                </span>
              </>
            ),
          },
          {
            key: 'events',
            head: 'Events',
            number: true,
            card: { label: 'Events' },
            cell: (row) =>
              row.eventsReplayed === null ? '' : <Figure value={row.eventsReplayed} />,
          },
          {
            key: 'took',
            head: 'Rolled back in',
            number: true,
            card: { label: 'Rolled back in' },
            cell: (row) =>
              row.rollbackSeconds === null ? (
                ''
              ) : (
                <>
                  <b>{tookText(row.rollbackSeconds)}</b>
                  <ShareBar percent={(row.rollbackSeconds / LIMIT) * 100} />
                </>
              ),
          },
        ]}
      />
    </Panel>
  );
}
