'use client';

import Link from 'next/link';
import { useRouter } from 'next/navigation';
import { type FormEvent, type ReactNode, useEffect, useId, useState } from 'react';
import type { ActionProblem } from '@/components/release/blockers';
import { newKey } from '@/components/release/confirm-dialog';
import { ProblemNote } from '@/components/release/problem-note';
import { StateBadge } from '@/components/release/state-badge';
import type { useOnce } from '@/components/release/use-once';
import { Button } from '@/components/ui/button';
import { Checkbox, Input, TextArea } from '@/components/ui/field';
import { countText, figureText } from '@/components/ui/figure-text';
import { Icon } from '@/components/ui/icon';
import { Note } from '@/components/ui/note';
import { say } from '@/components/ui/toaster';
import type { PartitionUnit } from '@/lib/domain/partition-plan';
import type { MissingWhy, RunQuestions } from '@/lib/domain/runs';
import { address } from '../_parts/search';
import { Between, When } from '../_parts/when';
import { type Asked, ask } from './actions';
import type { MissingPartition, PublishedRange } from './intervals';
import { RUN_LOOKS } from './words';

/** The questions with what was found, and their answers. */
export function QuestionsForm({
  asked: { zone, unit, questions, published: publishedRanges, missing },
  pending,
  once,
  onLeave,
}: {
  asked: Asked;
  pending: boolean;
  once: ReturnType<typeof useOnce>[1];
  onLeave: () => void;
}) {
  const router = useRouter();
  const form = useId();
  const { dataset, range, published, earlierMissing, subscribersToTell, subscribers } = questions;
  const [key] = useState(newKey);
  const [overwritable, setOverwritable] = useState(false);
  const [earlierComplete, setEarlierComplete] = useState(earlierMissing.count === 0);
  const [publishedSeen, setPublishedSeen] = useState(false);
  const [tell, setTell] = useState(subscribersToTell.join(', '));
  const [owner, setOwner] = useState('');
  const [problem, setProblem] = useState<ActionProblem | null>(null);
  const [tries, setTries] = useState(0);

  useEffect(() => {
    if (tries > 0) document.getElementById(form)?.scrollIntoView({ block: 'end' });
  }, [tries, form]);

  const submit = (event: FormEvent) => {
    event.preventDefault();
    void once(async () => {
      const result = await ask({
        dataset,
        from: range.from,
        to: range.to,
        owner: owner.trim(),
        answers: {
          overwritable,
          earlierComplete,
          publishedSeen: published.count === 0 || publishedSeen,
          tell: tell.trim() === '' ? null : tell.trim(),
        },
        key,
      });
      setProblem(result.ok ? null : result.problem);
      setTries((n) => n + 1);
      if (!result.ok) return;
      say(
        questions.secondPersonNeeded
          ? `Run ${result.value.id} waits for a second person`
          : `Run ${result.value.id} is planned`,
      );
      router.push(`/runs/${result.value.id}`);
    });
  };
  return (
    <form id={form} className="form" onSubmit={submit} noValidate>
      <ol className="questions">
        <Question title="May what stands there be overwritten?">
          <Overwritten questions={questions} unit={unit} zone={zone} />
          <Checkbox
            checked={overwritable}
            onChange={(event) => setOverwritable(event.target.checked)}
          >
            Yes, it may be overwritten.
          </Checkbox>
        </Question>
        <Question title={`Are the ${unit}s before it complete?`}>
          <Earlier count={earlierMissing.count} missing={missing} unit={unit} zone={zone} />
          <Checkbox
            checked={earlierComplete}
            onChange={(event) => setEarlierComplete(event.target.checked)}
          >
            {earlierMissing.count === 0
              ? 'Yes, they are complete.'
              : 'Yes: what is missing there is known, and right.'}
          </Checkbox>
        </Question>
        <Question title="Was any of it published?">
          {published.count === 0 ? (
            <p className="m">None of it was.</p>
          ) : (
            <>
              <Published questions={questions} ranges={publishedRanges} unit={unit} zone={zone} />
              <Checkbox
                checked={publishedSeen}
                onChange={(event) => setPublishedSeen(event.target.checked)}
              >
                I have seen which were published; they stay as they are.
              </Checkbox>
            </>
          )}
        </Question>
        <Question title="Who must be told?">
          <TextArea
            label="Told, and how"
            hint={
              subscribersToTell.length === 0
                ? 'Nobody was ever sent figures of this dataset; left empty: nobody.'
                : 'To whom figures of this dataset were sent before; left empty: nobody.'
            }
            rows={2}
            value={tell}
            onChange={(event) => setTell(event.target.value)}
          />
          {subscribers.length > 0 && (
            <p className="m">
              <Link href={`/datasets/${dataset}#subscribers`}>
                {countText(subscribers.length, 'subscriber')} of {dataset}
              </Link>
              : {subscribers.join(', ')}. A run sends them no notice; whoever of them must know is
              told by you.
            </p>
          )}
        </Question>
      </ol>
      <Input
        label="For whom, optional"
        hint="This owner’s claims do not stop the run; left empty: yours."
        value={owner}
        autoComplete="off"
        onChange={(event) => setOwner(event.target.value)}
      />
      {questions.secondPersonNeeded && (
        <Note tone="wait" title="A second person has to confirm it.">
          <p>
            It takes {countText(questions.partitions.count, 'partition')}, and this dataset’s policy
            wants another person over {figureText(questions.secondPersonOver ?? 0)}. It waits until
            then.
          </p>
        </Note>
      )}
      {problem && <ProblemNote problem={problem} />}
      <div className="form-end">
        <Button onClick={onLeave} pending={pending}>
          Leave it
        </Button>
        <Button type="submit" variant="go" pending={pending}>
          {pending
            ? 'Asking…'
            : `${questions.secondPersonNeeded ? 'Ask to run' : 'Run'} ${countText(questions.partitions.count, 'partition')}`}
        </Button>
      </div>
    </form>
  );
}

