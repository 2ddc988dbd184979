'use client';

import { useEffect } from 'react';

/** What a heading names; the focus stays inside of the nearest one that is still there. */
const PLACES = 'section, form, aside, main, .head';

/**
 * Keeps the focus in the page when what had it goes: a button that its own move took away, a dialog
 * that was opened from nowhere, a row that a refresh dropped. It lands on the nearest heading around
 * it, so that the next Tab goes on from there instead of from the top of the document.
 */
export function FocusKeeper() {
  useEffect(() => {
    /** What had the focus, then what is around it, outermost last. */
    let held: Element[] = [];
    let frame = 0;
    const took = ({ target }: FocusEvent) => {
      if (target instanceof Element) held = withAncestors(target);
    };
    const left = ({ target, relatedTarget }: FocusEvent) => {
      if (relatedTarget !== null || !document.hasFocus()) return;
      // a press beside everything leaves it on purpose; what is being removed is not there later
      setTimeout(() => {
        if (target === held[0] && held[0]?.isConnected) held = [];
      });
    };
    const look = () => {
      const [focused, ...around] = held;
      const nowhere = document.activeElement === null || document.activeElement === document.body;
      if (!nowhere || !focused || focused.isConnected) return;
      land(around);
    };
    const observer = new MutationObserver(() => {
      cancelAnimationFrame(frame);
      // after a dialog that closes has given the focus back by itself
      frame = requestAnimationFrame(() => setTimeout(look));
    });
    addEventListener('focusin', took);
    addEventListener('focusout', left);
    observer.observe(document.body, { childList: true, subtree: true });
    return () => {
      removeEventListener('focusin', took);
      removeEventListener('focusout', left);
      observer.disconnect();
      cancelAnimationFrame(frame);
    };
  }, []);
  return null;
}

function withAncestors(from: Element): Element[] {
  const found: Element[] = [];
  for (let at: Element | null = from; at; at = at.parentElement) found.push(at);
  return found;
}

function land(around: readonly Element[]): void {
  const place =
    around.find((each) => each.isConnected && each.matches(PLACES)) ??
    document.getElementById('main');
  const target = place?.querySelector('h1, h2, h3') ?? place;
  if (!(target instanceof HTMLElement)) return;
  if (!target.hasAttribute('tabindex')) target.tabIndex = -1;
  target.focus({ preventScroll: true });
  // whoever goes by keys sees where it went; a page under a mouse does not jump
  if (target.matches(':focus-visible')) target.scrollIntoView({ block: 'nearest' });
}
