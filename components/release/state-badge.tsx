import type { ReactNode } from 'react';
import { cx } from '@/components/ui/cx';
import { Icon } from '@/components/ui/icon';
import {
  FLAG_LOOKS,
  type FlagName,
  GENERATION_LOOKS,
  type GenerationStateName,
  INGRESS_LOOKS,
  type IngressStateName,
  PARTITION_LOOKS,
  type PartitionStateName,
  RELEASE_LOOKS,
  type ReleaseStateName,
  type StateLook,
} from './states';

type Subject =
  | { release: ReleaseStateName }
  | { partition: PartitionStateName }
  | { generation: GenerationStateName }
  | { ingress: IngressStateName }
  | { flag: FlagName }
  | { look: StateLook };

function lookOf(subject: Subject): StateLook {
  if ('release' in subject) return RELEASE_LOOKS[subject.release];
  if ('partition' in subject) return PARTITION_LOOKS[subject.partition];
  if ('generation' in subject) return GENERATION_LOOKS[subject.generation];
  if ('ingress' in subject) return INGRESS_LOOKS[subject.ingress];
  if ('flag' in subject) return FLAG_LOOKS[subject.flag];
  return subject.look;
}

/**
 * A state: a shape, a word, then a colour. Give exactly one of `release`, `partition`,
 * `generation`, `ingress`, `flag` (the system's own spelling) or a `look` of your own.
 * - `pill` sets it on its tint, for heads; plain for table cells.
 * - `children` replaces the word ("Rollback running", "late by 0:42").
 * - `turning` turns the icon while something is under way.
 */
export function StateBadge({
  pill = false,
  turning = false,
  title,
  children,
  ...subject
}: Subject & { pill?: boolean; turning?: boolean; title?: string; children?: ReactNode }) {
  const look = lookOf(subject);
  return (
    <span className={cx('st', pill && 'pill', look.hue)} title={title}>
      <Icon name={look.icon} spin={turning} />
      {children ?? look.label}
    </span>
  );
}

/** The plain line in the place of the primary action, for who can do nothing here. */
export function Stamp({ look, children }: { look?: StateLook; children: ReactNode }) {
  const { hue, icon } = look ?? { hue: 'idle' as const, icon: 'wait' as const };
  return (
    <span className={cx('st stamp', hue)}>
      <Icon name={icon} />
      {children}
    </span>
  );
}
