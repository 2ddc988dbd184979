import { Facts } from '@/components/ui/figure';
import { figureText } from '@/components/ui/figure-text';
import { Moment } from '@/components/ui/interval';
import { Panel } from '@/components/ui/panel';
import { plural } from '@/lib/domain/figures';
import type { RunPage } from '@/lib/queries/run-page';
import { moment } from '../../times';

/** What was asked before the run, what was answered, and what was so then. */
export function AnswersPanel({ run, zone }: { run: RunPage; zone: string }) {
  return (
    <div className="stack">
      <Panel title="Asked before it">
        {run.answers === null ? (
          <p className="m">
            {run.kind === 'scheduled'
              ? 'Nobody was asked: the schedule made it.'
              : 'Nobody was asked: it came by the API or the command line without answers.'}
          </p>
        ) : (
          <Answers answers={run.answers} />
        )}
      </Panel>
      <Panel title="Who and when">
        <Facts items={factsOf(run, zone)} />
      </Panel>
    </div>
  );
}

function Answers({ answers }: { answers: NonNullable<RunPage['answers']> }) {
  const { overwritable, earlierComplete, publishedSeen, tell, found } = answers;
  return (
    <dl className="answers">
      <dt>May what stands there be overwritten?</dt>
      <dd>
        {yes(overwritable)}
        <span className="s">{plural(found.replaced, 'partition')} held rows</span>
      </dd>
      <dt>Are the earlier ones complete?</dt>
      <dd>
        {yes(earlierComplete)}
        <span className="s">{plural(found.earlierMissing, 'earlier partition')} missing</span>
      </dd>
      <dt>Was any of it published?</dt>
      <dd>
        {found.published === 0 ? 'no' : `${figureText(found.published)}, ${seen(publishedSeen)}`}
      </dd>
      <dt>Was any of it claimed?</dt>
      <dd>{found.claimed === 0 ? 'no' : plural(found.claimed, 'partition')}</dd>
      {found.contaminated !== undefined && (
        <>
          <dt>Was any of it marked contaminated?</dt>
          <dd>{found.contaminated === 0 ? 'no' : plural(found.contaminated, 'mark')}</dd>
        </>
      )}
      <dt>Who must be told?</dt>
      <dd className="wrap">{tell ?? 'nobody'}</dd>
    </dl>
  );
}

const yes = (answer: boolean) => (answer ? 'yes' : 'no');
const seen = (answer: boolean) => (answer ? 'seen' : 'not looked at');

function factsOf(run: RunPage, zone: string) {
  const told = (at: string | null) => {
    if (at === null) return <span className="q">not yet</span>;
    const { text, utc } = moment(zone, at);
    return <Moment text={text} utc={utc} />;
  };
  return [
    { term: 'Asked by', value: run.kind === 'scheduled' ? 'the schedule' : run.by },
    { term: 'Asked', value: told(run.createdAt) },
    ...(run.scheduledFor ? [{ term: 'Scheduled for', value: told(run.scheduledFor) }] : []),
    {
      term: 'Second person',
      value: run.secondNeeded ? (run.secondBy ?? <span className="q">not yet</span>) : 'not needed',
    },
    ...(run.secondAt ? [{ term: 'Confirmed', value: told(run.secondAt) }] : []),
    { term: 'Begun', value: told(run.startedAt) },
    { term: 'Ended', value: told(run.endedAt) },
    {
      term: 'Generation',
      value: run.generation ? (
        <span className="mono">{run.generation}</span>
      ) : (
        <span className="q">not yet</span>
      ),
    },
    ...(run.epoch === null ? [] : [{ term: 'Epoch', value: String(run.epoch) }]),
  ];
}
