import type { StateLook } from '@/components/release/states';
import type { CorrectionKind } from '@/lib/queries/corrections';

/** How a correction came about. */
export const KIND_LOOKS: Record<CorrectionKind, StateLook> = {
  amend: { label: 'by hand', hue: 'idle', icon: 'sign' },
  cutover: { label: 'by a cutover', hue: 'ok', icon: 'active' },
  rollback: { label: 'by a rollback', hue: 'wait', icon: 'back' },
};
