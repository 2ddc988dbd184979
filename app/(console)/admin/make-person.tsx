'use client';

import { type FormEvent, useState } from 'react';
import { type DialogForm, FormDialog, FormEnd } from '@/components/release/form-dialog';
import { Button } from '@/components/ui/button';
import { Input } from '@/components/ui/field';
import { say } from '@/components/ui/toaster';
import type { Role } from '@/lib/domain/permissions';
import { rolesSpelt } from '../roles';
import { makePerson } from './actions';
import { RoleBoxes } from './role-boxes';
import { OFFERED } from './role-words';

/** Opens the form of a new person. */
export function MakePerson() {
  return (
    <FormDialog
      opener={(open) => (
        <Button variant="go" icon="plus" onClick={open}>
          New person…
        </Button>
      )}
      title="New person"
      summary={
        <p>
          Somebody who signs in, or a program that holds a token. A person is never deleted, since
          the audit chain names it; without roles it can do nothing.
        </p>
      }
    >
      {(form) => <PersonForm form={form} />}
    </FormDialog>
  );
}

function PersonForm({ form }: { form: DialogForm }) {
  const { send, issueAt, close } = form;
  const [name, setName] = useState('');
  const [displayName, setDisplayName] = useState('');
  const [email, setEmail] = useState('');
  const [roles, setRoles] = useState<Role[]>([]);
  const [asked, setAsked] = useState(false);
  const missing = name.trim() === '';
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setAsked(true);
    if (missing) return;
    void send(
      () => makePerson({ person: name, displayName, email: email.trim(), roles }),
      (made) => {
        say(`${made.name} is there`, rolesSpelt(roles).join(', ') || 'without a role');
        close();
      },
      'Press again: if the person was made, you are told that there is one of that name.',
    );
  };
  return (
    <form className="form" onSubmit={submit} noValidate>
      <Input
        label="Name"
        hint="A letter, then letters, digits, ., _ and -, or an email address. It stays."
        value={name}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        error={issueAt('/person') ?? (asked && missing ? 'Say what the name is.' : undefined)}
        onChange={(event) => setName(event.target.value)}
      />
      <div className="fields">
        <Input
          label="Display name, optional"
          value={displayName}
          autoComplete="off"
          error={issueAt('/displayName')}
          onChange={(event) => setDisplayName(event.target.value)}
        />
        <Input
          label="Email, optional"
          hint="Whoever signs in with this address is this person."
          value={email}
          autoComplete="off"
          inputMode="email"
          error={issueAt('/email')}
          onChange={(event) => setEmail(event.target.value)}
        />
      </div>
      <RoleBoxes legend="Roles" roles={OFFERED} ticked={roles} onChange={setRoles} />
      <FormEnd form={form} doing="Making…">
        Make the person
      </FormEnd>
    </form>
  );
}
