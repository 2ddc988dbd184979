import Link from 'next/link';
import { figureText } from './figure-text';

export interface FilterLink {
  value: string;
  label: string;
  count?: number | string;
  href: string;
}

/** Filters with their counts, as links: a filtered list has an address. */
export function Filters({
  label,
  current,
  items,
}: {
  label: string;
  current: string;
  items: readonly FilterLink[];
}) {
  return (
    <nav className="row" aria-label={label}>
      {items.map((item) => (
        <Link
          key={item.value}
          className="filt"
          href={item.href}
          scroll={false}
          aria-current={item.value === current ? 'true' : undefined}
        >
          {item.label}
          {item.count !== undefined && (
            <>
              {' '}
              <b>{figureText(item.count)}</b>
            </>
          )}
        </Link>
      ))}
    </nav>
  );
}
