'use client';

import { type FormEvent, useState } from 'react';
import { type DialogForm, FormDialog, FormEnd } from '@/components/release/form-dialog';
import { Button } from '@/components/ui/button';
import { Input } from '@/components/ui/field';
import { say } from '@/components/ui/toaster';
import type { SubscriberView } from '@/lib/queries/notices';
import { setSubscriber } from './actions';
import { KindBoxes } from './kind-boxes';

/** Opens where a subscriber is told, and of what. */
export function ChangeSubscriber({ subscriber }: { subscriber: SubscriberView }) {
  return (
    <FormDialog
      opener={(open) => (
        <Button size="sm" onClick={open}>
          Change…<span className="sr"> {subscriber.name}</span>
        </Button>
      )}
      title={`How ${subscriber.name} is told`}
      summary={<p>What still waits goes to the new address. Its secret stays.</p>}
    >
      {(form) => <ChangeForm subscriber={subscriber} form={form} />}
    </FormDialog>
  );
}

function ChangeForm({
  subscriber: { name, ...before },
  form,
}: {
  subscriber: SubscriberView;
  form: DialogForm;
}) {
  const { send, issueAt, close } = form;
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
      <FormEnd form={form} doing="Changing…" nothing={same}>
        Change it
      </FormEnd>
    </form>
  );
}
