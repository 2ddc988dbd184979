'use client';

import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { NuqsAdapter } from 'nuqs/adapters/next/app';
import { Tooltip } from 'radix-ui';
import { type ReactNode, useState } from 'react';
import type { Theme } from './hooks/theme';
import { InitialTheme } from './hooks/use-theme';
import { Toaster } from './ui/toaster';

/** What every page needs in the browser: queries, state in the URL, tooltips, toasts, the theme. */
export function Providers({ theme, children }: { theme: Theme; children: ReactNode }) {
  const [client] = useState(() => new QueryClient());
  return (
    <InitialTheme value={theme}>
      <QueryClientProvider client={client}>
        <NuqsAdapter>
          <Tooltip.Provider delayDuration={300}>{children}</Tooltip.Provider>
        </NuqsAdapter>
        <Toaster />
      </QueryClientProvider>
    </InitialTheme>
  );
}
