'use client';

import { usePathname } from 'next/navigation';
import { type ReactNode, useEffect, useState } from 'react';
import type { Theme } from '@/components/hooks/theme';
import { useTheme } from '@/components/hooks/use-theme';
import { cx } from '@/components/ui/cx';
import { Icon } from '@/components/ui/icon';
import { Popover } from '@/components/ui/popover';
import { Segmented } from '@/components/ui/segmented';
import { useListKeys } from './keys';
import { type NavItem, NavLink } from './nav-links';
import { isHere } from './nav-path';

export interface Person {
  name: string;
  /** As they are spelt to people: "on-call". */
  roles: readonly string[];
}

const THEMES = [
  { value: 'light', label: 'Light', icon: 'sun' },
  { value: 'dark', label: 'Dark', icon: 'moon' },
  { value: 'system', label: 'System', icon: 'screen' },
] as const;

const rolesText = (person: Person) => person.roles.join(', ') || 'no role';

function PersonPanel({
  person,
  signOut,
  close,
}: {
  person: Person;
  signOut?: ReactNode;
  close: () => void;
}) {
  const [theme, choose] = useTheme();
  const listKeys = useListKeys();
  return (
    <div className="user">
      <div>
        <b>{person.name}</b>
        <p className="s q">{rolesText(person)}</p>
      </div>
      <div className="lab">
        <span>Colours</span>
        <Segmented<Theme> label="Colours" value={theme} options={THEMES} onChange={choose} />
      </div>
      {listKeys && (
        <button
          type="button"
          className="btn w"
          aria-keyshortcuts="?"
          onClick={() => {
            close();
            listKeys();
          }}
        >
          <Icon name="keys" />
          Keyboard shortcuts
        </button>
      )}
      {signOut}
    </div>
  );
}

function Avatar({ name }: { name: string }) {
  return (
    <span className="ava" aria-hidden="true">
      {name.slice(0, 1).toUpperCase()}
    </span>
  );
}

/** Who is signed in; opens the choice of colours and the way out. */
export function UserMenu({ person, signOut }: { person: Person; signOut?: ReactNode }) {
  const [open, setOpen] = useState(false);
  return (
    <Popover
      open={open}
      onOpenChange={setOpen}
      label="You"
      side="top"
      align="start"
      width={248}
      trigger={
        <button type="button" className="me" title={`${person.name}, ${rolesText(person)}`}>
          <Avatar name={person.name} />
          <span className="me-name">
            {person.name}
            <span className="s q">{rolesText(person)}</span>
          </span>
        </button>
      }
    >
      <PersonPanel person={person} signOut={signOut} close={() => setOpen(false)} />
    </Popover>
  );
}

/** The last place in the phone's bar: the other pages, the person, the colours, the way out. */
export function MoreMenu({
  items,
  person,
  signOut,
}: {
  items: readonly NavItem[];
  person: Person;
  signOut?: ReactNode;
}) {
  const path = usePathname();
  const [open, setOpen] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: closes when another page is reached.
  useEffect(() => setOpen(false), [path]);
  const here = items.some((item) => isHere(path, item.href));
  return (
    <Popover
      open={open}
      onOpenChange={setOpen}
      label="More"
      side="top"
      trigger={
        <button type="button" className={cx('to', 'more', here && 'here')}>
          <Icon name="more" />
          More
        </button>
      }
    >
      <nav className="more-nav" aria-label="More pages">
        {items.map((item) => (
          <NavLink key={item.href} item={{ ...item, phone: true }} here={isHere(path, item.href)} />
        ))}
      </nav>
      <PersonPanel person={person} signOut={signOut} close={() => setOpen(false)} />
    </Popover>
  );
}
