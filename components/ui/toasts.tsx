'use client';

import type { CSSProperties } from 'react';
import { Toaster as Sonner } from 'sonner';
import { useTheme } from '@/components/hooks/use-theme';

const LOOK = {
  '--normal-bg': 'var(--raised)',
  '--normal-border': 'transparent',
  '--normal-text': 'var(--ink)',
  '--border-radius': 'var(--r-panel)',
} as CSSProperties;

/** The place of the toasts, for `<Toaster>`. */
export function Toasts() {
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
