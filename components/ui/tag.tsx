import type { ReactNode } from 'react';
import { cx } from './cx';

/** A small word beside something: `fix` and `wait` on blockers, lengths such as "25 h". */
export function Tag({ kind, children }: { kind?: 'fix' | 'wait'; children: ReactNode }) {
  return (
    <span className={cx('tag', kind === 'fix' && 'fix', kind === 'wait' && 'hold')}>
      {children}
    </span>
  );
}
