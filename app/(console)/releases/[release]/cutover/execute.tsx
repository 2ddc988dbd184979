'use client';

import { PrimaryAction } from '@/components/release/primary-action';
import { durationText } from '@/components/ui/progress';
import { say } from '@/components/ui/toaster';
import type { Blocker } from '@/lib/domain/refusal';
import { useMove } from '../../../_parts/use-move';

export interface ExecutePage {
  release: string;
  version: number;
  now: string;
  dataset: string;
  generation: string | null;
  oldGeneration: string | null;
  epoch: number;
  evidence: string | null;
  rollbackWindowSeconds: number | null;
}

/** The button that switches: by typing the release’s name, never by one press. */
export function Execute({ page, blockers }: { page: ExecutePage; blockers: readonly Blocker[] }) {
  const move = useMove(page);
  const generation = page.generation ?? 'the candidate';
  const old = page.oldGeneration ?? 'the old generation';
  return (
    <PrimaryAction
      label={`Cut over to ${generation}`}
      pendingLabel="Cutting over…"
      size="lg"
      wide
      blockers={blockers}
      confirm={{
        title: `Cut over ${page.dataset} to ${generation}?`,
        body: (
          <div className="col">
            <p>
              Readers get {generation} from their next request on; who holds a lease keeps reading{' '}
              {old} until it ends. Epoch {page.epoch + 1} opens to live writers.
            </p>
            <p>
              {old} is kept
              {page.rollbackWindowSeconds !== null &&
                ` for ${durationText(page.rollbackWindowSeconds)}`}
              : until then it can be gone back to, and no write is lost.
            </p>
          </div>
        ),
        typedName: page.release,
        confirmLabel: `Cut over to ${generation}`,
      }}
      action={({ key }) =>
        move('activate', page.evidence === null ? {} : { evidence: page.evidence }, key)
      }
      onDone={() => say(`${page.dataset} serves ${generation}`, `Epoch ${page.epoch + 1} is open.`)}
    />
  );
}
