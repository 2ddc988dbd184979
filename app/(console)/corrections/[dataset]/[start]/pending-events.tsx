import { StateBadge } from '@/components/release/state-badge';
import type { StateLook } from '@/components/release/states';
import { DataTable } from '@/components/ui/data-table';
import { Empty } from '@/components/ui/empty';
import { figureText } from '@/components/ui/figure-text';
import { Panel } from '@/components/ui/panel';
import { Term } from '@/components/ui/term';
import type { PartitionHistory, PendingEvent } from '@/lib/queries/corrections-history';
import { When } from '../../../_parts/when';

const LOOKS: Record<PendingEvent['kind'], StateLook> = {
  added: { label: 'would add a row', hue: 'idle', icon: 'added' },
  changed: { label: 'would change a row', hue: 'idle', icon: 'neq' },
  removed: { label: 'would take a row away', hue: 'idle', icon: 'minus' },
};

/** Events that came after what was last said of the partition. */
export function PendingEvents({ history, zone }: { history: PartitionHistory; zone: string }) {
  const { count, events } = history.pending;
  return (
    <Panel
      title={<Term name="pending correction">Pending events</Term>}
      id="pending"
      count={figureText(count)}
      flush
    >
      <DataTable<PendingEvent>
        caption="Events that no correction contains yet"
        cards={2}
        rows={events}
        rowKey={({ shard, offset, sourceKey }) => `${shard} ${offset} ${sourceKey}`}
        empty={
          <Empty title="No event is pending.">
            An event that comes late changes nothing that is served here; it is kept on this list
            until a correction contains it.
          </Empty>
        }
        columns={[
          {
            key: 'kind',
            head: 'What it would do',
            nowrap: true,
            card: { full: true },
            cell: ({ kind }) => <StateBadge look={LOOKS[kind]} />,
          },
          {
            key: 'key',
            head: 'Row',
            card: { full: true },
            cell: ({ key, sourceKey, values }) => (
              <>
                <span className="mono">{key ?? sourceKey}</span>
                <Values values={values} />
              </>
            ),
          },
          {
            key: 'at',
            head: 'In the log, since',
            number: true,
            nowrap: true,
            card: { full: true },
            cell: ({ shard, offset, at }) => (
              <>
                shard {shard}, {figureText(offset)}
                <span className="s">
                  <When zone={zone} at={at} />
                </span>
              </>
            ),
          },
        ]}
      />
      {count > events.length && (
        <p className="pad s m">
          The {events.length} that have waited longest, of {figureText(count)}.
        </p>
      )}
    </Panel>
  );
}

function Values({ values }: { values: PendingEvent['values'] }) {
  if (values === null) return <span className="s q">no row any more</span>;
  return (
    <span className="s wrap">
      {Object.entries(values)
        .map(([name, value]) => `${name} ${value ?? 'null'}`)
        .join(', ')}
    </span>
  );
}
