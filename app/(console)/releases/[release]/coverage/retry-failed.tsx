'use client';

import { PrimaryAction } from '@/components/release/primary-action';
import { plural } from '@/lib/domain/figures';
import { makeMove, type Shown } from '../make-move';

/** Has partitions that failed built again: exactly those that the dialog lists. */
export function RetryFailed({
  shown,
  partitions,
  texts,
  zone,
}: {
  shown: Shown;
  /** Starts of those that failed. */
  partitions: readonly string[];
  /** The first of them in words. */
  texts: readonly string[];
  zone: string;
}) {
  const more = partitions.length - texts.length;
  return (
    <PrimaryAction
      label={`Retry failed (${partitions.length})`}
      pendingLabel="Retrying…"
      variant="plain"
      size="sm"
      confirm={{
        title: `Build ${plural(partitions.length, 'partition')} again?`,
        confirmLabel: `Retry ${plural(partitions.length, 'partition')}`,
        comment: 'optional',
        body: (
          <div className="col">
            <ul className="retry-list">
              {texts.map((text) => (
                <li key={text}>{text}</li>
              ))}
              {more > 0 && <li className="q">and {plural(more, 'more', 'more')}</li>}
            </ul>
            <p>{zone}. Of the frozen plan, from the same snapshot; what is built stays.</p>
          </div>
        ),
      }}
      action={({ key, comment }) =>
        makeMove(shown, 'retry', {
          key,
          body: { partitions: [...partitions], ...(comment ? { comment } : {}) },
        })
      }
    />
  );
}
