'use client';

import { type FormEvent, useState } from 'react';
import { ProblemNote } from '@/components/release/problem-note';
import { Button } from '@/components/ui/button';
import { Dialog } from '@/components/ui/dialog';
import { Input } from '@/components/ui/field';
import { say } from '@/components/ui/toaster';
import type { SubscriberView } from '@/lib/queries/notices';
import { setSubscriber } from './actions';
import { KindBoxes } from './kind-boxes';
import { useSend } from './use-send';

/** Opens where a subscriber is told, and of what. */
export function ChangeSubscriber({ subscriber }: { subscriber: SubscriberView }) {
  const [open, setOpen] = useState(false);
  const sending = useSend();
  const show = (next: boolean) => {
    sending.setProblem(null);
    setOpen(next);
  };
  return (
    <>
      <Button size="sm" onClick={() => show(true)}>
        Change…<span className="sr"> {subscriber.name}</span>
      </Button>
      <Dialog
        open={open}
        onOpenChange={show}
        locked={sending.pending}
        title={`How ${subscriber.name} is told`}
        summary={<p>What still waits goes to the new address. Its secret stays.</p>}
      >
        <ChangeForm subscriber={subscriber} sending={sending} close={() => show(false)} />
      </Dialog>
    </>
  );
}

function ChangeForm({
  subscriber: { name, ...before },
  sending: { problem, pending, send, issueAt },
  close,
}: {
  subscriber: SubscriberView;
  sending: ReturnType<typeof useSend>;
  close: () => void;
}) {
  const [url, setUrl] = useState(before.url);
  const [kinds, setKinds] = useState(before.kinds);
  const same = url.trim() === before.url && kinds.join() === before.kinds.join();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (same) return;
    void send(
      () => setSubscriber({ name, url, kinds }),
      () => {
        say(`${name} is told otherwise from now on`);
        close();
      },
      'Close this and look at the list: it says how it is told now.',
    );
  };
  return (
    <form className="form" onSubmit={submit} noValidate>
      <Input
        label="Address"
        hint="https://, or http:// inside a network; without name and password."
        value={url}
        autoComplete="off"
        inputMode="url"
        mono
        error={issueAt('/url')}
        onChange={(event) => setUrl(event.target.value)}
      />
      <KindBoxes ticked={kinds} onChange={setKinds} />
      {problem && <ProblemNote problem={problem} />}
      <div className="form-end">
        <Button onClick={close} pending={pending}>
          Leave it
        </Button>
        <Button type="submit" variant="go" pending={pending} aria-disabled={same || undefined}>
          {pending ? 'Changing…' : 'Change it'}
        </Button>
      </div>
    </form>
  );
}
