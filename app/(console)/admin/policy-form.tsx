'use client';

import { type FormEvent, useState } from 'react';
import { type DialogForm, FormDialog, FormEnd } from '@/components/release/form-dialog';
import { Button } from '@/components/ui/button';
import { Checkbox, Input } from '@/components/ui/field';
import { Note } from '@/components/ui/note';
import { say } from '@/components/ui/toaster';
import type { Policy } from '@/lib/domain/dataset';
import { setPolicy } from './actions';
import { draftOf, POINTERS, type PolicyDraft, policyOf, type Typed } from './policy-draft';
import { POLICY_TERMS, type PolicyWords, policyWords } from './policy-words';

export interface PolicyDataset {
  name: string;
  zone: string;
  unit: string;
  policy: Policy;
  underWay: string[];
}

/** Opens the form of a dataset's policy. */
export function PolicyForm({ dataset }: { dataset: PolicyDataset }) {
  return (
    <FormDialog
      opener={(open) => (
        <Button size="sm" onClick={open}>
          Policy…<span className="sr"> of {dataset.name}</span>
        </Button>
      )}
      wide
      title={`Policy of ${dataset.name}`}
      summary={
        <p>
          The floor under every release of {dataset.name}: a release may ask for more, never for
          less. It counts from the next move on.
        </p>
      }
    >
      {(form) => <Fields dataset={dataset} form={form} />}
    </FormDialog>
  );
}

function Fields({ dataset, form }: { dataset: PolicyDataset; form: DialogForm }) {
  const { send, issueAt, close } = form;
  const { name, unit, zone, underWay } = dataset;
  const [seen] = useState(dataset.policy);
  const [draft, setDraft] = useState(() => draftOf(seen));
  const read = policyOf(draft);
  const words = policyWords(seen, unit, zone);
  const changes = read.policy ? changesOf(words, policyWords(read.policy, unit, zone)) : [];
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const { policy } = read;
    if (policy === null || changes.length === 0) return;
    void send(
      () => setPolicy({ dataset: name, policy, seen }),
      () => {
        say(`The policy of ${name} is changed`);
        close();
      },
      'Close this and look at the list: it says which policy stands now.',
    );
  };
  const change = (more: Partial<PolicyDraft>) => setDraft({ ...draft, ...more });
  const field = (key: Typed, label: string, hint?: string) => (
    <Input
      label={label}
      hint={hint}
      value={draft[key]}
      autoComplete="off"
      spellCheck={false}
      error={read.faults?.[key] ?? issueAt(POINTERS[key])}
      onChange={(event) => change({ [key]: event.target.value })}
    />
  );
  return (
    <form className="form" onSubmit={submit} noValidate>
      {underWay.length > 0 && (
        <Note
          tone="wait"
          icon="lock"
          title={`${underWay.join(', ')} ${underWay.length === 1 ? 'is' : 'are'} under way.`}
        >
          Until it has cut over or ended, signatures, drill and rollback window may be raised, not
          lowered.
        </Note>
      )}
      <div className="fields">
        {field('cutover', 'Signatures for a cutover')}
        {field('rollback', 'Signatures for a rollback')}
        {field('window', 'Rollback window', 'How long the old generation is kept.')}
        {field('lease', 'Lease', 'Of a reader that names no time.')}
      </div>
      <Checkbox
        checked={draft.executorMayApprove}
        onChange={(event) => change({ executorMayApprove: event.target.checked })}
      >
        Who signed may execute, too
      </Checkbox>
      <Checkbox
        checked={draft.requireDrill}
        onChange={(event) => change({ requireDrill: event.target.checked })}
      >
        A cutover needs a drill of its release that passed
      </Checkbox>
      <div className="fields">
        {field('drillAge', 'Oldest drill that counts')}
        {field(
          'cron',
          'Runs by the clock, optional',
          `Five fields of cron, as clocks in ${zone} show them; empty: none.`,
        )}
        {field('partitions', 'A scheduled run takes', `Of the last whole ${unit}s.`)}
        {field('secondPersonOver', 'Second person over', `More ${unit}s than this; empty: never.`)}
      </div>
      <div aria-live="polite">
        <Changes changes={changes} wrong={read.policy === null} />
      </div>
      <FormEnd form={form} doing="Changing…" nothing={changes.length === 0}>
        Change the policy
      </FormEnd>
    </form>
  );
}

interface Change {
  term: string;
  before: string;
  after: string;
}

function changesOf(before: PolicyWords, after: PolicyWords): Change[] {
  return (Object.keys(POLICY_TERMS) as (keyof PolicyWords)[])
    .filter((key) => before[key] !== after[key])
    .map((key) => ({ term: POLICY_TERMS[key], before: before[key], after: after[key] }));
}

function Changes({ changes, wrong }: { changes: readonly Change[]; wrong: boolean }) {
  if (wrong) return <p className="q">A field above cannot be read yet.</p>;
  if (changes.length === 0) return <p className="q">Nothing is changed yet.</p>;
  return (
    <ul className="policy-changes">
      {changes.map(({ term, before, after }) => (
        <li key={term} className="row">
          <b>{term}</b> <span className="chg o">{before}</span> <span aria-hidden="true">→</span>
          <span className="sr"> becomes </span> <span className="chg w">{after}</span>
        </li>
      ))}
    </ul>
  );
}
