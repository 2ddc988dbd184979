'use client';

import Link from 'next/link';
import { usePathname } from 'next/navigation';
import { cx } from '@/components/ui/cx';
import { Icon, type IconName } from '@/components/ui/icon';
import { isHere } from './nav-path';

export interface NavItem {
  href: string;
  label: string;
  icon: IconName;
  /** What waits there; 0 is not shown. */
  count?: number;
  /** What the count is of, for who cannot see where it stands: "wait for you". */
  countLabel?: string;
  /** The count is pressing: amber. */
  pressing?: boolean;
  /** Has a place of its own in the phone's bar (four fit beside "More"). */
  phone?: boolean;
}

export function NavLinks({ items }: { items: readonly NavItem[] }) {
  const path = usePathname();
  return items.map((item) => (
    <NavLink key={item.href} item={item} here={isHere(path, item.href)} />
  ));
}

export function NavLink({ item, here }: { item: NavItem; here: boolean }) {
  return (
    <Link
      className={cx('to', !item.phone && 'hm')}
      href={item.href}
      title={item.label}
      aria-current={here ? 'page' : undefined}
    >
      <Icon name={item.icon} />
      {item.label}
      {item.count !== undefined && item.count > 0 && (
        <i className={item.pressing ? 'wait' : undefined}>
          {item.count}
          <span className="sr"> {item.countLabel ?? 'waiting'}</span>
        </i>
      )}
    </Link>
  );
}
