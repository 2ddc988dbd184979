import Link from 'next/link';
import { Icon } from '@/components/ui/icon';
import { Panel } from '@/components/ui/panel';
import type { CutoverMarks, LiftedMark, MarkAtCutover } from '@/lib/queries/cutover-marks';
import { Between, When } from '../../_parts/when';
import '../../_parts/parts.css';

interface Shown {
  marks: CutoverMarks;
  dataset: string;
  zone: string;
}

const ENDED = ['REJECTED', 'ABANDONED'];

/** Whether there is anything to say of marks in a state of the release. */
function hasMarks({ marks, state }: { marks: CutoverMarks; state: string }): boolean {
  return marks.lifted.length > 0 || (marks.standing.length > 0 && !ENDED.includes(state));
}

/** What the cutover lifts of contaminated marks and what it leaves, or what it has lifted. */
export function MarksPanel({ state, ...shown }: Shown & { state: string }) {
  if (!hasMarks({ marks: shown.marks, state })) return null;
  return (
    <Panel title="Contaminated ranges">
      <ul className="sentences">
        <MarkSentences state={state} {...shown} />
      </ul>
    </Panel>
  );
}

/** The same as lines of a list of sentences. */
export function MarkSentences({ marks, state, dataset, zone }: Shown & { state: string }) {
  if (!hasMarks({ marks, state })) return null;
  const { lifted, standing } = marks;
  return (
    <>
      {lifted.map((mark) => (
        <Lifted key={mark.id} mark={mark} zone={zone} />
      ))}
      {standing.slice(0, most).map((mark) => (
        <Standing key={mark.id} mark={mark} zone={zone} dataset={dataset} />
      ))}
      {standing.length > most && (
        <li>
          <Icon name="warn" className="bad" />
          <span>
            and{' '}
            <Link href={`/datasets/${dataset}#contaminated`}>{standing.length - most} more</Link>
          </span>
        </li>
      )}
    </>
  );
}

/** Marks that are told one by one; those that are lifted come first. */
const most = 8;

function Lifted({ mark, zone }: { mark: LiftedMark; zone: string }) {
  const { from, to, reason, putBackAt } = mark;
  return (
    <li>
      <Icon
        name={putBackAt === null ? 'ok' : 'warn'}
        className={putBackAt === null ? 'ok' : 'bad'}
      />
      <span>
        <b>The cutover lifted the contaminated mark</b> on{' '}
        <Between zone={zone} from={from} to={to} />
        {putBackAt !== null && (
          <>
            ; <b>the rollback put it back</b>, <When zone={zone} at={putBackAt} />
          </>
        )}
        : {reason}
      </span>
    </li>
  );
}

function Standing({ mark, zone, dataset }: { mark: MarkAtCutover; zone: string; dataset: string }) {
  const interval = <Between zone={zone} from={mark.from} to={mark.to} />;
  const link = (text: string) => <Link href={`/datasets/${dataset}#contaminated`}>{text}</Link>;
  switch (mark.becomes) {
    case 'lifted':
      return (
        <li>
          <Icon name="ok" className="ok" />
          <span>
            <b>The cutover lifts the contaminated mark</b> on {interval}, and a rollback puts it
            back: {mark.reason}
          </span>
        </li>
      );
    case 'outside':
      return (
        <li>
          <Icon name="warn" className="wait" />
          <span>
            <b>A contaminated mark stays</b>, on {interval}: it is linked to this release, and
            reaches out of its range. {link('Marks')}
          </span>
        </li>
      );
    case 'other':
      return (
        <li>
          <Icon name="warn" className="wait" />
          <span>
            <b>A contaminated mark stays</b>, on {interval}: it is linked to{' '}
            <b>{mark.repairedBy}</b>, and only that one’s cutover lifts it. {link('Marks')}
          </span>
        </li>
      );
    case 'unlinked':
      return (
        <li>
          <Icon name="warn" className="wait" />
          <span>
            <b>A contaminated mark stays</b>, on {interval}: it is linked to no release.{' '}
            {link('Link it')}
          </span>
        </li>
      );
  }
}
