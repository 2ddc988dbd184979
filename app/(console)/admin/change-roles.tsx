'use client';

import Link from 'next/link';
import { type FormEvent, useState } from 'react';
import { type DialogForm, FormDialog, FormEnd } from '@/components/release/form-dialog';
import { Button } from '@/components/ui/button';
import { countText } from '@/components/ui/figure-text';
import { Note } from '@/components/ui/note';
import { say } from '@/components/ui/toaster';
import type { Role } from '@/lib/domain/permissions';
import type { AdminPerson } from '@/lib/queries/admin';
import { rolesSpelt } from '../roles';
import { changeRoles } from './actions';
import { RoleBoxes } from './role-boxes';
import { type Grants, type RoleChange, roleChange } from './role-change';
import { OFFERED } from './role-words';

export interface RolesProps {
  grants: Grants;
  holders: Partial<Record<Role, number>>;
  /** Who looks. */
  self: string;
}

/** Opens a person's roles. What a change takes away stands there before it is made. */
export function ChangeRoles({ person, ...props }: { person: AdminPerson } & RolesProps) {
  return (
    <FormDialog
      opener={(open) => (
        <Button size="sm" onClick={open}>
          Roles…<span className="sr"> of {person.name}</span>
        </Button>
      )}
      title={`Roles of ${person.name}`}
      summary={
        <p>
          Roles are read at each decision: a change counts from the next press, call or count of
          signatures on.
        </p>
      }
    >
      {(form) => <RolesForm person={person} {...props} form={form} />}
    </FormDialog>
  );
}

function RolesForm({
  person,
  grants,
  holders,
  self,
  form,
}: {
  person: AdminPerson;
  form: DialogForm;
} & RolesProps) {
  const { send, close } = form;
  // what was shown when the dialog was opened is what the change is judged by
  const [seen] = useState(person.roles);
  const [roles, setRoles] = useState<Role[]>(person.roles);
  const change = roleChange({ ...person, roles: seen }, roles, grants, holders);
  const nothing = change.given.length + change.taken.length === 0;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (nothing) return;
    void send(
      () => changeRoles({ person: person.name, roles, seen }),
      () => {
        say(`${person.name} is now ${rolesSpelt(roles).join(', ') || 'without a role'}`);
        close();
      },
      'Close this and look at the list: it says which roles stand now.',
    );
  };
  return (
    <form className="form" onSubmit={submit} noValidate>
      <RoleBoxes legend="Roles" roles={OFFERED} ticked={roles} onChange={setRoles} />
      <div aria-live="polite" className="col">
        {nothing ? (
          <p className="q">Nothing is changed yet.</p>
        ) : (
          <Consequences change={change} name={person.name} own={person.name === self} />
        )}
      </div>
      <FormEnd
        form={form}
        doing="Changing…"
        variant={change.taken.length > 0 ? 'stop' : 'go'}
        nothing={nothing}
      >
        {moveText(change)}
      </FormEnd>
    </form>
  );
}

function moveText({ given, taken }: RoleChange): string {
  const parts = [
    ...(given.length > 0 ? [`give ${rolesSpelt(given).join(', ')}`] : []),
    ...(taken.length > 0 ? [`take ${rolesSpelt(taken).join(', ')}`] : []),
  ].join(', ');
  return parts === '' ? 'Change roles' : parts.charAt(0).toUpperCase() + parts.slice(1);
}

function Consequences({ change, name, own }: { change: RoleChange; name: string; own: boolean }) {
  const { taken, gains, loses, signatures, weaker, orphaned } = change;
  return (
    <>
      {own && (
        <Note tone="wait" icon="warn" title="These are your own roles.">
          {taken.includes('admin')
            ? 'Without admin you cannot take this back: another admin has to.'
            : 'What you can do changes from your next press on.'}
        </Note>
      )}
      {orphaned.length > 0 && (
        <Note
          tone="wait"
          icon="warn"
          title={`Nobody else holds ${rolesSpelt(orphaned).join(', ')}.`}
        >
          {orphaned.includes('admin')
            ? 'The last admin stays: give the role to somebody else first.'
            : 'What only this role may do waits until somebody holds it.'}
        </Note>
      )}
      {signatures.length > 0 && (
        <Note
          tone="wait"
          icon="void"
          title={`${countText(signatures.length, 'signature')} of ${name} no longer ${signatures.length === 1 ? 'counts' : 'count'}.`}
        >
          <ul>
            {signatures.map(({ release, kind }) => (
              <li key={`${release} ${kind}`}>
                <Link href={`/releases/${release}/approval`}>{release}</Link>, {kind}
              </li>
            ))}
          </ul>
        </Note>
      )}
      <Cans title={`From then on ${name} no longer`} list={loses} />
      <Cans title={`From then on ${name}`} list={gains} />
      {weaker > 0 && (
        <p className="s m">
          {countText(weaker, 'token')} of {name} {weaker === 1 ? 'carries' : 'carry'} what is taken,
          and {weaker === 1 ? 'counts' : 'count'} for less from the next call on.
        </p>
      )}
    </>
  );
}

const SHOWN = 5;

function Cans({ title, list }: { title: string; list: readonly string[] }) {
  if (list.length === 0) return null;
  const more = list.slice(SHOWN);
  return (
    <div className="cans">
      <b>{title}</b>
      <ul>
        {list.slice(0, SHOWN).map((can) => (
          <li key={can}>{can}</li>
        ))}
      </ul>
      {more.length > 0 && (
        <details>
          <summary className="s m">and {countText(more.length, 'thing')} more</summary>
          <ul>
            {more.map((can) => (
              <li key={can}>{can}</li>
            ))}
          </ul>
        </details>
      )}
    </div>
  );
}
