'use client';

import { type FormEvent, useEffect, useRef, useState } from 'react';
import { BlockerList } from '@/components/release/blocker-list';
import type { ActionProblem } from '@/components/release/blockers';
import { newKey } from '@/components/release/confirm-dialog';
import { KeepOpen } from '@/components/release/keep-open';
import { PrimaryAction } from '@/components/release/primary-action';
import { ProblemNote } from '@/components/release/problem-note';
import { useOnce } from '@/components/release/use-once';
import { Button } from '@/components/ui/button';
import { Checkbox, Input, TextArea } from '@/components/ui/field';
import { Note } from '@/components/ui/note';
import { durationText } from '@/components/ui/progress';
import { say } from '@/components/ui/toaster';
import type { Blocker } from '@/lib/domain/refusal';
import type { Can } from '../../../_parts/access';
import { moveUnseen, useMove } from '../../../_parts/use-move';

export interface SignPage {
  release: string;
  version: number;
  now: string;
  state: string;
  generation: string;
  executors: readonly string[];
  rollbackWindowSeconds: number | null;
  /** More signatures for the rollback are needed. */
  rollbackNeeded: boolean;
}

interface Props {
  page: SignPage;
  /** Digest of the evidence that stands; null where none does. */
  evidence: string | null;
  can: Can<'release.approve' | 'release.sign-rollback' | 'release.reject'>;
  blockers: { cutover: Blocker[]; rollback: Blocker[] };
  signed: { cutover: boolean; rollback: boolean };
}

const REJECTABLE = [
  'SNAPSHOT_PINNED',
  'BUILDING',
  'INGRESS_SEALED',
  'CAUGHT_UP',
  'RECONCILED',
  'APPROVED',
];

/** Signing by typing the release’s name, and rejecting with a comment. */
export function SignForm(props: Props) {
  const { page, evidence, can, blockers, signed } = props;
  // What is signed is what was on the screen when the reading began, never what a refresh brought.
  const [read, setRead] = useState(evidence);
  // words about the release outlive its evidence; the name is typed anew for each digest
  const [statement, setStatement] = useState('');
  useEffect(() => {
    if (read === null && evidence !== null) setRead(evidence);
  }, [read, evidence]);
  const mayReject = can['release.reject'] && REJECTABLE.includes(page.state);
  if (!can['release.approve']) return null;
  const cutover = blockers.cutover.length === 0;
  const rollback = blockers.rollback.length === 0;
  const why = signed.cutover ? blockers.rollback : blockers.cutover;
  return (
    <div className="sub col" id="your-signature">
      {evidence !== null && (cutover || rollback) ? (
        read !== null && read !== evidence ? (
          <Moved onRead={() => setRead(evidence)} />
        ) : (
          // another digest is another form: a name typed for the one does not sign the other
          <Form
            key={evidence}
            {...props}
            evidence={evidence}
            offers={{ cutover, rollback }}
            statement={statement}
            onStatement={setStatement}
          />
        )
      ) : (
        evidence !== null &&
        !(signed.cutover && signed.rollback) && (
          <Note tone="wait" title="You cannot sign this.">
            <BlockerList blockers={why} />
          </Note>
        )
      )}
      <KeepOpen of={mayReject ? 'reject' : ''}>{mayReject && <Reject page={page} />}</KeepOpen>
    </div>
  );
}

function Moved({ onRead }: { onRead: () => void }) {
  return (
    <Note tone="wait" live title="Changed since you looked.">
      <p>
        The evidence on this page is another one than when you began to read. Read it again; the
        name you typed was for the old one, a statement is kept.
      </p>
      <p>
        <Button size="sm" onClick={onRead}>
          Sign the new evidence instead
        </Button>
      </p>
    </Note>
  );
}

