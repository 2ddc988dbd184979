'use client';

import { useRouter } from 'next/navigation';
import { useState } from 'react';
import type { ActionResult, BlockerView } from '@/components/release/blockers';
import { PrimaryAction } from '@/components/release/primary-action';
import { Note } from '@/components/ui/note';
import { type EdgeTexts, unpackEdges } from '@/lib/domain/edge-runs';
import { plural } from '@/lib/domain/figures';
import { makeMove } from '../[release]/make-move';
import type { KeptDraft } from './draft-editor';
import { type PlanDifference, planDifference } from './plan-entries';
import type { LivePreview } from './use-preview';

/** Pins the plan that is shown, and no other: a refusal says what of it is different now. */
export function PinAction({
  kept,
  live,
  edges,
  blockers,
}: {
  kept: KeptDraft;
  live: LivePreview;
  edges: EdgeTexts | null;
  blockers: readonly BlockerView[];
}) {
  const router = useRouter();
  const [difference, setDifference] = useState<PlanDifference | null>(null);
  const plan = live.preview?.plan;

  const pin = async (key: string): Promise<ActionResult> => {
    setDifference(null);
    const result = await makeMove(kept, 'pin', {
      key,
      body: plan ? { planDigest: plan.digest } : {},
    });
    if (result.ok) router.push(`/releases/${kept.release}`);
    else if (result.problem.code === 'CHANGED_SINCE_SEEN') {
      const now = await live.ask();
      if (now?.plan && edges) {
        setDifference(planDifference(edges, unpackEdges(now.plan.packed)));
      }
    }
    return result;
  };
  const notReady: BlockerView[] =
    live.pending || !plan
      ? [{ code: 'WORKING', kind: 'wait', message: 'The plan is being read' }]
      : [];
  return (
    <PrimaryAction
      label="Pin snapshot"
      pendingLabel="Pinning…"
      blockers={blockers.length > 0 ? blockers : notReady}
      confirm={{
        title: `Pin ${kept.release}?`,
        body: (
          <div className="col">
            <p>
              Every field is frozen, and this plan of {plural(plan?.count ?? 0, 'partition')}. The
              facts that the generation in use has reached are written out as a snapshot.
            </p>
            <p>Nothing is built yet. To change anything afterwards, make the next revision.</p>
            {difference && (
              <Note tone="wait" live title="The plan is another one now.">
                {`${plural(difference.added, 'partition')} more and ${difference.removed} fewer than you were shown; it ended at ${difference.endBefore}, now at ${difference.endNow}. The panel shows the new one; press again to pin that.`}
              </Note>
            )}
          </div>
        ),
      }}
      action={({ key }) => pin(key)}
    />
  );
}
