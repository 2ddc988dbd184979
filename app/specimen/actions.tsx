'use client';

import { useState } from 'react';
import type { ActionResult } from '@/components/release/blockers';
import { MoreMoves } from '@/components/release/more-moves';
import { PrimaryAction } from '@/components/release/primary-action';
import { ProblemNote } from '@/components/release/problem-note';
import { Panel } from '@/components/ui/panel';
import { say } from '@/components/ui/toaster';
import { blockers } from './story';

const later = (result: ActionResult) =>
  new Promise<ActionResult>((resolve) => setTimeout(() => resolve(result), 600));

const moved: ActionResult = {
  ok: false,
  problem: {
    code: 'EVIDENCE_MOVED',
    title: 'The evidence is not the one that you read.',
    detail: 'Nothing was done.',
    blockers: [
      {
        code: 'EVIDENCE_MOVED',
        kind: 'fix',
        message: 'Evidence digest',
        expected: 'cc99…edb7',
        current: 'bd30…a21e',
        link: '#diff',
      },
      { code: 'HELD', kind: 'wait', message: 'cyd holds the release since 11:51:08' },
    ],
  },
};

export function ActionSamples({ which }: { which: 'head' | 'panel' }) {
  const [calls, setCalls] = useState(0);
  const counted = (result: ActionResult) => () => {
    setCalls((n) => n + 1);
    return later(result);
  };
  if (which === 'head') {
    return (
      <>
        <MoreMoves>
          <PrimaryAction
            label="Hold…"
            variant="plain"
            wide
            action={counted({ ok: true })}
            confirm={{
              title: 'Hold vat-fix@3?',
              comment: 'required',
              confirmLabel: 'Hold vat-fix@3',
            }}
          />
          <PrimaryAction
            label="Abandon…"
            variant="no"
            wide
            blockers={blockers}
            action={counted({ ok: true })}
          />
        </MoreMoves>
        <PrimaryAction label="Seal ingress" blockers={blockers} action={counted({ ok: true })} />
      </>
    );
  }
  return (
    <Panel title="Moves" note={`called ${calls} times`}>
      <div className="row">
        <PrimaryAction
          label="Cut over to vat-fix-g3"
          pendingLabel="Cutting over…"
          action={counted({ ok: true })}
          onDone={() => say('Cut over to vat-fix-g3, epoch 42')}
          confirm={{
            title: 'Cut over order_tax to vat-fix-g3?',
            body: (
              <p>
                Readers get vat-fix-g3 from their next request on. vat-stop-g1 is kept for 24 h.
              </p>
            ),
            typedName: 'vat-fix@3',
            options: [
              {
                name: 'rollback',
                label: 'Sign the rollback too, for this cutover’s window of 24 h',
                checked: true,
              },
            ],
          }}
        />
        <PrimaryAction
          label="Reject…"
          variant="no"
          pendingLabel="Rejecting…"
          action={counted(moved)}
          confirm={{
            title: 'Reject vat-fix@3?',
            body: <p>It ends here: ingress is reopened and vat-fix-g3 is dropped.</p>,
            comment: 'required',
            commentLabel: 'Why',
            confirmLabel: 'Reject vat-fix@3',
          }}
        />
        <PrimaryAction label="Abandon vat-fix@3" variant="stop" action={counted(moved)} />
        <PrimaryAction
          label="Lose the answer"
          variant="plain"
          action={() => Promise.reject(new Error('gone'))}
        />
      </div>
      <div className="sub">{!moved.ok && <ProblemNote problem={moved.problem} />}</div>
    </Panel>
  );
}
