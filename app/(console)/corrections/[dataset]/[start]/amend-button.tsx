'use client';

import { useState } from 'react';
import { PrimaryAction } from '@/components/release/primary-action';
import { countText } from '@/components/ui/figure-text';
import { Note } from '@/components/ui/note';
import { say } from '@/components/ui/toaster';
import type { CorrectionItem } from '@/lib/queries/corrections';
import { recordCorrection } from '../../actions';
import { figureLines } from '../../figure-lines';
import { Difference, Value } from '../../figure-value';

/** Records what the partition would be now. What it comes to is known once it is computed. */
export function AmendButton({
  dataset,
  start,
  pending,
  corrections,
}: {
  dataset: string;
  start: string;
  pending: number;
  corrections: number;
}) {
  const [made, setMade] = useState<CorrectionItem | null>(null);
  return (
    <div className="amend">
      <PrimaryAction
        label="Record a correction"
        pendingLabel="Computing from the log…"
        icon="sign"
        confirm={{
          title: 'Record a correction?',
          body: (
            <>
              <p>
                Its figures are computed from the log, as far as the generation in use has reached,
                by the transform that it has there. What is served stays as published.
              </p>
              <p>
                {pending === 0
                  ? 'No event is pending: if nothing else changed, it says that the figures are the same.'
                  : `${countText(pending, 'pending event')} will be in it.`}{' '}
                It begins{' '}
                {corrections === 0 ? 'at what was published' : 'where the last correction ended'},
                and cannot be taken back.
              </p>
            </>
          ),
          comment: 'required',
          commentLabel: 'Reason',
          commentHint: 'Auditors read it: why are the figures others now?',
        }}
        action={async ({ key, comment }) => {
          const result = await recordCorrection({
            dataset,
            partition: start,
            reason: comment,
            key,
          });
          if (!result.ok) return result;
          setMade(result.value);
          return { ok: true };
        }}
        onDone={() => say('The correction is recorded')}
      />
      {made && <Recorded item={made} />}
    </div>
  );
}

function Recorded({ item }: { item: CorrectionItem }) {
  const changed = figureLines([item.before, item.after], item.delta).filter(
    ({ values: [before, after] }) => before !== after,
  );
  return (
    <Note icon="ok" live title="Recorded.">
      {changed.length === 0 ? (
        <p>The figures are the same as before; that somebody looked is on record.</p>
      ) : (
        <ul>
          {changed.map(({ key, name, values: [before, after], delta }) => (
            <li key={key}>
              {name} <Value value={before} /> →{' '}
              <b>
                <Value value={after} />
              </b>
              {delta !== null && (
                <>
                  {' '}
                  (<Difference value={delta} />)
                </>
              )}
            </li>
          ))}
        </ul>
      )}
    </Note>
  );
}
