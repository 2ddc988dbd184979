import type { ReactNode } from 'react';
import { cx } from './cx';
import { Icon, type IconName } from './icon';

const ICONS = { idle: 'wait', wait: 'wait', bad: 'bad', seal: 'lock' } as const;

/**
 * A note in the page: what happened, what is known, what to do, with at most one action.
 * `bad` interrupts (`role="alert"`) when `live` is set, i.e. when it appears after a press.
 */
export function Note({
  tone = 'idle',
  icon,
  title,
  children,
  action,
  live = false,
}: {
  tone?: 'idle' | 'wait' | 'bad' | 'seal';
  icon?: IconName;
  title: ReactNode;
  children?: ReactNode;
  action?: ReactNode;
  live?: boolean;
}) {
  return (
    <div
      className={cx('note', tone !== 'idle' && tone)}
      role={live ? (tone === 'bad' ? 'alert' : 'status') : undefined}
    >
      <Icon name={icon ?? ICONS[tone]} className={tone === 'idle' ? undefined : tone} />
      <div>
        <b>{title}</b>
        {typeof children === 'string' ? <p>{children}</p> : children}
      </div>
      {action}
    </div>
  );
}
