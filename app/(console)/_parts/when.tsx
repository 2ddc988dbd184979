import { Interval, Moment } from '@/components/ui/interval';
import type { Instant } from '@/lib/domain/instant';
import { formatEdge, formatMoment, formatTimeOfDay } from '@/lib/domain/partition-label';

/** A moment in the dataset's zone, with the UTC instant on hover. */
export function When({ zone, at }: { zone: string; at: string }) {
  return <Moment text={formatMoment(zone, at as Instant)} utc={at} />;
}

/** The time of day alone, for live pages where the day is plain. */
export function TimeOfDay({ zone, at }: { zone: string; at: string }) {
  return <Moment text={formatTimeOfDay(zone, at as Instant)} utc={at} />;
}

/** A half-open interval in the dataset's zone; `to` null is open. */
export function Between({ zone, from, to }: { zone: string; from: string; to: string | null }) {
  return (
    <Interval
      from={formatEdge(zone, from as Instant)}
      to={to === null ? 'open' : formatEdge(zone, to as Instant)}
      zone={zone}
      fromUtc={from}
      toUtc={to ?? 'open'}
    />
  );
}

export const momentText = (zone: string, at: string) => formatMoment(zone, at as Instant);
export const timeText = (zone: string, at: string) => formatTimeOfDay(zone, at as Instant);
export const edgeText = (zone: string, at: string) => formatEdge(zone, at as Instant);

/** When a page's data was read, for the bar over it. */
export const asOf = (zone: string) => (data: { now: string }) => ({
  text: formatMoment(zone, data.now as Instant),
  utc: data.now,
});
