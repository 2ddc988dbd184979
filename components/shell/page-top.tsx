import Link from 'next/link';
import type { ReactNode } from 'react';
import type { AsOf } from '@/components/hooks/live-store';
import { FindButton } from '@/components/ui/command-palette';
import { LiveIndicator } from './live-indicator';

export interface Crumb {
  label: string;
  /** Left out for the page itself, which is the last one. */
  href?: string;
}

/** The bar over each page: where this is, find, and when what is shown was read. */
export function PageTop({
  crumbs,
  asOf,
  children,
}: {
  crumbs: readonly Crumb[];
  /** When the server read the page's data, as text in the dataset's zone. */
  asOf?: AsOf;
  children?: ReactNode;
}) {
  return (
    <div className="top">
      <nav aria-label="You are here">
        <ol>
          {crumbs.map((crumb, at) => (
            <li
              key={`${crumb.label} ${crumb.href ?? ''}`}
              aria-current={at === crumbs.length - 1 ? 'page' : undefined}
            >
              {crumb.href ? <Link href={crumb.href}>{crumb.label}</Link> : crumb.label}
            </li>
          ))}
        </ol>
      </nav>
      <span className="sp" />
      {children}
      <FindButton />
      <LiveIndicator asOf={asOf} />
    </div>
  );
}
