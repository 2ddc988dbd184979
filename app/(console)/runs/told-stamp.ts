import { readZone } from '@/lib/domain/time-zone';
import type { Stamp } from '@/lib/queries/stamp';
import { asOf } from '../times';

/** A stamp as the page that polls it wants it, its moment told in the page's zone. */
export function toldStamp({ stamp, now }: Stamp, asked: string | null) {
  const zone = readZone(asked);
  return { stamp, asOf: asOf(zone.ok ? zone.value : 'UTC', now) };
}
