'use client';

import { type CSSProperties, useEffect, useRef, useState } from 'react';
import { cx } from '@/components/ui/cx';
import { clockText, spokenText } from '@/components/ui/progress';

/**
 * The clock of a rollback against its limit. The server says how many seconds have passed; between
 * two answers the clock runs on by the browser's monotonic clock, so a wrong date on a phone does
 * not matter, and it never runs backwards. Read out once a minute.
 */
export function RtoClock({
  elapsedSeconds,
  limitSeconds = 900,
  estimateSeconds,
  running,
  startText,
  endText,
  label = 'Rollback clock',
}: {
  elapsedSeconds: number;
  limitSeconds?: number;
  /** Of the whole, from the measured rate. */
  estimateSeconds?: number;
  running: boolean;
  /** When it began and when the limit is reached, as text in the dataset's zone. */
  startText?: string;
  endText?: string;
  label?: string;
}) {
  const seconds = useTicking(elapsedSeconds, running);
  const late = seconds > limitSeconds;
  const left =
    running && !late && estimateSeconds !== undefined && estimateSeconds > seconds
      ? ` · about ${clockText(estimateSeconds - seconds)} left`
      : '';
  const said = `${label}, ${spokenText(seconds)} of ${spokenText(limitSeconds)}${late ? ', late' : ''}`;
  const style = {
    '--p': `${Math.min(100, (seconds / limitSeconds) * 100).toFixed(2)}%`,
    '--e': `${Math.min(100, ((estimateSeconds ?? 0) / limitSeconds) * 100).toFixed(2)}%`,
  } as CSSProperties;
  return (
    <div className={cx('clock', late && 'late')}>
      <div className="t" role="timer" aria-label={said}>
        <span>{clockText(seconds, { padded: true })}</span>
        <small>
          of {clockText(limitSeconds)}
          {late ? `, late by ${clockText(seconds - limitSeconds)}` : left}
        </small>
      </div>
      <div style={style}>
        <div className="track" aria-hidden="true">
          <i />
          {estimateSeconds !== undefined && <u />}
        </div>
        <div className="ticks">
          <span>{startText}</span>
          {estimateSeconds !== undefined && (
            <span className="est">estimate {clockText(estimateSeconds)}</span>
          )}
          <span>{endText}</span>
        </div>
      </div>
      <Spoken text={said} minute={Math.floor(seconds / 60)} />
    </div>
  );
}

/** Changes its text once a minute, which is when a screen reader says it. */
function Spoken({ text, minute }: { text: string; minute: number }) {
  const [said, setSaid] = useState('');
  const last = useRef(minute);
  useEffect(() => {
    if (last.current === minute) return;
    last.current = minute;
    setSaid(text);
  }, [text, minute]);
  return (
    <span className="sr" aria-live="polite">
      {said}
    </span>
  );
}

/** Seconds that run on from the server's answer and never go back while it runs. */
export function useTicking(elapsedSeconds: number, running: boolean): number {
  const [seconds, setSeconds] = useState(elapsedSeconds);
  useEffect(() => {
    if (!running) {
      setSeconds(elapsedSeconds);
      return;
    }
    const began = performance.now();
    const tick = () => {
      const now = elapsedSeconds + (performance.now() - began) / 1000;
      setSeconds((shown) => Math.max(shown, now));
    };
    tick();
    const timer = setInterval(tick, 250);
    return () => clearInterval(timer);
  }, [elapsedSeconds, running]);
  return Math.floor(seconds);
}
