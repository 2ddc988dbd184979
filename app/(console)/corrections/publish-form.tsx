'use client';

import { type FormEvent, useEffect, useRef, useState } from 'react';
import { useFirstInvalid } from '@/components/hooks/use-first-invalid';
import type { ActionProblem } from '@/components/release/blockers';
import { newKey } from '@/components/release/confirm-dialog';
import { ProblemNote } from '@/components/release/problem-note';
import type { useOnce } from '@/components/release/use-once';
import { Button } from '@/components/ui/button';
import { Input } from '@/components/ui/field';
import { countText } from '@/components/ui/figure-text';
import { Skeleton } from '@/components/ui/skeleton';
import { edgeText } from '../_parts/when';
import { type EdgeOffer, type PublishFacts, publishRange, readPublish } from './actions';
import { PublishFound } from './publish-found';

type Answer = Awaited<ReturnType<typeof readPublish>>;
type Fault = NonNullable<Extract<Answer, { ok: true }>['value']['fault']>;

interface Found {
  facts: PublishFacts | null;
  fault: Fault | null;
  problem: ActionProblem | null;
}

const NOTHING: Found = { facts: null, fault: null, problem: null };
/** While somebody types, what is half-typed is not looked up. */
const PAUSE_MS = 350;

/** Range, to whom, document; and what is served of the range now. */
export function PublishForm({
  dataset,
  zone,
  unit,
  initial,
  pending,
  once,
  onLeave,
  onDone,
}: {
  dataset: string;
  zone: string;
  unit: string;
  initial: { from: string; to: string } | null;
  pending: boolean;
  once: ReturnType<typeof useOnce>[1];
  onLeave: () => void;
  onDone: (said: string) => void;
}) {
  const [key] = useState(newKey);
  const [from, setFrom] = useState(() => shown(zone, initial?.from));
  const [to, setTo] = useState(() => shown(zone, initial?.to));
  const [sentTo, setSentTo] = useState('');
  const [document, setDocument] = useState('');
  const [asked, setAsked] = useState(0);
  const form = useFirstInvalid(asked);
  const [refused, setRefused] = useState<ActionProblem | null>(null);
  const [found, looking] = useFound(dataset, from, to);
  const { facts, fault } = found;

  const submit = (event: FormEvent) => {
    event.preventDefault();
    setAsked((times) => times + 1);
    if (from.trim() === '' || to.trim() === '' || sentTo.trim() === '') return;
    void once(async () => {
      setRefused(null);
      try {
        const result = await publishRange({ dataset, from, to, sentTo, document, key });
        if (!result.ok) return setRefused(result.problem);
        onDone(doneText(result.value, unit));
      } catch {
        setRefused({
          code: 'NO_ANSWER',
          title: 'No answer came back.',
          detail: 'Press again: if it was recorded, it is not recorded twice.',
        });
      }
    });
  };

  const fresh = facts === null ? null : facts.partitions - facts.already;
  return (
    <form ref={form} className="form" onSubmit={submit} noValidate>
      <div className="fields publish-ends">
        <End
          label="From"
          unit={unit}
          value={from}
          onChange={setFrom}
          error={errorOf('from', fault, asked > 0 && from.trim() === '')}
          offers={offersOf('from', fault)}
        />
        <End
          label="To, not included"
          unit={unit}
          value={to}
          onChange={setTo}
          error={errorOf('to', fault, asked > 0 && to.trim() === '')}
          offers={offersOf('to', fault)}
        />
      </div>
      <p className="s m">
        Edges of a {unit}, as clocks in {zone} show them.
      </p>
      <div className="fields">
        <Input
          label="To whom"
          hint="Who got the figures: an office, a person, a report."
          value={sentTo}
          autoComplete="off"
          required
          error={
            asked > 0 && sentTo.trim() === '' ? 'Say to whom the figures were sent.' : undefined
          }
          onChange={(event) => setSentTo(event.target.value)}
        />
        <Input
          label="Document, optional"
          hint="Where what was sent is kept: a link, a file’s name, a number."
          value={document}
          autoComplete="off"
          onChange={(event) => setDocument(event.target.value)}
        />
      </div>
      <div className="found" aria-busy={looking} aria-live="polite">
        {facts ? (
          <PublishFound facts={facts} />
        ) : (
          <Waiting looking={looking} problem={found.problem} unit={unit} />
        )}
      </div>
      {refused && <ProblemNote problem={refused} />}
      <div className="form-end">
        <Button onClick={onLeave} pending={pending}>
          Leave it
        </Button>
        <Button type="submit" variant="go" pending={pending}>
          {pending ? 'Publishing…' : labelOf(fresh, unit)}
        </Button>
      </div>
    </form>
  );
}

