import type { ReactNode } from 'react';
import { DataTable } from '@/components/ui/data-table';
import { Icon } from '@/components/ui/icon';
import type { QuarantineItem } from '@/lib/queries/reconciliation-findings';
import { When } from './when';

/** Events that could not become rows, each with why. `hue`: whether they stop something. */
export function QuarantineTable({
  caption,
  rows,
  zone,
  hue,
  empty,
}: {
  caption: string;
  rows: readonly QuarantineItem[];
  zone: string;
  hue: 'wait' | 'bad';
  empty?: ReactNode;
}) {
  return (
    <DataTable<QuarantineItem>
      caption={caption}
      cards={2}
      rows={rows}
      rowKey={(row) => row.key}
      {...(empty === undefined ? {} : { empty })}
      columns={[
        {
          key: 'key',
          head: 'Source key',
          mono: true,
          card: { full: true },
          cell: (row) => row.key,
        },
        {
          key: 'why',
          head: 'Why',
          card: { full: true },
          cell: (row) => (
            <>
              <span className={`st ${hue}`}>
                <Icon name="warn" />
                <span className="mono">{row.code}</span>
              </span>
              <span className="s wrap">{row.error}</span>
            </>
          ),
        },
        {
          key: 'since',
          head: 'Since',
          number: true,
          card: { label: 'Since' },
          cell: (row) => <When zone={zone} at={row.since} />,
        },
      ]}
    />
  );
}
