import type { ReactNode } from 'react';
import type { AsOf } from '@/components/hooks/live-store';
import { type Crumb, PageTop } from '@/components/shell/page-top';

/** The frame of both pages of the editor. */
export function DraftFrame({
  crumbs,
  asOf,
  children,
}: {
  crumbs: readonly Crumb[];
  asOf?: AsOf;
  children: ReactNode;
}) {
  return (
    <>
      <PageTop crumbs={[{ label: 'Releases', href: '/releases' }, ...crumbs]} asOf={asOf} />
      {children}
    </>
  );
}