/** What the range is: read again whenever an end changes, the last answer wins. */
function useFound(dataset: string, from: string, to: string): [Found, boolean] {
  const [found, setFound] = useState<Found>(NOTHING);
  const [looking, setLooking] = useState(false);
  const newest = useRef(0);
  useEffect(() => {
    const turn = ++newest.current;
    if (from.trim() === '' || to.trim() === '') {
      setFound(NOTHING);
      setLooking(false);
      return;
    }
    setLooking(true);
    const timer = setTimeout(async () => {
      const next = await lookUp({ dataset, from, to });
      if (turn !== newest.current) return;
      setFound(next);
      setLooking(false);
    }, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [dataset, from, to]);
  return [found, looking];
}

async function lookUp(range: { dataset: string; from: string; to: string }): Promise<Found> {
  try {
    const result = await readPublish(range);
    if (!result.ok) return { ...NOTHING, problem: result.problem };
    return { ...result.value, problem: null };
  } catch {
    return { ...NOTHING, problem: { code: 'NO_ANSWER', title: 'No answer came back.' } };
  }
}

function Waiting({
  looking,
  problem,
  unit,
}: {
  looking: boolean;
  problem: ActionProblem | null;
  unit: string;
}) {
  if (problem) return <ProblemNote problem={problem} />;
  if (!looking) {
    return (
      <p className="q">
        As soon as both ends are edges of a {unit}, what is served between them stands here.
      </p>
    );
  }
  return (
    <div className="col">
      <p className="sr">Reading what is served there</p>
      {[70, 52, 61].map((width) => (
        <div key={width} style={{ height: 20 }}>
          <Skeleton width={`${width}%`} />
        </div>
      ))}
    </div>
  );
}

function End({
  label,
  unit,
  value,
  onChange,
  error,
  offers,
}: {
  label: string;
  unit: string;
  value: string;
  onChange: (text: string) => void;
  error: string | undefined;
  offers: readonly EdgeOffer[];
}) {
  return (
    <div className="col">
      <Input
        label={label}
        value={value}
        placeholder="2011-01-04"
        autoComplete="off"
        error={offers.length > 0 ? `Inside a ${unit}; the nearest edges:` : error}
        onChange={(event) => onChange(event.target.value)}
      />
      {offers.length > 0 && (
        // biome-ignore lint/a11y/useSemanticElements: a fieldset brings a frame of its own.
        <div className="row" role="group" aria-label={`${label}: nearest edges`}>
          {offers.map(({ utc, text }) => (
            <button
              key={utc}
              type="button"
              className="btn sm"
              title={utc}
              onClick={() => onChange(text)}
            >
              {text}
            </button>
          ))}
        </div>
      )}
    </div>
  );
}

const offersOf = (end: 'from' | 'to', fault: Fault | null) =>
  (fault?.offers ?? []).filter((offer) => offer.end === end);

function errorOf(end: 'from' | 'to', fault: Fault | null, missing: boolean): string | undefined {
  if (missing) return 'Say where it lies.';
  if (fault === null || fault.offers.length > 0) return undefined;
  // what is wrong with both is said once
  return fault.end === end || (fault.end === null && end === 'to') ? fault.message : undefined;
}

/** A link names instants; people read clocks. */
function shown(zone: string, text: string | undefined): string {
  if (text === undefined || text === '') return '';
  return /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(text) ? edgeText(zone, text) : text;
}

function labelOf(fresh: number | null, unit: string): string {
  if (fresh === null) return 'Publish';
  return fresh === 0 ? 'Record another sending' : `Publish ${countText(fresh, unit)}`;
}

function doneText({ sealed, already }: { sealed: number; already: number }, unit: string): string {
  if (sealed === 0)
    return `The sending is recorded; all ${countText(already, unit)} were sealed before`;
  return `${countText(sealed, unit)} published and sealed`;
}
