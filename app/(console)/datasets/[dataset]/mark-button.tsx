'use client';

import { type FormEvent, useState } from 'react';
import { useFirstInvalid } from '@/components/hooks/use-first-invalid';
import { newKey } from '@/components/release/confirm-dialog';
import { type DialogForm, FormDialog, FormEnd } from '@/components/release/form-dialog';
import { Button } from '@/components/ui/button';
import { Input, Select, TextArea } from '@/components/ui/field';
import { say } from '@/components/ui/toaster';
import { edgeText } from '../../_parts/when';
import { AGAIN } from './again';
import { markTyped } from './contamination-actions';
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
  return (
    <FormDialog
      opener={(open) => (
        <Button size="sm" icon="warn" onClick={open}>
          {props.initial ? 'Mark contaminated…' : 'Mark a range…'}
        </Button>
      )}
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
      {(form) => <MarkForm {...props} form={form} />}
    </FormDialog>
  );
}

function MarkForm({
  dataset,
  zone,
  unit,
  releases,
  initial,
  onDone,
  form,
}: Props & { form: DialogForm }) {
  const [key] = useState(newKey);
  const [typed, setTyped] = useState({
    from: initial ? edgeText(zone, initial.from) : '',
    to: initial ? edgeText(zone, initial.to) : '',
    reason: '',
    servedSince: '',
    repairedBy: '',
  });
  const [asked, setAsked] = useState(0);
  const change = (more: Partial<typeof typed>) => setTyped({ ...typed, ...more });
  const missing = (field: 'from' | 'to' | 'reason') => typed[field].trim() === '';
  const error = (field: 'from' | 'to' | 'reason', says: string) =>
    asked > 0 && missing(field) ? says : undefined;

  const element = useFirstInvalid(asked);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setAsked((times) => times + 1);
    if (missing('from') || missing('to') || missing('reason')) return;
    void form.send(
      () => markTyped({ dataset, ...typed, key }),
      async () => {
        say('The range is marked: whoever reads it is warned');
        form.close();
        await onDone();
      },
      AGAIN,
    );
  };
  return (
    <form ref={element} className="form" onSubmit={submit} noValidate>
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
      <FormEnd form={form} doing="Marking…">
        Mark it
      </FormEnd>
    </form>
  );
}
