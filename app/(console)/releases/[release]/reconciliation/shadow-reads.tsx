import Link from 'next/link';
import { RowDiff } from '@/components/release/row-diff';
import { VERDICT_LOOKS } from '@/components/release/states';
import { ButtonLink } from '@/components/ui/button';
import { DigestChip } from '@/components/ui/digest-chip';
import { Empty } from '@/components/ui/empty';
import { countText, figureText } from '@/components/ui/figure-text';
import { Icon, type IconName } from '@/components/ui/icon';
import { Note } from '@/components/ui/note';
import { Term } from '@/components/ui/term';
import type { ReconciliationPage } from '@/lib/queries/reconciliation-view';
import type { ShadowReadView, ShadowView } from '@/lib/queries/reports';
import { TimeOfDay, When } from '../../../_parts/when';
import { ReadOne, ShadowPanel } from './read-in-shadow';
import { comparedWords, differenceTable } from './shadow-result';

interface Props {
  page: Pick<ReconciliationPage, 'release' | 'dataset' | 'zone'>;
  shadow: readonly ShadowView[];
  /** Whether the one who looks may have reports read. */
  mayAsk: boolean;
}

/** What the dataset's saved reports say on the old and on the new generation; decides nothing. */
export function ShadowReads({ page, shadow, mayAsk }: Props) {
  return (
    <ShadowPanel
      release={page.release}
      title={<Term name="shadow read">Shadow reads</Term>}
      count={shadow.length}
      askable={mayAsk && shadow.length > 0}
    >
      {shadow.length === 0 ? (
        <Empty
          title={`No report of ${page.dataset} is saved.`}
          action={
            <ButtonLink size="sm" href={`/datasets/${page.dataset}#reports`}>
              Saved reports
            </ButtonLink>
          }
        >
          A saved report is read on both generations, and shows what the release changes of the
          figures that people read.
        </Empty>
      ) : (
        <ul>
          {shadow.map((view) => (
            <Row key={view.report.id} page={page} view={view} mayAsk={mayAsk} />
          ))}
        </ul>
      )}
    </ShadowPanel>
  );
}

function Row({
  page,
  view: { report, read },
  mayAsk,
}: Omit<Props, 'shadow'> & { view: ShadowView }) {
  const look = lookOf(read);
  const coming = read?.state === 'ASKED' || read?.state === 'READING';
  return (
    <li className="shadow">
      <Icon name={look.icon} className={look.hue} label={look.label} spin={look.spin} />
      <b>
        <Link href={`/datasets/${report.dataset}#reports`}>{report.name}</Link>
      </b>
      <span className="n">
        <Came read={read} zone={page.zone} />
      </span>
      {read?.compared && <DigestChip value={read.compared.new.root} />}
      {mayAsk && report.endedAt === null && !coming && (
        <ReadOne release={page.release} report={report} again={read !== null} />
      )}
      {report.endedAt !== null && (
        <small>
          The report was ended or saved anew, <When zone={page.zone} at={report.endedAt} />; this is
          what was read of it.
        </small>
      )}
      {read?.compared && <Sides read={read} compared={read.compared} zone={page.zone} />}
      {read?.state === 'STOPPED' && (
        <div className="all">
          <Note tone="bad" title={`${report.name} was not compared.`}>
            <p>{read.why}</p>
            <p>Nothing was compared, so nothing is known.</p>
          </Note>
        </div>
      )}
      {read?.compared && read.compared.sample.length > 0 && (
        <Differences name={report.name} compared={read.compared} zone={page.zone} />
      )}
    </li>
  );
}

interface Look {
  icon: IconName;
  label: string;
  hue?: string;
  spin?: boolean;
}

/** That figures differ is no fault: a release may be there for that. */
function lookOf(read: ShadowReadView | null): Look {
  if (read?.compared) {
    return read.compared.differing === '0'
      ? { icon: 'ok', hue: 'ok', label: 'the same' }
      : { icon: 'neq', hue: 'm', label: 'differs' };
  }
  if (read?.state === 'STOPPED') return { ...VERDICT_LOOKS.incomplete, label: 'not compared' };
  if (read?.state === 'READING') return { ...VERDICT_LOOKS.running, spin: true };
  return VERDICT_LOOKS.pending;
}

function Came({ read, zone }: { read: ShadowReadView | null; zone: string }) {
  if (read === null) return <span className="q">not read on this release yet</span>;
  if (read.compared) return comparedWords(read.compared);
  if (read.state === 'READING' && read.startedAt !== null) {
    return (
      <>
        being read since <TimeOfDay zone={zone} at={read.startedAt} />
      </>
    );
  }
  if (read.state === 'STOPPED' && read.endedAt !== null) {
    return (
      <>
        stopped, <TimeOfDay zone={zone} at={read.endedAt} />
      </>
    );
  }
  return (
    <>
      asked for by {read.askedBy}, <TimeOfDay zone={zone} at={read.askedAt} />
    </>
  );
}

type Compared = NonNullable<ShadowReadView['compared']>;

/** On what it was read, when, and how far apart the two were. */
function Sides({
  read,
  compared: { old, new: fresh, eventsApart },
  zone,
}: {
  read: ShadowReadView;
  compared: Compared;
  zone: string;
}) {
  const took = (millis: number) =>
    millis < 1_000 ? `${millis} ms` : `${(millis / 1_000).toFixed(1)} s`;
  return (
    <small>
      <span className="mono">{old.generation}</span> in {took(old.millis)},{' '}
      <span className="mono">{fresh.generation}</span> in {took(fresh.millis)}; asked for by{' '}
      {read.askedBy}, read <When zone={zone} at={read.endedAt ?? read.askedAt} />.
      {eventsApart !== '0' &&
        ` ${countText(Number(eventsApart), 'event')} lay between the two then.`}
    </small>
  );
}

function Differences({ name, compared, zone }: { name: string; compared: Compared; zone: string }) {
  const { differing, sample } = compared;
  const all = String(sample.length) === differing;
  const count = countText(sample.length, 'row');
  return (
    <details className="all">
      <summary className="s">
        {all
          ? `${count} that ${sample.length === 1 ? 'differs' : 'differ'}`
          : `The first ${count} of ${figureText(differing)} that differ`}
        <span className="sr"> in {name}</span>
      </summary>
      <RowDiff
        {...differenceTable(zone, compared)}
        withControl={false}
        caption={`Rows of ${name} that differ: old, new`}
      />
    </details>
  );
}
