import type { ReactNode } from 'react';

/** On a phone a bar that stays in view above the nav, for the page's one action; nothing elsewhere. */
export function StickBar({ children }: { children: ReactNode }) {
  return <div className="stick">{children}</div>;
}
