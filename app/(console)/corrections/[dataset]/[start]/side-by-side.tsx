import { DataTable } from '@/components/ui/data-table';
import { DigestChip } from '@/components/ui/digest-chip';
import { Panel } from '@/components/ui/panel';
import { Term } from '@/components/ui/term';
import { sameFigures } from '@/lib/domain/correction';
import type { PartitionHistory } from '@/lib/queries/corrections-history';
import { type FigureLine, figureLines } from '../../figure-lines';
import { Difference, Value } from '../../figure-value';

/** As published, and as of now. */
export function SideBySide({ history }: { history: PartitionHistory }) {
  const { published, asOfNow, delta, corrections } = history;
  return (
    <Panel
      title="Figures"
      note={
        corrections.length === 0
          ? 'nothing was corrected'
          : sameFigures(published, asOfNow)
            ? 'as of now they are what was published'
            : 'what is served is as published'
      }
      flush
    >
      <DataTable<FigureLine>
        caption="As published and as of now"
        cards={3}
        rows={figureLines([published, asOfNow], delta)}
        rowKey={({ key }) => key}
        columns={[
          {
            key: 'name',
            head: 'Figure',
            card: { full: true },
            cell: ({ name, kind }) => (
              <>
                <b>{name}</b> {kind && <span className="q">{kind}</span>}
              </>
            ),
          },
          {
            key: 'published',
            head: <Term name="as published" />,
            number: true,
            card: { label: 'As published' },
            cell: ({ values }) => <Value value={values[0]} />,
          },
          {
            key: 'now',
            head: <Term name="as of now" />,
            number: true,
            card: { label: 'As of now' },
            cell: ({ values }) => <Value value={values[1]} />,
          },
          {
            key: 'difference',
            head: 'Difference',
            number: true,
            card: { label: 'Difference' },
            cell: ({ delta: difference }) => <Difference value={difference} />,
          },
        ]}
      />
      <p className="pad s m roots">
        Root of the rows, published <DigestChip value={published.root} />
        {published.root === asOfNow.root ? (
          ', the same as of now'
        ) : (
          <>
            , as of now <DigestChip value={asOfNow.root} />
          </>
        )}
      </p>
    </Panel>
  );
}
