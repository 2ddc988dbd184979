'use client';

import { Dialog as Radix } from 'radix-ui';
import type { ReactNode } from 'react';
import { Icon } from './icon';
import { useReturnFocus } from './return-focus';

/**
 * A dialog; on a phone a sheet from below. Opening it writes nothing. `title` names it, `summary`
 * says what it is about. Escape and the cross close it, unless `locked` (while a move is under way:
 * closing then would hide its outcome). The first field of a form in it has the focus at once, but
 * for a finger, where the keyboard would cover what is to be read.
 */
export function Dialog({
  open,
  onOpenChange,
  title,
  summary,
  locked = false,
  wide = false,
  children,
}: {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: ReactNode;
  summary?: ReactNode;
  locked?: boolean;
  wide?: boolean;
  children: ReactNode;
}) {
  const focus = useReturnFocus(toFirstField);
  return (
    <Radix.Root open={open} onOpenChange={(next) => !locked && onOpenChange(next)}>
      <Radix.Portal>
        <Radix.Overlay className="scrim" />
        <Radix.Content
          className={wide ? 'dialog wide' : 'dialog'}
          {...focus}
          {...(summary ? {} : { 'aria-describedby': undefined })}
        >
          <header>
            <Radix.Title asChild>
              <h2>{title}</h2>
            </Radix.Title>
            <Radix.Close className="close" aria-label="Close" aria-disabled={locked || undefined}>
              <Icon name="close" />
            </Radix.Close>
          </header>
          {summary && (
            <Radix.Description asChild>
              <div className="m">{summary}</div>
            </Radix.Description>
          )}
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

function toFirstField(content: HTMLElement): boolean {
  if (!matchMedia('(pointer: fine)').matches) return false;
  const field = content.querySelector<HTMLElement>(
    'form :is(input:not([type="checkbox"], [type="radio"]), textarea, select)',
  );
  field?.focus();
  return field !== null;
}
