'use client';

import { type ReactNode, useEffect, useRef, useState } from 'react';
import { figureText } from '@/components/ui/figure-text';
import { etaText } from '@/components/ui/progress';
import { ProgressBar } from '@/components/ui/progress-bar';
import { StateBadge } from './state-badge';
import type { StateLook } from './states';

const QUIET_MS = 10_000;

/**
 * One line: state and count, bar, rate, workers, the reason for waiting in amber, what is left
 * last (nothing before 1 %). Announced at most once in ten seconds.
 */
export function StatusLine({
  look,
  turning = false,
  done,
  total,
  noun,
  rate,
  workers,
  waits,
  secondsLeft,
  children,
}: {
  look: StateLook;
  /** The icon turns while something is under way. */
  turning?: boolean;
  done?: number;
  total?: number;
  /** What the count is of: "built", "events applied". */
  noun?: string;
  /** "1,480 rows/s" */
  rate?: string;
  /** "2 of 4 workers" */
  workers?: string;
  /** "lag 41 s > 30 s" */
  waits?: string;
  secondsLeft?: number | null;
  /** Further parts, before what is left. */
  children?: ReactNode;
}) {
  const counted = done !== undefined && total !== undefined;
  const text = counted
    ? `${figureText(done)} of ${figureText(total)} ${noun ?? look.label.toLowerCase()}`
    : (noun ?? look.label);
  const left = counted ? etaText(secondsLeft, done, total) : undefined;
  const said = useQuietly([text, waits && `waits: ${waits}`, left].filter(Boolean).join(', '));
  return (
    <div className="line">
      <StateBadge look={look} turning={turning}>
        {text}
      </StateBadge>
      {counted && <ProgressBar done={done} total={total} label={noun ?? look.label} />}
      {rate && <span>{rate}</span>}
      {workers && <span>{workers}</span>}
      {waits && <span className="wait">waits: {waits}</span>}
      {children}
      {left && <span>{left}</span>}
      <span className="sr" role="status">
        {said}
      </span>
    </div>
  );
}

/** The text, changing at most once in ten seconds; the last change is never lost. */
function useQuietly(text: string): string {
  const [said, setSaid] = useState(text);
  const next = useRef(0);
  useEffect(() => {
    if (text === said) return;
    const wait = Math.max(0, next.current - performance.now());
    const timer = setTimeout(() => {
      next.current = performance.now() + QUIET_MS;
      setSaid(text);
    }, wait);
    return () => clearTimeout(timer);
  }, [text, said]);
  return said;
}
