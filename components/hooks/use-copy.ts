'use client';

import { useCallback, useEffect, useRef, useState } from 'react';

/** Copies text and says for two seconds that it did (`copied`), or that the browser refused. */
export function useCopy(): { state: 'idle' | 'copied' | 'refused'; copy: (text: string) => void } {
  const [state, setState] = useState<'idle' | 'copied' | 'refused'>('idle');
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const copy = useCallback(async (text: string) => {
    try {
      await navigator.clipboard.writeText(text);
      setState('copied');
    } catch {
      setState('refused');
    }
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setState('idle'), 2000);
  }, []);
  return { state, copy };
}
