'use client';

import Link from 'next/link';
import { useRouter } from 'next/navigation';
import { type FormEvent, useState, useTransition } from 'react';
import { Button, ButtonLink } from '@/components/ui/button';
import { type Column, DataTable } from '@/components/ui/data-table';
import { Empty } from '@/components/ui/empty';
import { Input } from '@/components/ui/field';
import { countText, figureText } from '@/components/ui/figure-text';
import { Tag } from '@/components/ui/tag';
import type { AdminPerson } from '@/lib/queries/admin';
import { When } from '../_parts/when';
import { roleSpelt } from '../roles';
import { ChangeRoles, type RolesProps } from './change-roles';
import { MakeToken } from './make-token';
import { type AdminSearch, adminHref } from './search';

/** People with their roles, and for admins what changes them. */
export function PeopleTable({
  people,
  search,
  may,
  ...props
}: {
  people: readonly AdminPerson[];
  search: AdminSearch;
  may: boolean;
} & RolesProps) {
  const columns: Column<AdminPerson>[] = [
    {
      key: 'name',
      head: 'Person',
      card: { full: true },
      cell: ({ name, displayName, demo }) => (
        <>
          <b>{name}</b> {name === props.self && <Tag>you</Tag>} {demo && <Tag>demo</Tag>}
          {displayName !== name && <span className="s">{displayName}</span>}
        </>
      ),
    },
    {
      key: 'email',
      head: 'Email',
      card: { full: true, label: 'Email' },
      cell: ({ email }) =>
        email === null ? <span className="q">none</span> : <span className="wrap">{email}</span>,
    },
    {
      key: 'roles',
      head: 'Roles',
      card: { full: true, label: 'Roles' },
      cell: ({ roles }) =>
        roles.length === 0 ? (
          <span className="q">none: may do nothing</span>
        ) : (
          <span className="row role-tags">
            {roles.map((role) => (
              <Tag key={role}>{roleSpelt(role)}</Tag>
            ))}
          </span>
        ),
    },
    {
      key: 'tokens',
      head: 'Tokens',
      number: true,
      card: { label: 'Tokens' },
      cell: ({ name, tokens }) => (
        <Link
          href={adminHref(search, { tab: 'tokens', person: name })}
          aria-label={`${countText(tokens.length, 'token')} of ${name}`}
        >
          {figureText(tokens.length)}
        </Link>
      ),
    },
    {
      key: 'since',
      head: 'Since',
      number: true,
      card: { label: 'Since' },
      cell: ({ createdAt }) => <When zone="UTC" at={createdAt} />,
    },
  ];
  if (may) {
    columns.push({
      key: 'act',
      head: <span className="sr">Change</span>,
      number: true,
      card: { full: true },
      cell: (person) => (
        <span className="row acts">
          <ChangeRoles person={person} {...props} />
          <MakeToken person={person.name} roles={person.roles} />
        </span>
      ),
    });
  }
  return (
    <DataTable<AdminPerson>
      caption="People"
      cards={2}
      rows={people}
      rowKey={({ name }) => name}
      columns={columns}
      empty={
        <Empty
          title="Nobody is like this."
          action={
            <ButtonLink size="sm" href="/admin">
              Everybody
            </ButtonLink>
          }
        >
          Names, display names and addresses are searched for a part of them.
        </Empty>
      }
    />
  );
}

/** A part of a name; what is sought is in the address. */
export function FindPerson({ search }: { search: AdminSearch }) {
  const router = useRouter();
  const [text, setText] = useState(search.text ?? '');
  const [pending, startTransition] = useTransition();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const sought = text.trim();
    startTransition(() =>
      router.push(adminHref(search, { text: sought === '' ? undefined : sought }), {
        scroll: false,
      }),
    );
  };
  return (
    <form className="with-btn find-person" aria-label="Find a person" onSubmit={submit}>
      <Input
        label="Name or address"
        value={text}
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => setText(event.target.value)}
      />
      <Button type="submit" pending={pending}>
        Find
      </Button>
    </form>
  );
}
