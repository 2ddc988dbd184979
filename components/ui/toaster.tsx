'use client';

import type { CSSProperties } from 'react';
import { Toaster as Sonner, toast } from 'sonner';
import { useTheme } from '@/components/hooks/use-theme';

const LOOK = {
  '--normal-bg': 'var(--raised)',
  '--normal-border': 'transparent',
  '--normal-text': 'var(--ink)',
  '--border-radius': 'var(--r-panel)',
} as CSSProperties;

/** Where toasts appear: above everything, on a phone above the bar. */
export function Toaster() {
  const [theme] = useTheme();
  return (
    <Sonner
      theme={theme}
      position="bottom-right"
      mobileOffset={{ bottom: 'calc(72px + env(safe-area-inset-bottom))' }}
      style={LOOK}
      toastOptions={{ classNames: { toast: 'toast', description: 'm' } }}
    />
  );
}

/**
 * A passing word that something was done ("Ingress sealed, epoch 41"). Never the only copy of
 * anything: an error stays where it was asked for (`<ProblemNote>`), a state is on the page.
 */
export function say(text: string, detail?: string) {
  toast(text, { description: detail });
}
