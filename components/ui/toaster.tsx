'use client';

import { Suspense, useEffect, useState } from 'react';
import { onDemand } from './on-demand';

// A toast is never the only copy of anything: without them the page is whole.
const Toasts = onDemand(
  async () => (await import('./toasts')).Toasts,
  () => null,
);

/**
 * Where toasts appear: above everything, on a phone above the bar. Nothing is said before something
 * was done, so their script comes after the page's own.
 */
export function Toaster() {
  const [wanted, setWanted] = useState(false);
  useEffect(() => {
    const want = () => setWanted(true);
    if (document.readyState === 'complete') want();
    else addEventListener('load', want, { once: true });
    return () => removeEventListener('load', want);
  }, []);
  return wanted ? (
    <Suspense>
      <Toasts />
    </Suspense>
  ) : null;
}

/**
 * A passing word that something was done ("Ingress sealed, epoch 41"). Never the only copy of
 * anything: an error stays where it was asked for (`<ProblemNote>`), a state is on the page.
 */
export function say(text: string, detail?: string) {
  void import('sonner').then(
    ({ toast }) => toast(text, { description: detail }),
    () => {},
  );
}
