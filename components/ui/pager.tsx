'use client';

import Link from 'next/link';
import type { ReactNode } from 'react';
import { Button, buttonClass } from './button';

/** Keyset paging by links: `first` and `next`, absent at either end. Also after a table's edge. */
export function Pager({
  text,
  firstHref,
  nextHref,
}: {
  /** "rows 1 to 50 of 462,938, by partition and key" */
  text: ReactNode;
  firstHref?: string;
  nextHref?: string;
}) {
  return (
    <nav className="pager pad row s m" aria-label="Pages of this list">
      <span>{text}</span>
      <span className="push row">
        <PageLink href={firstHref} label="First" />
        <PageLink href={nextHref} label="Next" />
      </span>
    </nav>
  );
}

function PageLink({ href, label }: { href?: string; label: string }) {
  if (!href) {
    return (
      <button type="button" className={buttonClass({ size: 'sm' })} disabled>
        {label}
      </button>
    );
  }
  return (
    <Link className={buttonClass({ size: 'sm' })} href={href} scroll={false}>
      {label}
    </Link>
  );
}

/** The other way of paging: more rows under those that are there. Nothing once all are there. */
export function LoadMore({
  text,
  more,
  pending = false,
  onMore,
}: {
  /** "50 of 1,024" */
  text: ReactNode;
  more: boolean;
  pending?: boolean;
  onMore: () => void;
}) {
  return (
    <div className="pager pad row s m">
      <span role="status">{text}</span>
      {more && (
        <span className="push">
          <Button size="sm" pending={pending} onClick={onMore}>
            {pending ? 'Loading…' : 'Load more'}
          </Button>
        </span>
      )}
    </div>
  );
}
