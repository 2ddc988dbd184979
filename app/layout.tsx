import type { Metadata, Viewport } from 'next';
import { cookies } from 'next/headers';
import type { ReactNode } from 'react';
import { readTheme, THEME_COOKIE } from '@/components/hooks/theme';
import { Providers } from '@/components/providers';
import { IconSprite } from '@/components/ui/icon';
import './globals.css';

export const metadata: Metadata = {
  title: { default: 'Interlock', template: '%s · Interlock' },
  description: 'Recompute the history of a dataset without anyone ever reading half of it.',
};

export const viewport: Viewport = {
  width: 'device-width',
  initialScale: 1,
  viewportFit: 'cover',
  colorScheme: 'light dark',
};

/** The theme comes with the request, so the first paint has the right colours without a script. */
export default async function RootLayout({ children }: { children: ReactNode }) {
  const theme = readTheme((await cookies()).get(THEME_COOKIE)?.value);
  return (
    // The attribute is changed by the theme switch before React hears of it.
    <html lang="en-GB" data-theme={theme === 'system' ? undefined : theme} suppressHydrationWarning>
      <body>
        <IconSprite />
        <Providers theme={theme}>{children}</Providers>
      </body>
    </html>
  );
}