function Form({
  page,
  evidence,
  offers,
  signed,
  statement,
  onStatement,
}: Omit<Props, 'evidence' | 'blockers' | 'can'> & {
  evidence: string;
  offers: { cutover: boolean; rollback: boolean };
  statement: string;
  onStatement: (statement: string) => void;
}) {
  const [name, setName] = useState('');
  const [too, setToo] = useState(page.rollbackNeeded);
  const [asked, setAsked] = useState(false);
  const [problem, setProblem] = useState<ActionProblem | null>(null);
  const [key, setKey] = useState(newKey);
  const [pending, once] = useOnce();
  const field = useRef<HTMLDivElement>(null);
  const wrong = name.trim() !== page.release;
  const both = offers.cutover && offers.rollback && too;
  const label = both
    ? 'Sign cutover and rollback'
    : offers.cutover
      ? 'Sign cutover'
      : 'Sign rollback';

  const submit = (event: FormEvent) => {
    event.preventDefault();
    setAsked(true);
    if (wrong) {
      field.current?.querySelector('input')?.focus();
      return;
    }
    void once(async () => {
      const failed = await sign(page.release, { evidence, statement, key }, offers.cutover, both);
      setProblem(failed);
      if (failed) return;
      setKey(newKey());
      setName('');
      setAsked(false);
      say(`${label.replace('Sign', 'Signed')}, ${page.release}`);
    });
  };
  return (
    <form className="form" onSubmit={submit} noValidate>
      <TextArea
        label="Statement, optional"
        hint="Kept with the signature, for who reads it later."
        rows={2}
        value={statement}
        onChange={(event) => onStatement(event.target.value)}
      />
      <div ref={field}>
        <Input
          label="Type the release’s name to sign"
          mono
          value={name}
          placeholder={page.release}
          autoComplete="off"
          autoCapitalize="off"
          autoCorrect="off"
          onChange={(event) => setName(event.target.value)}
          error={asked && wrong ? `This is not ${page.release}.` : undefined}
        />
      </div>
      {offers.cutover && offers.rollback && (
        <Checkbox checked={too} onChange={(event) => setToo(event.target.checked)}>
          Sign the rollback too, for this cutover’s window
          {page.rollbackWindowSeconds !== null && ` of ${durationText(page.rollbackWindowSeconds)}`}
        </Checkbox>
      )}
      {problem && <ProblemNote problem={problem} />}
      <Button type="submit" variant="go" size="lg" icon="sign" wide pending={pending}>
        {pending ? 'Signing…' : label}
      </Button>
      {!signed.cutover && (
        <p className="s m">
          Signing does not cut over
          {page.executors.length > 0 && `; ${page.executors.join(' or ')} does that`}.
        </p>
      )}
    </form>
  );
}

/**
 * The cutover first; the rollback binds the same evidence. The digest says what was seen: the last
 * signature that was missing changes the release, and the second one must not fail for that. Null:
 * all was signed.
 */
async function sign(
  release: string,
  { evidence, statement, key }: { evidence: string; statement: string; key: string },
  cutover: boolean,
  both: boolean,
): Promise<ActionProblem | null> {
  const move = moveUnseen(release);
  const body = {
    evidence,
    ...(statement.trim() === '' ? {} : { statement: statement.trim() }),
  };
  if (cutover) {
    const result = await move('approve', body, key);
    if (!result.ok) return result.problem;
    if (!both) return null;
  }
  const result = await move('sign-rollback', body, key);
  if (result.ok) return null;
  return cutover
    ? {
        ...result.problem,
        title: `The cutover is signed, the rollback is not. ${result.problem.title}`,
      }
    : result.problem;
}

function Reject({ page }: { page: SignPage }) {
  const move = useMove(page);
  return (
    <PrimaryAction
      label="Reject with a comment…"
      pendingLabel="Rejecting…"
      variant="no"
      wide
      confirm={{
        title: `Reject ${page.release}?`,
        body: (
          <p>
            It ends here: ingress is reopened if it was sealed, and {page.generation} is dropped.
            Its owner can make the next revision.
          </p>
        ),
        comment: 'required',
        commentLabel: 'Why',
        commentHint: 'What has to be different in the next revision.',
        confirmLabel: `Reject ${page.release}`,
      }}
      action={({ comment, key }) => move('reject', { comment }, key)}
      onDone={() => say(`Rejected ${page.release}`)}
    />
  );
}
