'use client';

import { DataTable } from '@/components/ui/data-table';
import { Figure } from '@/components/ui/figure';
import { figureText } from '@/components/ui/figure-text';
import { Panel } from '@/components/ui/panel';
import { Term } from '@/components/ui/term';
import { plural } from '@/lib/domain/figures';
import type { DatasetServing, ServingShard } from '@/lib/queries/dataset-serving';

/** How far the generation in use is in every shard of its source's log. */
export function ServingShards({ data }: { data: DatasetServing }) {
  const behind = (shard: ServingShard) =>
    shard.applied === null ? null : BigInt(shard.logEnd) - BigInt(shard.applied);
  return (
    <Panel
      title={<Term name="progress" />}
      note={
        data.events === null
          ? 'no events applied'
          : `${plural(BigInt(data.events), 'event')} applied`
      }
    >
      <DataTable<ServingShard>
        caption="Progress per shard"
        rows={data.shards}
        rowKey={(row) => String(row.shard)}
        columns={[
          { key: 'shard', head: 'Shard', cell: (row) => row.shard },
          {
            key: 'applied',
            head: 'Applied',
            number: true,
            cell: (row) =>
              row.applied === null ? <span className="q">–</span> : <Figure value={row.applied} />,
          },
          {
            key: 'end',
            head: 'Log’s end',
            number: true,
            cell: (row) => <Figure value={row.logEnd} />,
          },
          {
            key: 'behind',
            head: 'Behind',
            number: true,
            cell: (row) => {
              const gap = behind(row);
              return gap === null || gap <= 0n ? (
                <span className="q">0</span>
              ) : (
                <b>{figureText(gap)}</b>
              );
            },
          },
        ]}
      />
    </Panel>
  );
}
