import Link from 'next/link';
import { DataTable } from '@/components/ui/data-table';
import { countText } from '@/components/ui/figure-text';
import { Panel } from '@/components/ui/panel';
import { subtractDecimals } from '@/lib/domain/decimal';
import { additiveRollups } from '@/lib/queries/corrections-page';
import { rollup } from '@/lib/web/api/figures';
import { webDatabase } from '@/lib/web/db';
import { address } from '../../_parts/search';
import { Difference, Value } from '../../corrections/figure-value';

interface Total {
  name: string;
  served: string | null;
  now: string | null;
  difference: string | null;
}

/** Rollups over the whole generation in use: as served, and with the last corrections. */
export async function TotalsPanel({ dataset }: { dataset: string }) {
  const db = webDatabase();
  const { metrics, asOfNow, corrections, generation } = await rollup(db, { dataset });
  if (Object.keys(metrics).length === 0) return null;
  const additive = new Set(await additiveRollups(db, dataset));
  const rows = Object.entries(metrics).map(([name, served]): Total => {
    const now = asOfNow?.[name] ?? null;
    return { name, served, now, difference: differenceOf(additive.has(name), served, now) };
  });
  return (
    <Panel
      title="Totals"
      note={
        <>
          over <span className="mono">{generation}</span>, when this page was opened
        </>
      }
      flush
    >
      <DataTable<Total>
        caption="Rollups as served and as of now"
        cards={3}
        rows={rows}
        rowKey={({ name }) => name}
        columns={[
          { key: 'name', head: 'Rollup', card: { full: true }, cell: ({ name }) => <b>{name}</b> },
          {
            key: 'served',
            head: 'As served',
            number: true,
            card: { label: 'As served' },
            cell: ({ served }) => <Value value={served} />,
          },
          {
            key: 'now',
            head: 'As of now',
            number: true,
            card: { label: 'As of now' },
            cell: ({ now }) => <Value value={now} />,
          },
          {
            key: 'difference',
            head: 'Difference',
            number: true,
            card: { label: 'Difference' },
            cell: ({ difference }) => <Difference value={difference} />,
          },
        ]}
      />
      <div className="pad totals-said">
        <p className="s m">
          As served is published + open: a sealed partition counts as it was published. As of now
          counts its last correction instead.{' '}
          {corrections.partitions === 0 && corrections.pending === 0
            ? 'Nothing was corrected and nothing is pending.'
            : `${countText(corrections.partitions, 'partition')} ${corrections.partitions === 1 ? 'was' : 'were'} corrected, ${countText(corrections.pending, 'event')} ${corrections.pending === 1 ? 'is' : 'are'} pending and in neither figure.`}{' '}
          <Link href={address('/corrections', { dataset })}>Published figures and corrections</Link>
        </p>
        <details>
          <summary className="s">Why totals are derived, and never added up along the way</summary>
          <p className="s m">
            Every partition keeps its own part of each rollup; a total puts the parts of the
            generation in use together each time somebody asks. A job that adds what it computed to
            a stored total counts a partition twice when it runs twice, and nobody can tell from the
            total. A part that is computed again replaces the part. The lesson with figures is in
            docs/totals.md, and <code className="mono">npm run -s range -- demo</code> walks it.
          </p>
        </details>
      </div>
    </Panel>
  );
}

/** None where a difference means nothing, as of a minimum. */
function differenceOf(additive: boolean, served: string | null, now: string | null): string | null {
  if (!additive || (served === null && now === null)) return null;
  return subtractDecimals(now ?? '0', served ?? '0');
}
