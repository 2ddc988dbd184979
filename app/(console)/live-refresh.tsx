'use client';

import { useRouter } from 'next/navigation';
import { useEffect, useMemo, useTransition } from 'react';
import type { AsOf } from '@/components/hooks/live-store';
import { useLive } from '@/components/hooks/use-live';

interface Read {
  stamp: string;
  asOf: AsOf;
}

/**
 * Keeps a page that the server renders up to date: asks every two seconds (`everyMs`) for the page's
 * stamp, and has the page rendered anew only where it changed. What is open, typed or selected
 * stays.
 */
export function LiveRefresh({
  url,
  stamp,
  asOf,
  everyMs = 2000,
}: Read & { url: string; everyMs?: number }) {
  const router = useRouter();
  const { text, utc } = asOf;
  const initial = useMemo<Read>(() => ({ stamp, asOf: { text, utc } }), [stamp, text, utc]);
  const { data } = useLive<Read>({ url, initial, everyMs, asOf: (read) => read.asOf });
  const [pending, startTransition] = useTransition();

  useEffect(() => {
    // one at a time: a second refresh would discard the first, and a slow page never arrive
    if (data.stamp !== stamp && !pending) startTransition(() => router.refresh());
  }, [data.stamp, stamp, pending, router]);

  // a page that the browser kept whole comes back as it was left: it is read anew at once
  useEffect(() => {
    const shown = ({ persisted }: PageTransitionEvent) => {
      if (persisted) router.refresh();
    };
    addEventListener('pageshow', shown);
    return () => removeEventListener('pageshow', shown);
  }, [router]);
  return null;
}
