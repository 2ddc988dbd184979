'use client';

import Link from 'next/link';
import { type Column, DataTable } from '@/components/ui/data-table';
import { Empty } from '@/components/ui/empty';
import { countText } from '@/components/ui/figure-text';
import { Panel } from '@/components/ui/panel';
import type { ContaminationView } from '@/lib/queries/contaminations';
import type { DatasetServing } from '@/lib/queries/dataset-serving';
import { Between, When } from '../../_parts/when';
import { LiftMark, LinkMark } from './contamination-moves';
import { MarkButton } from './mark-button';
import { repairersOf, stateWord } from './repairers';

/** What somebody may do with contaminated marks. */
export interface MarkRights {
  mark: boolean;
  link: boolean;
  lift: boolean;
}

interface Props {
  data: DatasetServing;
  can: MarkRights;
  refresh: () => Promise<void>;
}

/** Ranges whose served values are known to be wrong, and what became of those that were. */
export function ContaminatedPanel({ data, can, refresh }: Props) {
  const { marks, timezone } = data;
  return (
    <Panel
      title="Contaminated ranges"
      id="contaminated"
      count={data.contaminated.length}
      aside={
        can.mark && (
          <MarkButton
            dataset={data.name}
            zone={timezone}
            unit={data.partition}
            releases={repairersOf(data.releases)}
            onDone={refresh}
          />
        )
      }
      flush
    >
      <DataTable<ContaminationView>
        caption="Contaminated ranges"
        cards={2}
        rows={marks.standing}
        rowKey={({ id }) => id}
        empty={
          <Empty title="Nothing that is served is known to be wrong.">
            A mark warns whoever reads of its range. The cutover of the release that repairs it
            lifts it, and a rollback puts it back.
          </Empty>
        }
        columns={columnsOf(data, can, refresh)}
      />
      {marks.lifted.length > 0 && (
        <details className="pad lifted">
          <summary className="s m">{countText(marks.lifted.length, 'lifted mark')}</summary>
          <ul>
            {marks.lifted.map((mark) => (
              <li key={mark.id}>
                <Between zone={timezone} from={mark.from} to={mark.to} />
                <span className="s wrap">{mark.reason}</span>
                <span className="s m wrap">
                  <Lifted mark={mark} zone={timezone} />
                </span>
              </li>
            ))}
          </ul>
        </details>
      )}
    </Panel>
  );
}

function columnsOf(
  data: DatasetServing,
  can: MarkRights,
  refresh: () => Promise<void>,
): Column<ContaminationView>[] {
  const zone = data.timezone;
  const columns: Column<ContaminationView>[] = [
    {
      key: 'range',
      head: 'Range',
      card: { full: true },
      cell: ({ from, to, reason, servedSince }) => (
        <>
          <Between zone={zone} from={from} to={to} />
          <span className="s wrap">{reason}</span>
          <span className="s">
            served since{' '}
            {servedSince === null ? 'nobody knows when' : <When zone={zone} at={servedSince} />}
          </span>
        </>
      ),
    },
    {
      key: 'repaired',
      head: 'Repaired by',
      card: { label: 'Repaired by' },
      cell: (mark) => <RepairedBy mark={mark} />,
    },
    {
      key: 'marked',
      head: 'Marked',
      card: { label: 'Marked' },
      cell: (mark) => (
        <>
          by {mark.markedBy}
          <span className="s">
            <When zone={zone} at={mark.markedAt} />
          </span>
          <PutBack mark={mark} zone={zone} />
        </>
      ),
    },
  ];
  if (can.link || can.lift) {
    columns.push({
      key: 'act',
      head: <span className="sr">Link or lift</span>,
      number: true,
      card: { full: true },
      cell: (mark) => (
        <div className="mark-acts">
          {can.link && (
            <LinkMark
              dataset={data.name}
              zone={zone}
              mark={mark}
              releases={repairersOf(data.releases)}
              onDone={refresh}
            />
          )}
          {can.lift && <LiftMark dataset={data.name} zone={zone} mark={mark} onDone={refresh} />}
        </div>
      ),
    });
  }
  return columns;
}

function RepairedBy({ mark: { repairedBy, repairing } }: { mark: ContaminationView }) {
  if (repairedBy === null) return <span className="q">none linked</span>;
  if (repairing === null) return repairedBy;
  return (
    <>
      <Link href={`/releases/${repairing.release}`}>{repairing.release}</Link>
      <span className="s">{stateWord(repairing.state)}</span>
    </>
  );
}

function PutBack({ mark, zone }: { mark: ContaminationView; zone: string }) {
  const back = mark.turns.findLast(({ kind }) => kind !== 'LINKED');
  if (back?.kind !== 'PUT_BACK') return null;
  return (
    <span className="s">
      put back by the rollback of {back.release}, <When zone={zone} at={back.at} />
    </span>
  );
}

function Lifted({ mark, zone }: { mark: ContaminationView; zone: string }) {
  const last = mark.turns.findLast(({ kind }) => kind === 'LIFTED');
  if (!last) return null;
  return last.release === null ? (
    <>
      lifted by {last.by}, <When zone={zone} at={last.at} />: {last.reason}
    </>
  ) : (
    <>
      lifted by the cutover of{' '}
      <Link href={`/releases/${last.release}/cutover`}>{last.release}</Link>,{' '}
      <When zone={zone} at={last.at} />
    </>
  );
}
