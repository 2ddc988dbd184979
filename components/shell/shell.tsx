import Link from 'next/link';
import type { ReactNode } from 'react';
import type { PaletteItem, PaletteSearch } from '@/components/ui/command-items';
import { Mark } from '@/components/ui/icon';
import { FocusKeeper } from './focus-keeper';
import { Keys } from './keys';
import { type NavItem, NavLinks } from './nav-links';
import { MoreMenu, type Person, UserMenu } from './user-menu';

/**
 * The signed-in frame: nav with counts, the person, the palette, and `main`. On a narrow screen the
 * nav is icons; on a phone a bar below with the items marked `phone`, the rest under "More".
 * - `signOut` is a slot: a form with its button (class `btn`), or whatever signs out.
 * - `search` finds things by name on the server, for the palette.
 * Each page renders its own `<PageTop>` first.
 */
export function Shell({
  items,
  person,
  signOut,
  search,
  home = '/',
  children,
}: {
  items: readonly NavItem[];
  person: Person;
  signOut?: ReactNode;
  search?: PaletteSearch;
  home?: string;
  children: ReactNode;
}) {
  const pages = items.map(
    (item): PaletteItem => ({
      id: `page ${item.href}`,
      title: item.label,
      href: item.href,
      icon: item.icon,
      group: 'Pages',
    }),
  );
  return (
    <Keys pages={pages} search={search}>
      <FocusKeeper />
      <a className="skip" href="#main">
        Skip to content
      </a>
      <div className="shell">
        <nav className="nav" aria-label="Main">
          <Link className="brand" href={home} aria-label="Interlock, overview">
            <Mark />
            Interlock
          </Link>
          <NavLinks items={items} />
          <MoreMenu items={items.filter((item) => !item.phone)} person={person} signOut={signOut} />
          <UserMenu person={person} signOut={signOut} />
        </nav>
        <main className="main" id="main" tabIndex={-1}>
          {children}
        </main>
      </div>
    </Keys>
  );
}
