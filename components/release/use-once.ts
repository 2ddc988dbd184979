'use client';

import { useCallback, useRef, useState } from 'react';

/**
 * Runs one asynchronous thing at a time: a second call while the first is under way does nothing.
 * The guard is a ref, because two clicks of a double click come before React renders `pending`.
 */
export function useOnce(): [pending: boolean, once: (work: () => Promise<void>) => Promise<void>] {
  const running = useRef(false);
  const [pending, setPending] = useState(false);
  const once = useCallback(async (work: () => Promise<void>) => {
    if (running.current) return;
    running.current = true;
    setPending(true);
    try {
      await work();
    } finally {
      running.current = false;
      setPending(false);
    }
  }, []);
  return [pending, once];
}
