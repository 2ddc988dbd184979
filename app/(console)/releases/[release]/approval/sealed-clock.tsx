'use client';

import { useTicking } from '@/components/release/rto-clock';
import { StateBadge } from '@/components/release/state-badge';
import { clockText } from '@/components/ui/progress';
import { TimeOfDay } from '../../../_parts/when';

/** How long ingress is sealed, running on by the browser’s own clock from the server’s answer. */
export function SealedClock({
  seconds,
  limit,
  zone,
  until,
}: {
  seconds: number;
  limit: number;
  zone: string;
  until: string;
}) {
  const now = useTicking(seconds, true);
  return (
    <StateBadge ingress="SEALED" pill>
      <span>
        Sealed {clockText(now)} of {clockText(limit)}, reopens by itself{' '}
        <TimeOfDay zone={zone} at={until} />
      </span>
    </StateBadge>
  );
}
