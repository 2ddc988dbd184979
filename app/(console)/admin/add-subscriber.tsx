'use client';

import { type FormEvent, useState } from 'react';
import { type DialogForm, FormDialog, FormEnd } from '@/components/release/form-dialog';
import { Button } from '@/components/ui/button';
import { Input, Select } from '@/components/ui/field';
import type { AskedKind } from '@/lib/domain/notices';
import { newSubscriber } from './actions';
import { KindBoxes } from './kind-boxes';
import { ShownOnce } from './shown-once';

/** Opens the form of a new subscriber; afterwards its secret, this once. */
export function AddSubscriber({ datasets }: { datasets: readonly string[] }) {
  const [made, setMade] = useState<{ name: string; secret: string } | null>(null);
  return (
    <FormDialog
      opener={(open) => (
        <Button variant="go" icon="plus" onClick={open}>
          New subscriber…
        </Button>
      )}
      // its only copy in this page goes with the dialog
      onShow={() => setMade(null)}
      title={made === null ? 'New subscriber' : `Secret of ${made.name}`}
      summary={
        made === null ? (
          <p>
            Each notice is posted to its address as signed JSON, and tried again until it is taken.
            It may come twice: the receiver drops an id that it has.
          </p>
        ) : undefined
      }
    >
      {(form) =>
        made === null ? (
          <SubscriberForm datasets={datasets} form={form} onMade={setMade} />
        ) : (
          <ShownOnce text={made.secret} close={form.close}>
            The receiver checks with it that a notice comes from here: HMAC-SHA-256 over the time
            and the body, in the header Interlock-Signature. When this is closed, no page shows it
            again.
          </ShownOnce>
        )
      }
    </FormDialog>
  );
}

function SubscriberForm({
  datasets,
  form,
  onMade,
}: {
  datasets: readonly string[];
  form: DialogForm;
  onMade: (made: { name: string; secret: string }) => void;
}) {
  const { send, issueAt } = form;
  const [name, setName] = useState('');
  const [dataset, setDataset] = useState('');
  const [url, setUrl] = useState('');
  const [kinds, setKinds] = useState<AskedKind[]>([]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const asked = { name: name.trim(), dataset: dataset || null, url, kinds };
    void send(
      () => newSubscriber(asked),
      ({ secret }) => onMade({ name: asked.name, secret }),
      'If it was added, nobody has seen its secret: look at the list, end it, and add another one.',
    );
  };
  return (
    <form className="form" onSubmit={submit} noValidate>
      <Input
        label="Name"
        hint="Small letters, digits and -; a name is used once."
        value={name}
        autoComplete="off"
        mono
        error={issueAt('/name')}
        onChange={(event) => setName(event.target.value)}
      />
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
      <Select
        label="Of which dataset"
        value={dataset}
        options={[
          { value: '', label: 'Every dataset, those that come later too' },
          ...datasets.map((each) => ({ value: each, label: each })),
        ]}
        error={issueAt('/dataset')}
        onChange={(event) => setDataset(event.target.value)}
      />
      <KindBoxes ticked={kinds} onChange={setKinds} />
      <FormEnd form={form} doing="Adding…">
        Add the subscriber
      </FormEnd>
    </form>
  );
}
