'use client';

import { type FormEvent, useState } from 'react';
import { type DialogForm, FormDialog, FormEnd } from '@/components/release/form-dialog';
import { Button } from '@/components/ui/button';
import { Input } from '@/components/ui/field';
import { countText } from '@/components/ui/figure-text';
import { Note } from '@/components/ui/note';
import { say } from '@/components/ui/toaster';
import { setRetention } from './actions';

/** Opens what a source keeps. */
export function RetentionForm({ source, days }: { source: string; days: number | null }) {
  return (
    <FormDialog
      opener={(open) => (
        <Button size="sm" onClick={open}>
          Keep…<span className="sr"> of {source}</span>
        </Button>
      )}
      title={`What ${source} keeps`}
      summary={
        <p>
          Older events are pruned to the newest of each key, unless a release or a generation still
          needs them. Facts are never lost by it, their history is.
        </p>
      }
    >
      {(form) => <DaysForm source={source} days={days} form={form} />}
    </FormDialog>
  );
}

function DaysForm({
  source,
  days,
  form,
}: {
  source: string;
  days: number | null;
  form: DialogForm;
}) {
  const { send, issueAt, close } = form;
  const [seen] = useState(days);
  const [text, setText] = useState(seen === null ? '' : String(seen));
  const typed = text.trim();
  const wrong = typed !== '' && !/^[1-9]\d{0,5}$/.test(typed);
  const next = typed === '' ? null : Number(typed);
  const same = next === seen;
  const shorter = !wrong && next !== null && (seen === null || next < seen);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (wrong || same) return;
    void send(
      () => setRetention({ source, retentionDays: next, seen }),
      () => {
        say(
          next === null
            ? `${source} keeps every event`
            : `${source} keeps ${countText(next, 'day')} whole`,
        );
        close();
      },
      'Close this and look at the list: it says what is kept now.',
    );
  };
  return (
    <form className="form" onSubmit={submit} noValidate>
      <Input
        label="Days that are kept whole"
        hint="Empty: every event is kept."
        value={text}
        autoComplete="off"
        inputMode="numeric"
        error={wrong ? 'A whole number of days, or nothing.' : issueAt('/retentionDays')}
        onChange={(event) => setText(event.target.value)}
      />
      {shorter && (
        <Note tone="wait" icon="warn" title="What is pruned does not come back.">
          Raising the days again later keeps only what is still there by then.
        </Note>
      )}
      <FormEnd
        form={form}
        doing="Changing…"
        variant={shorter ? 'stop' : 'go'}
        nothing={wrong || same}
      >
        {next === null ? 'Keep every event' : `Keep ${typed || '…'} days`}
      </FormEnd>
    </form>
  );
}
