'use client';

import { type FormEvent, useEffect, useId, useState } from 'react';
import type { ActionProblem } from '@/components/release/blockers';
import { newKey } from '@/components/release/confirm-dialog';
import { ProblemNote } from '@/components/release/problem-note';
import { useOnce } from '@/components/release/use-once';
import { Button } from '@/components/ui/button';
import { Dialog } from '@/components/ui/dialog';
import { Input, Select, TextArea } from '@/components/ui/field';
import { say } from '@/components/ui/toaster';
import { edgeText } from '../../_parts/when';
import { markTyped } from './contamination-actions';
import { noAnswer } from './no-answer';
import type { Repairer } from './repairers';

interface Props {
  dataset: string;
  zone: string;
  unit: string;
  /** Those that it can be linked to at once. */
  releases: readonly Repairer[];
  /** What the form begins with. */
  initial?: { from: string; to: string };
  onDone: () => unknown;
}

/** Marks a range whose served values are known to be wrong. */
export function MarkButton(props: Props) {
  const [open, setOpen] = useState(false);
  const [pending, once] = useOnce();
  return (
    <>
      <Button size="sm" icon="warn" onClick={() => setOpen(true)}>
        {props.initial ? 'Mark contaminated…' : 'Mark a range…'}
      </Button>
      <Dialog
        open={open}
        onOpenChange={setOpen}
        locked={pending}
        wide
        title="Mark a range as contaminated?"
        summary={
          <p>
            For served values that are known to be wrong: from then on whoever reads of the range is
            warned. What is served does not change; the cutover of the release that repairs it lifts
            the mark.
          </p>
        }
      >
        <MarkForm {...props} pending={pending} once={once} close={() => setOpen(false)} />
      </Dialog>
    </>
  );
}

function MarkForm({
  dataset,
  zone,
  unit,
  releases,
  initial,
  onDone,
  pending,
  once,
  close,
}: Props & {
  pending: boolean;
  once: ReturnType<typeof useOnce>[1];
  close: () => void;
}) {
  const form = useId();
  const [key] = useState(newKey);
  const [typed, setTyped] = useState({
    from: initial ? edgeText(zone, initial.from) : '',
    to: initial ? edgeText(zone, initial.to) : '',
    reason: '',
    servedSince: '',
    repairedBy: '',
  });
  const [asked, setAsked] = useState(0);
  const [problem, setProblem] = useState<ActionProblem | null>(null);
  const change = (more: Partial<typeof typed>) => setTyped({ ...typed, ...more });
  const missing = (field: 'from' | 'to' | 'reason') => typed[field].trim() === '';
  const error = (field: 'from' | 'to' | 'reason', says: string) =>
    asked > 0 && missing(field) ? says : undefined;

  // the first field that is wrong takes the focus, after the errors are in the page
  useEffect(() => {
    if (asked === 0) return;
    document.getElementById(form)?.querySelector<HTMLElement>('[aria-invalid]')?.focus();
  }, [asked, form]);

  const submit = (event: FormEvent) => {
    event.preventDefault();
    setAsked((times) => times + 1);
    if (missing('from') || missing('to') || missing('reason')) return;
    void once(async () => {
      const result = await markTyped({ dataset, ...typed, key }).catch(noAnswer);
      setProblem(result.ok ? null : result.problem);
      if (!result.ok) return;
      say('The range is marked: whoever reads it is warned');
      close();
      await onDone();
    });
  };
  return (
    <form id={form} className="form" onSubmit={submit} noValidate>
      <div className="fields">
        <Input
          label="From"
          value={typed.from}
          placeholder="2011-01-04"
          autoComplete="off"
          required
          error={error('from', 'Say where it begins.')}
          onChange={(event) => change({ from: event.target.value })}
        />
        <Input
          label="To, not included"
          value={typed.to}
          placeholder="2011-01-06"
          autoComplete="off"
          required
          error={error('to', 'Say where it ends.')}
          onChange={(event) => change({ to: event.target.value })}
        />
      </div>
      <p className="s m">
        Edges of a {unit}, as clocks in {zone} show them.
      </p>
      <TextArea
        label="Reason"
        hint="Whoever reads of the range is told it: what is wrong with it?"
        value={typed.reason}
        required
        error={error('reason', 'Say what is wrong with it.')}
        onChange={(event) => change({ reason: event.target.value })}
      />
      <div className="fields">
        <Input
          label="Served since, optional"
          hint="Since when the wrong values were served; left empty: nobody knows."
          value={typed.servedSince}
          placeholder="2011-02-01 09:00"
          autoComplete="off"
          onChange={(event) => change({ servedSince: event.target.value })}
        />
        {releases.length > 0 && (
          <Select
            label="Repaired by, optional"
            hint="It can be linked later."
            value={typed.repairedBy}
            options={[
              { value: '', label: 'no release yet' },
              ...releases.map(({ name, text }) => ({ value: name, label: text })),
            ]}
            onChange={(event) => change({ repairedBy: event.target.value })}
          />
        )}
      </div>
      {problem && <ProblemNote problem={problem} />}
      <div className="form-end">
        <Button onClick={close} pending={pending}>
          Leave it
        </Button>
        <Button type="submit" variant="go" pending={pending}>
          {pending ? 'Marking…' : 'Mark it'}
        </Button>
      </div>
    </form>
  );
}