function Question({ title, children }: { title: string; children: ReactNode }) {
  return (
    <li>
      <h3>{title}</h3>
      {children}
    </li>
  );
}

interface Part {
  questions: RunQuestions;
  unit: PartitionUnit;
  zone: string;
}

function Overwritten({ questions, unit, zone }: Part) {
  const { dataset, overwritable, claimed, contaminated, partitions } = questions;
  const { replaced, lastRun } = overwritable;
  return (
    <>
      <p className="m">
        {replaced === 0
          ? 'None of it holds rows that a run would replace.'
          : `${countText(replaced, unit)} of ${figureText(partitions.count)} ${replaced === 1 ? 'holds' : 'hold'} rows, which are replaced.`}{' '}
        {lastRun && (
          <>
            Last taken by <Link href={`/runs/${lastRun.id}`}>run {lastRun.id}</Link>,{' '}
            {(RUN_LOOKS[lastRun.state]?.label ?? lastRun.state).toLowerCase()},{' '}
            <When zone={zone} at={lastRun.at} />.
          </>
        )}
      </p>
      {claimed.length > 0 && (
        <ul className="m">
          {claimed.slice(0, mostNamed).map((claim) => (
            <li key={claim.from} className="claimed">
              <StateBadge partition="claimed">claimed by {claim.owner}</StateBadge>
              <span>
                <Between zone={zone} from={claim.from} to={claim.to} />, left alone unless it is run
                for {claim.owner}.
              </span>
            </li>
          ))}
          {claimed.length > mostNamed && (
            <li>and {countText(claimed.length - mostNamed, 'range')} more</li>
          )}
        </ul>
      )}
      {contaminated.length > 0 && (
        <ul className="m">
          {contaminated.slice(0, mostNamed).map((mark) => (
            <li key={mark.id} className="claimed">
              <StateBadge flag="contaminated" />
              <span>
                <Between zone={zone} from={mark.from} to={mark.to} />. A run computes by the same
                transform and lifts no mark
                {mark.repairedBy === null ? '' : `; ${mark.repairedBy} repairs it`}.{' '}
                <i>{mark.reason}</i>
              </span>
            </li>
          ))}
          {contaminated.length > mostNamed && (
            <li>
              and{' '}
              <Link href={`/datasets/${dataset}#contaminated`}>
                {countText(contaminated.length - mostNamed, 'mark')} more
              </Link>
            </li>
          )}
        </ul>
      )}
    </>
  );
}

const mostNamed = 5;

const WHY: Record<MissingWhy, string> = {
  no_rows: 'no rows',
  failed: 'its newest run failed',
  skipped: 'its newest run left it out',
};

function Earlier({
  count,
  missing,
  unit,
  zone,
}: Omit<Part, 'questions'> & { count: number; missing: readonly MissingPartition[] }) {
  if (count === 0) return <p className="m">Every {unit} from the first row on holds rows.</p>;
  return (
    <>
      <p className="st wait">
        <Icon name="warn" />
        {countText(count, unit)} before it {count === 1 ? 'is' : 'are'} missing
        {missing.length < count ? '; the last:' : ':'}
      </p>
      <ul className="m">
        {missing.map(({ from, to, why }) => (
          <li key={from}>
            <Between zone={zone} from={from} to={to} />: {WHY[why]}
          </li>
        ))}
      </ul>
    </>
  );
}

function Published({
  questions: { dataset, range, published },
  ranges,
  unit,
  zone,
}: Part & { ranges: readonly PublishedRange[] }) {
  return (
    <>
      <p className="st seal">
        <Icon name="lock" />
        {countText(published.count, unit)} of it, to {published.recipients.join(', ')}
      </p>
      <ul className="m">
        {ranges.slice(0, mostNamed).map(({ from, to, sentTo, document, at }) => (
          <li key={from}>
            <Between zone={zone} from={from} to={to} />: to {sentTo}, <When zone={zone} at={at} />
            {document && `, ${document}`}
          </li>
        ))}
        {ranges.length > mostNamed && (
          <li>and {countText(ranges.length - mostNamed, 'range')} more</li>
        )}
      </ul>
      <p>
        <Link href={address('/corrections', { dataset, from: range.from, to: range.to })}>
          Published figures and corrections
        </Link>
      </p>
    </>
  );
}
