'use client';

import Link from 'next/link';
import { usePathname } from 'next/navigation';
import { useEffect, useRef } from 'react';

export interface Tab {
  href: string;
  label: string;
  /** "263 of 312", "open", "not yet" */
  count?: string;
}

/**
 * The pages of one thing, in order of execution, each with its count. They are links; the current
 * one is found by the path (exact), and is scrolled into view where they do not all fit.
 */
export function TabsNav({ label, tabs }: { label: string; tabs: readonly Tab[] }) {
  const path = usePathname();
  const nav = useRef<HTMLElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: again when the page changes.
  useEffect(() => {
    const current = nav.current?.querySelector<HTMLElement>('[aria-current]');
    if (!nav.current || !current) return;
    const { offsetLeft, offsetWidth } = current;
    nav.current.scrollLeft = offsetLeft - (nav.current.clientWidth - offsetWidth) / 2;
  }, [path]);
  return (
    <nav className="tabs" aria-label={label} ref={nav}>
      {tabs.map((tab) => (
        <Link key={tab.href} href={tab.href} aria-current={tab.href === path ? 'page' : undefined}>
          {tab.label} {tab.count !== undefined && <i>{tab.count}</i>}
        </Link>
      ))}
    </nav>
  );
}
