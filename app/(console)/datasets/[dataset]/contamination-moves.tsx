'use client';

import { type FormEvent, useState } from 'react';
import { newKey } from '@/components/release/confirm-dialog';
import { type DialogForm, FormDialog, FormEnd } from '@/components/release/form-dialog';
import { PrimaryAction } from '@/components/release/primary-action';
import { Button } from '@/components/ui/button';
import { Input, Select } from '@/components/ui/field';
import { say } from '@/components/ui/toaster';
import type { ContaminationView } from '@/lib/queries/contaminations';
import { Between } from '../../_parts/when';
import { AGAIN } from './again';
import { liftMark, linkMark } from './contamination-actions';
import type { Repairer } from './repairers';

interface OfMark {
  dataset: string;
  zone: string;
  mark: ContaminationView;
  onDone: () => Promise<void>;
}

/** Lifts a mark for good; a reason is asked for. */
export function LiftMark({ dataset, zone, mark, onDone }: OfMark) {
  return (
    <PrimaryAction
      label="Lift…"
      pendingLabel="Lifting…"
      variant="plain"
      size="sm"
      confirm={{
        title: 'Lift the mark by hand?',
        body: (
          <>
            <p>
              <Between zone={zone} from={mark.from} to={mark.to} />: {mark.reason}
            </p>
            <p>
              For a range that was not wrong after all. Nobody who reads it is warned any more, and
              no rollback puts the mark back. Where a release repairs it, leave it: the cutover
              lifts it.
            </p>
          </>
        ),
        comment: 'required',
        commentLabel: 'Reason',
        commentHint: 'Auditors read it: why was it not wrong?',
        confirmLabel: 'Lift the mark',
      }}
      action={async ({ key, comment }) => {
        const result = await liftMark({ dataset, id: mark.id, reason: comment, key });
        return result.ok ? { ok: true } : result;
      }}
      onDone={() => {
        say('The mark is lifted');
        void onDone();
      }}
    />
  );
}

/** Says which release repairs a mark, or that it is another one. */
export function LinkMark({
  releases,
  ...props
}: OfMark & {
  releases: readonly Repairer[];
}) {
  const { mark, zone } = props;
  return (
    <FormDialog
      opener={(open) => (
        <Button size="sm" onClick={open}>
          {mark.repairedBy === null ? 'Link…' : 'Link another…'}
        </Button>
      )}
      title="Which release repairs it?"
      summary={
        <p>
          <Between zone={zone} from={mark.from} to={mark.to} />. It has to rebuild the whole of it;
          its cutover lifts the mark, and its next revision repairs it as well.
        </p>
      }
    >
      {(form) => <LinkForm {...props} releases={releases} form={form} />}
    </FormDialog>
  );
}

function LinkForm({
  dataset,
  mark,
  releases,
  onDone,
  form,
}: OfMark & {
  releases: readonly Repairer[];
  form: DialogForm;
}) {
  const [key] = useState(newKey);
  const [release, setRelease] = useState(
    () => releases.find(({ name }) => name !== mark.repairedBy)?.name ?? '',
  );
  const [asked, setAsked] = useState(false);
  const named = release.trim();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setAsked(true);
    if (named === '') return;
    void form.send(
      () => linkMark({ dataset, id: mark.id, release: named, key }),
      async () => {
        say(`${named} repairs it`);
        form.close();
        await onDone();
      },
      AGAIN,
    );
  };
  return (
    <form className="form" onSubmit={submit} noValidate>
      {releases.length > 0 ? (
        <Select
          label="Release"
          value={release}
          options={releases.map(({ name, text }) => ({ value: name, label: text }))}
          onChange={(event) => setRelease(event.target.value)}
        />
      ) : (
        <Input
          label="Release"
          hint="Its name, such as vat-fix. This dataset has none whose cutover is to come: draft it first."
          value={release}
          autoComplete="off"
          error={asked && named === '' ? 'Say which release repairs it.' : undefined}
          onChange={(event) => setRelease(event.target.value)}
        />
      )}
      <FormEnd form={form} doing="Linking…">
        Link
      </FormEnd>
    </form>
  );
}
