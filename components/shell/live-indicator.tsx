'use client';

import { useSyncExternalStore } from 'react';
import { type AsOf, liveStore } from '@/components/hooks/live-store';
import { cx } from '@/components/ui/cx';

/**
 * When what is shown was read, and how it is kept: a green dot while the page refreshes itself,
 * amber and in words when a refresh failed and the page is older than it looks.
 */
export function LiveIndicator({ asOf }: { asOf?: AsOf }) {
  const status = useSyncExternalStore(liveStore.subscribe, liveStore.get, () => null);
  const read = status?.asOf ?? asOf;
  const lost = status?.state === 'lost';
  if (!read && !status) return null;
  return (
    <span className={cx('live', !status && 'still', lost && 'lost')} title={read?.utc}>
      {lost && 'not refreshed since '}
      {read ? <time dateTime={read.utc}>{read.text}</time> : lost ? 'a while' : 'live'}
      <span className="sr" role="status">
        {lost ? 'The page could not be refreshed.' : ''}
      </span>
    </span>
  );
}
