'use client';

import { type FormEvent, useState } from 'react';
import { ProblemNote } from '@/components/release/problem-note';
import { Button } from '@/components/ui/button';
import { Dialog } from '@/components/ui/dialog';
import { Note } from '@/components/ui/note';
import type { Role } from '@/lib/domain/permissions';
import { makeToken } from './actions';
import { RoleBoxes } from './role-boxes';
import { ShownOnce } from './shown-once';
import { useSend } from './use-send';

/** Opens the form of a new token of one person; afterwards the token, this once. */
export function MakeToken({
  person,
  roles,
  size = 'sm',
}: {
  person: string;
  /** What the person holds: a token carries no more. */
  roles: readonly Role[];
  size?: 'sm' | 'md';
}) {
  const [open, setOpen] = useState(false);
  const [token, setToken] = useState<string | null>(null);
  const sending = useSend();
  const show = (next: boolean) => {
    sending.setProblem(null);
    // its only copy in this page goes with the dialog
    setToken(null);
    setOpen(next);
  };
  return (
    <>
      <Button
        size={size}
        variant={size === 'md' ? 'go' : 'plain'}
        icon={size === 'md' ? 'plus' : undefined}
        onClick={() => show(true)}
      >
        {size === 'md' ? (
          `New token for ${person}…`
        ) : (
          <>
            Token…<span className="sr"> for {person}</span>
          </>
        )}
      </Button>
      <Dialog
        open={open}
        onOpenChange={show}
        locked={sending.pending}
        title={token === null ? `New token for ${person}` : `Token of ${person}`}
        summary={
          token === null ? (
            <p>
              A program shows it to the API and acts as {person}. It counts as far as {person} still
              holds its roles.
            </p>
          ) : undefined
        }
      >
        {token === null ? (
          <TokenForm
            person={person}
            roles={roles}
            sending={sending}
            close={() => show(false)}
            onMade={setToken}
          />
        ) : (
          <ShownOnce text={token} close={() => show(false)}>
            Only its digest is kept. Copy it to where the program keeps its secrets; when this is
            closed, nobody can show it again.
          </ShownOnce>
        )}
      </Dialog>
    </>
  );
}

function TokenForm({
  person,
  roles,
  sending: { problem, pending, send },
  close,
  onMade,
}: {
  person: string;
  roles: readonly Role[];
  sending: ReturnType<typeof useSend>;
  close: () => void;
  onMade: (token: string) => void;
}) {
  const [ticked, setTicked] = useState<Role[]>(() => (roles.length === 1 ? [...roles] : []));
  const [asked, setAsked] = useState(false);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setAsked(true);
    if (ticked.length === 0) return;
    void send(
      () => makeToken({ person, roles: ticked }),
      ({ token }) => onMade(token),
      'If a token was made, nobody has seen it: it is the newest in the list, and can be revoked.',
    );
  };
  if (roles.length === 0) {
    return (
      <>
        <Note tone="wait" title={`${person} holds no role.`}>
          A token carries no more than its person may. Give a role first.
        </Note>
        <div className="form-end">
          <Button onClick={close}>Close</Button>
        </div>
      </>
    );
  }
  return (
    <form className="form" onSubmit={submit} noValidate>
      <RoleBoxes
        legend={`For which of ${person}’s roles`}
        roles={roles}
        ticked={ticked}
        onChange={setTicked}
      />
      {asked && ticked.length === 0 && (
        <p className="hint bad" role="alert">
          Tick at least one role; as few as the program needs.
        </p>
      )}
      {problem && <ProblemNote problem={problem} />}
      <div className="form-end">
        <Button onClick={close} pending={pending}>
          Leave it
        </Button>
        <Button type="submit" variant="go" pending={pending}>
          {pending ? 'Making…' : 'Make the token'}
        </Button>
      </div>
    </form>
  );
}
