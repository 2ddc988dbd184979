import Link from 'next/link';
import { StateBadge } from '@/components/release/state-badge';
import type { StateLook } from '@/components/release/states';
import { countText } from '@/components/ui/figure-text';
import { Icon } from '@/components/ui/icon';
import {
  type AskedKind,
  type DeliveryState,
  type NoticeKind,
  sayNoticeKind,
  type Told,
} from '@/lib/domain/notices';

const LOOKS: Record<DeliveryState, StateLook> = {
  DELIVERED: { label: 'delivered', hue: 'ok', icon: 'ok' },
  WAITING: { label: 'waiting', hue: 'wait', icon: 'wait' },
  FAILED: { label: 'failed', hue: 'bad', icon: 'bad' },
};

/** A delivery's state; `subscriber` stands before the word. */
export function DeliveryBadge({
  state,
  subscriber,
}: {
  state: DeliveryState;
  subscriber?: string;
}) {
  const { label } = LOOKS[state];
  return (
    <StateBadge look={LOOKS[state]}>
      {subscriber === undefined ? label : `${subscriber}: ${label}`}
    </StateBadge>
  );
}

/** What a subscriber is told of, in words. */
export const kindsText = (kinds: readonly (AskedKind | NoticeKind)[]): string =>
  kinds.length === 0 ? 'everything' : kinds.map(sayNoticeKind).join(', ');

/** How many subscribers know of a switch: "told: 2 of 3 subscribers", with the way to who. */
export function ToldLine({ told, dataset }: { told: Told; dataset: string }) {
  const href = `/datasets/${dataset}#subscribers`;
  if (told.total === 0) {
    return (
      <span className="s">
        <Link href={href}>no subscriber asked to be told</Link>
      </span>
    );
  }
  return (
    <span className="told">
      <Icon
        name={told.failed > 0 ? 'bad' : told.waiting > 0 ? 'wait' : 'ok'}
        className={told.failed > 0 ? 'bad' : told.waiting > 0 ? 'wait' : 'ok'}
      />{' '}
      <Link href={href}>
        told: {told.delivered} of {countText(told.total, 'subscriber')}
      </Link>
      {told.failed > 0 && `, ${told.failed} failed`}
      {told.waiting > 0 && `, ${told.waiting} waiting`}
    </span>
  );
}
