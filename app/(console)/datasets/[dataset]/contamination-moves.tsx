'use client';

import { type FormEvent, useState } from 'react';
import type { ActionProblem } from '@/components/release/blockers';
import { newKey } from '@/components/release/confirm-dialog';
import { PrimaryAction } from '@/components/release/primary-action';
import { ProblemNote } from '@/components/release/problem-note';
import { useOnce } from '@/components/release/use-once';
import { Button } from '@/components/ui/button';
import { Dialog } from '@/components/ui/dialog';
import { Input, Select } from '@/components/ui/field';
import { say } from '@/components/ui/toaster';
import type { ContaminationView } from '@/lib/queries/contaminations';
import { Between } from '../../_parts/when';
import { liftMark, linkMark } from './contamination-actions';
import { noAnswer } from './no-answer';
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
  const [open, setOpen] = useState(false);
  const [pending, once] = useOnce();
  return (
    <>
      <Button size="sm" onClick={() => setOpen(true)}>
        {mark.repairedBy === null ? 'Link…' : 'Link another…'}
      </Button>
      <Dialog
        open={open}
        onOpenChange={setOpen}
        locked={pending}
        title="Which release repairs it?"
        summary={
          <p>
            <Between zone={zone} from={mark.from} to={mark.to} />. It has to rebuild the whole of
            it; its cutover lifts the mark, and its next revision repairs it as well.
          </p>
        }
      >
        <LinkForm
          {...props}
          releases={releases}
          pending={pending}
          once={once}
          close={() => setOpen(false)}
        />
      </Dialog>
    </>
  );
}

function LinkForm({
  dataset,
  mark,
  releases,
  pending,
  once,
  close,
  onDone,
}: OfMark & {
  releases: readonly Repairer[];
  pending: boolean;
  once: ReturnType<typeof useOnce>[1];
  close: () => void;
}) {
  const [key] = useState(newKey);
  const [release, setRelease] = useState(
    () => releases.find(({ name }) => name !== mark.repairedBy)?.name ?? '',
  );
  const [asked, setAsked] = useState(false);
  const [problem, setProblem] = useState<ActionProblem | null>(null);
  const named = release.trim();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setAsked(true);
    if (named === '') return;
    void once(async () => {
      const result = await linkMark({ dataset, id: mark.id, release: named, key }).catch(noAnswer);
      setProblem(result.ok ? null : result.problem);
      if (!result.ok) return;
      say(`${named} repairs it`);
      close();
      await onDone();
    });
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
      {problem && <ProblemNote problem={problem} />}
      <div className="form-end">
        <Button onClick={close} pending={pending}>
          Leave it
        </Button>
        <Button type="submit" variant="go" pending={pending}>
          {pending ? 'Linking…' : 'Link'}
        </Button>
      </div>
    </form>
  );
}
