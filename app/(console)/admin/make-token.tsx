'use client';

import { type FormEvent, useState } from 'react';
import { type DialogForm, FormDialog, FormEnd } from '@/components/release/form-dialog';
import { Button } from '@/components/ui/button';
import { Note } from '@/components/ui/note';
import type { Role } from '@/lib/domain/permissions';
import { makeToken } from './actions';
import { RoleBoxes } from './role-boxes';
import { ShownOnce } from './shown-once';

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
  const [token, setToken] = useState<string | null>(null);
  return (
    <FormDialog
      opener={(open) => (
        <Button
          size={size}
          variant={size === 'md' ? 'go' : 'plain'}
          icon={size === 'md' ? 'plus' : undefined}
          onClick={open}
        >
          {size === 'md' ? (
            `New token for ${person}…`
          ) : (
            <>
              Token…<span className="sr"> for {person}</span>
            </>
          )}
        </Button>
      )}
      // its only copy in this page goes with the dialog
      onShow={() => setToken(null)}
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
      {(form) =>
        token === null ? (
          <TokenForm person={person} roles={roles} form={form} onMade={setToken} />
        ) : (
          <ShownOnce text={token} close={form.close}>
            Only its digest is kept. Copy it to where the program keeps its secrets; when this is
            closed, nobody can show it again.
          </ShownOnce>
        )
      }
    </FormDialog>
  );
}

function TokenForm({
  person,
  roles,
  form,
  onMade,
}: {
  person: string;
  roles: readonly Role[];
  form: DialogForm;
  onMade: (token: string) => void;
}) {
  const [ticked, setTicked] = useState<Role[]>(() => (roles.length === 1 ? [...roles] : []));
  const [asked, setAsked] = useState(false);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setAsked(true);
    if (ticked.length === 0) return;
    void form.send(
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
          <Button onClick={form.close}>Close</Button>
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
      <FormEnd form={form} doing="Making…">
        Make the token
      </FormEnd>
    </form>
  );
}
