'use client';

import { Popover as Radix } from 'radix-ui';
import type { ReactElement, ReactNode } from 'react';
import { cx } from './cx';

/**
 * Something that floats beside its trigger; on a phone a sheet from below. `trigger` is one
 * focusable element (it gets the handlers), `label` names the floating part. The focus goes in and
 * comes back; Escape and a press elsewhere close it.
 */
export function Popover({
  open,
  onOpenChange,
  trigger,
  label,
  align = 'end',
  side = 'bottom',
  width,
  className,
  children,
}: {
  open?: boolean;
  onOpenChange?: (open: boolean) => void;
  trigger: ReactElement;
  label: string;
  align?: 'start' | 'center' | 'end';
  side?: 'top' | 'bottom' | 'right' | 'left';
  /** In px; by default what it holds, up to 352. */
  width?: number;
  className?: string;
  children: ReactNode;
}) {
  return (
    <Radix.Root open={open} onOpenChange={onOpenChange}>
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          className={cx('pop float', className)}
          style={width ? { width } : undefined}
          align={align}
          side={side}
          sideOffset={8}
          collisionPadding={12}
          aria-label={label}
        >
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
