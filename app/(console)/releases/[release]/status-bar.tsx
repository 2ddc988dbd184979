'use client';

import { useTicking } from '@/components/release/rto-clock';
import { StatusLine } from '@/components/release/status-line';
import { cx } from '@/components/ui/cx';
import { clockText } from '@/components/ui/progress';
import type { Status } from './status';

/** The status line; the sealed-time clock in it runs on by itself. */
export function StatusBar({ status }: { status: Status }) {
  const { sealed, ...line } = status;
  return <StatusLine {...line}>{sealed && <SealedClock {...sealed} />}</StatusLine>;
}

function SealedClock({ seconds, most }: { seconds: number; most: number }) {
  const elapsed = useTicking(seconds, true);
  const late = elapsed >= most;
  return (
    <span className={cx(late ? 'bad' : elapsed > most * 0.8 && 'wait')}>
      sealed {clockText(elapsed)} of {clockText(most)}
      {late && ', it reopens'}
    </span>
  );
}
