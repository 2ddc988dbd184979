import { useMemo, useRef } from 'react';

/**
 * Where the focus goes when something that floats opens, and back to when it closes: handlers for
 * Radix's content. Radix gives the focus back to its own trigger only; most of ours open from a
 * press that is decided elsewhere.
 *
 * @param into takes the focus at opening and answers whether it did; else Radix does
 */
export function useReturnFocus(into?: (content: HTMLElement) => boolean) {
  const opener = useRef<HTMLElement | null>(null);
  return useMemo(
    () => ({
      onOpenAutoFocus(event: Event) {
        opener.current = openerOf(document.activeElement);
        if (event.currentTarget instanceof HTMLElement && into?.(event.currentTarget)) {
          event.preventDefault();
        }
      },
      onCloseAutoFocus(event: Event) {
        event.preventDefault();
        // what is gone by now is left to the keeper of the focus
        opener.current?.focus({ preventScroll: true });
      },
    }),
    [into],
  );
}

/** What was pressed; of a menu that closes with the press, the button that opened it. */
function openerOf(pressed: Element | null): HTMLElement | null {
  const menu = pressed?.closest('[role="menu"]');
  const trigger = menu && document.getElementById(menu.getAttribute('aria-labelledby') ?? '');
  const found = trigger ?? pressed;
  return found instanceof HTMLElement && found !== document.body ? found : null;
}
