import { headers } from 'next/headers';
import type { ReactNode } from 'react';
import type { NavItem } from '@/components/shell/nav-links';
import { Shell } from '@/components/shell/shell';
import { NoPermission } from '@/components/ui/empty';
import { may } from '@/lib/domain/permissions';
import { type NavCounts, navCounts } from '@/lib/queries/nav';
import type { Actor } from '@/lib/services/context';
import { webDatabase } from '@/lib/web/db';
import { signedIn } from '@/lib/web/session';
import { find } from './find-action';
import { rolesSpelt } from './roles';
import { SignOut } from './sign-out';
import './console.css';

/** The signed-in frame of every page of the console. */
export default async function ConsoleLayout({ children }: { children: ReactNode }) {
  const actor = await signedIn(await asked());
  const mayRead = may(actor.roles, 'release.read');
  const counts = mayRead
    ? await navCounts(webDatabase(), { person: actor.person, roles: actor.roles })
    : null;
  return (
    <Shell
      items={itemsOf(counts, may(actor.roles, 'people.read'))}
      person={{ name: actor.person, roles: rolesSpelt(actor.roles) }}
      signOut={<SignOut />}
      search={find}
    >
      {mayRead ? children : <Stranger actor={actor} />}
    </Shell>
  );
}

/** The path that was asked for, to come back to after signing in. */
async function asked(): Promise<string> {
  return (await headers()).get('x-path') ?? '/';
}

function itemsOf(counts: NavCounts | null, admin: boolean): NavItem[] {
  const oncall = counts?.rollingBack || counts?.inWindow || 0;
  return [
    {
      href: '/',
      label: 'Overview',
      icon: 'grid',
      phone: true,
      count: counts?.waiting,
      countLabel: 'waiting for you',
    },
    {
      href: '/releases',
      label: 'Releases',
      icon: 'branch',
      phone: true,
      count: counts?.underWay,
      countLabel: 'under way',
    },
    { href: '/datasets', label: 'Datasets', icon: 'db', phone: true },
    {
      href: '/runs',
      label: 'Runs',
      icon: 'play',
      count: counts?.runsWaiting,
      countLabel: 'waiting for a second person',
    },
    { href: '/corrections', label: 'Corrections', icon: 'doc' },
    {
      href: '/oncall',
      label: 'On-call',
      icon: 'phone',
      phone: true,
      count: oncall,
      countLabel: counts?.rollingBack ? 'rolling back' : 'in their rollback window',
      pressing: (counts?.rollingBack ?? 0) > 0,
    },
    { href: '/audit', label: 'Audit', icon: 'list' },
    ...(admin ? [{ href: '/admin', label: 'Admin', icon: 'gear' } as const] : []),
  ];
}

function Stranger({ actor }: { actor: Actor }) {
  return (
    <div className="alone">
      <h1>Interlock</h1>
      <NoPermission
        what="The console is for owners, approvers, on-call, auditors and admins."
        person={actor.person}
        roles={rolesSpelt(actor.roles)}
        needs="auditor"
      />
    </div>
  );
}
