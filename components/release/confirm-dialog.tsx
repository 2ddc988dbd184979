'use client';

import { type FormEvent, type ReactNode, useState } from 'react';
import { useFirstInvalid } from '@/components/hooks/use-first-invalid';
import { Button } from '@/components/ui/button';
import { Dialog } from '@/components/ui/dialog';
import { Checkbox, Input, TextArea } from '@/components/ui/field';
import { Note } from '@/components/ui/note';
import { BlockerList } from './blocker-list';
import { type ActionProblem, type BlockerView, blockersSentence } from './blockers';
import { useKeptOpen } from './keep-open';
import { ProblemNote } from './problem-note';

/** What the dialog asks before a move. Plain data. */
export interface Confirm {
  title: string;
  /** What will change, what will not, and how to come back from it. */
  body?: ReactNode;
  /** The name that must be typed, letter for letter. */
  typedName?: string;
  /** Default: "Type {name} to confirm". */
  typedLabel?: string;
  comment?: 'optional' | 'required';
  commentLabel?: string;
  commentHint?: string;
  /** Boxes to tick, each `name` a key of the callback's `options`. */
  options?: readonly { name: string; label: ReactNode; checked?: boolean }[];
  /** Default: the action's own label. */
  confirmLabel?: string;
}

/** What the callback gets. */
export interface ConfirmInput {
  /** Idempotency key: the same for all tries of one opening of the dialog. */
  key: string;
  /** The typed name, '' where none is asked for. */
  name: string;
  comment: string;
  options: Record<string, boolean>;
}

/** A fresh idempotency key. `randomUUID` exists on https and localhost only, this everywhere. */
export function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');
}

/** The confirm dialog of a move. Usually through `<PrimaryAction>`; on its own for menus. */
export function ConfirmDialog({
  open,
  onOpenChange,
  label,
  pendingLabel,
  confirm,
  variant = 'go',
  pending,
  problem,
  blockers = [],
  onConfirm,
}: {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  label: string;
  pendingLabel?: string;
  confirm: Confirm;
  variant?: 'go' | 'stop';
  pending: boolean;
  problem: ActionProblem | null;
  /** Blockers that appeared while the dialog stood open. */
  blockers?: readonly BlockerView[];
  onConfirm: (input: ConfirmInput) => void;
}) {
  const moved = useKeptOpen(open);
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      locked={pending}
      title={confirm.title}
      summary={confirm.body}
    >
      {/* Mounted anew at each opening: fields empty, a new key. */}
      <ConfirmForm
        label={confirm.confirmLabel ?? label}
        pendingLabel={pendingLabel}
        confirm={confirm}
        variant={variant}
        pending={pending}
        problem={problem}
        blockers={blockers}
        moved={moved}
        onConfirm={onConfirm}
        onCancel={() => onOpenChange(false)}
      />
    </Dialog>
  );
}

function ConfirmForm({
  label,
  pendingLabel,
  confirm,
  variant,
  pending,
  problem,
  blockers,
  moved,
  onConfirm,
  onCancel,
}: {
  label: string;
  pendingLabel?: string;
  confirm: Confirm;
  variant: 'go' | 'stop';
  pending: boolean;
  problem: ActionProblem | null;
  blockers: readonly BlockerView[];
  moved: boolean;
  onConfirm: (input: ConfirmInput) => void;
  onCancel: () => void;
}) {
  const { typedName, comment: asks } = confirm;
  const [key] = useState(newKey);
  const [name, setName] = useState('');
  const [comment, setComment] = useState('');
  const [options, setOptions] = useState(() =>
    Object.fromEntries((confirm.options ?? []).map((o) => [o.name, o.checked ?? false])),
  );
  const [asked, setAsked] = useState(0);
  const form = useFirstInvalid(asked);

  const nameWrong = typedName !== undefined && name.trim() !== typedName;
  const commentMissing = asks === 'required' && comment.trim() === '';

  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (nameWrong || commentMissing) setAsked((times) => times + 1);
    else if (!pending) onConfirm({ key, name: name.trim(), comment: comment.trim(), options });
  };
  return (
    <form ref={form} className="form" onSubmit={submit} noValidate>
      {(confirm.options ?? []).map((option) => (
        <Checkbox
          key={option.name}
          checked={options[option.name] ?? false}
          onChange={(event) => setOptions({ ...options, [option.name]: event.target.checked })}
        >
          {option.label}
        </Checkbox>
      ))}
      {asks && (
        <TextArea
          label={confirm.commentLabel ?? (asks === 'required' ? 'Comment' : 'Comment, optional')}
          hint={confirm.commentHint}
          value={comment}
          onChange={(event) => setComment(event.target.value)}
          required={asks === 'required'}
          error={asked > 0 && commentMissing ? 'A comment is required.' : undefined}
        />
      )}
      {typedName !== undefined && (
        <Input
          label={confirm.typedLabel ?? `Type ${typedName} to confirm`}
          mono
          value={name}
          onChange={(event) => setName(event.target.value)}
          placeholder={typedName}
          autoComplete="off"
          autoCapitalize="off"
          autoCorrect="off"
          error={asked > 0 && nameWrong ? `This is not ${typedName}.` : undefined}
        />
      )}
      {problem && <ProblemNote problem={problem} />}
      {!problem && moved && (
        <Note tone="wait" live title="Changed since you looked.">
          This is not open any more. What you typed stays here until you close it; asked for all the
          same, it is refused with what changed.
        </Note>
      )}
      {!problem && !moved && blockers.length > 0 && (
        <Note live title="Changed since you looked.">
          <p>{blockersSentence(blockers)}</p>
          <BlockerList blockers={blockers} />
        </Note>
      )}
      <div className="form-end">
        <Button onClick={onCancel} pending={pending}>
          Leave it
        </Button>
        <Button type="submit" variant={variant} pending={pending}>
          {pending ? (pendingLabel ?? label) : label}
        </Button>
      </div>
    </form>
  );
}
