'use client';

import { type FormEvent, useState } from 'react';
import { ProblemNote } from '@/components/release/problem-note';
import { Button } from '@/components/ui/button';
import { Dialog } from '@/components/ui/dialog';
import { Input } from '@/components/ui/field';
import { countText } from '@/components/ui/figure-text';
import { Note } from '@/components/ui/note';
import { say } from '@/components/ui/toaster';
import { setRetention } from './actions';
import { useSend } from './use-send';

/** Opens what a source keeps. */
export function RetentionForm({ source, days }: { source: string; days: number | null }) {
  const [open, setOpen] = useState(false);
  const sending = useSend();
  const show = (next: boolean) => {
    sending.setProblem(null);
    setOpen(next);
  };
  return (
    <>
      <Button size="sm" onClick={() => show(true)}>
        Keep…<span className="sr"> of {source}</span>
      </Button>
      <Dialog
        open={open}
        onOpenChange={show}
        locked={sending.pending}
        title={`What ${source} keeps`}
        summary={
          <p>
            Older events are pruned to the newest of each key, unless a release or a generation
            still needs them. Facts are never lost by it, their history is.
          </p>
        }
      >
        <DaysForm source={source} days={days} sending={sending} close={() => show(false)} />
      </Dialog>
    </>
  );
}

function DaysForm({
  source,
  days,
  sending: { problem, pending, send, issueAt },
  close,
}: {
  source: string;
  days: number | null;
  sending: ReturnType<typeof useSend>;
  close: () => void;
}) {
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
      {problem && <ProblemNote problem={problem} />}
      <div className="form-end">
        <Button onClick={close} pending={pending}>
          Leave it
        </Button>
        <Button
          type="submit"
          variant={shorter ? 'stop' : 'go'}
          pending={pending}
          aria-disabled={wrong || same || undefined}
        >
          {pending ? 'Changing…' : next === null ? 'Keep every event' : `Keep ${typed || '…'} days`}
        </Button>
      </div>
    </form>
  );
}
