import Link from 'next/link';
import type { ComponentProps, ReactNode } from 'react';
import { cx } from './cx';
import { Icon, type IconName } from './icon';

interface Look {
  /** `go` is the page's one filled button; `stop` destroys; `no` refuses; plain otherwise. */
  variant?: 'plain' | 'go' | 'stop' | 'no';
  /** 24, 32 and 40 px; on a phone 32, 40 and 48. */
  size?: 'sm' | 'md' | 'lg';
  /** Takes the width of what holds it. */
  wide?: boolean;
  icon?: IconName;
  /** A short count inside the button, such as "4 blockers". */
  count?: string | number;
}

/** The class names of a button, for elements that are neither of the two below. */
export function buttonClass({ variant = 'plain', size = 'md', wide = false }: Look): string {
  return cx('btn', variant !== 'plain' && variant, size !== 'md' && size, wide && 'w');
}

function Inside({ icon, count, children }: Look & { children?: ReactNode }) {
  return (
    <>
      {icon && <Icon name={icon} />}
      {children}
      {count !== undefined && (
        <>
          {' '}
          <span className="cnt">{count}</span>
        </>
      )}
    </>
  );
}

/**
 * A button that does something here. `pending` keeps its size and focus, says `aria-busy` and
 * ignores presses; it does not use `disabled`, which would drop the focus.
 */
export function Button({
  variant,
  size,
  wide,
  icon,
  count,
  pending = false,
  className,
  children,
  onClick,
  type = 'button',
  ...rest
}: Look & { pending?: boolean } & ComponentProps<'button'>) {
  return (
    <button
      {...rest}
      type={type}
      className={cx(buttonClass({ variant, size, wide }), className)}
      aria-busy={pending || undefined}
      aria-disabled={pending || rest['aria-disabled']}
      onClick={pending ? (event) => event.preventDefault() : onClick}
    >
      <Inside icon={icon} count={count}>
        {children}
      </Inside>
    </button>
  );
}

/** A link that looks like a button: it goes somewhere. */
export function ButtonLink({
  variant,
  size,
  wide,
  icon,
  count,
  className,
  children,
  ...rest
}: Look & ComponentProps<typeof Link>) {
  return (
    <Link {...rest} className={cx(buttonClass({ variant, size, wide }), className)}>
      <Inside icon={icon} count={count}>
        {children}
      </Inside>
    </Link>
  );
}
