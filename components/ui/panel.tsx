import Link from 'next/link';
import { type ReactNode, useId } from 'react';
import { cx } from './cx';

/**
 * A panel: a tone, not a border.
 * - `title` becomes its `h2`; a panel without one needs `label`.
 * - `count` stands beside the title; with `countHref` it is a link to what it counts.
 * - `note` is a short line beside the title, `aside` what stands at the right end of the head.
 * - `flush` lets a table reach the panel's edges (set what is not a table in class `pad`).
 * - `busy` marks a panel that shows its skeleton.
 */
export function Panel({
  title,
  label,
  count,
  countHref,
  note,
  aside,
  flush = false,
  busy = false,
  id,
  className,
  children,
}: {
  title?: ReactNode;
  label?: string;
  count?: ReactNode;
  countHref?: string;
  note?: ReactNode;
  aside?: ReactNode;
  flush?: boolean;
  busy?: boolean;
  id?: string;
  className?: string;
  children: ReactNode;
}) {
  const heading = useId();
  const hasHead = title ?? note ?? aside;
  return (
    <section
      id={id}
      className={cx('panel', flush && 'flush', className)}
      aria-labelledby={title ? heading : undefined}
      aria-label={title ? undefined : label}
      aria-busy={busy || undefined}
    >
      {hasHead && (
        <header>
          {title && <h2 id={heading}>{title}</h2>}
          {count !== undefined &&
            (countHref ? (
              <Link className="s" href={countHref}>
                {count}
              </Link>
            ) : (
              <span className="s">{count}</span>
            ))}
          {note && <span className="s">{note}</span>}
          {aside && <div className="push row">{aside}</div>}
        </header>
      )}
      {children}
    </section>
  );
}
