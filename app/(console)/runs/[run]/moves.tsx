'use client';

import { useRouter } from 'next/navigation';
import { PrimaryAction } from '@/components/release/primary-action';
import { countText } from '@/components/ui/figure-text';
import { say } from '@/components/ui/toaster';
import { cancel, confirm, retry } from '../actions';
import type { LeftToDo } from './left-to-do';

interface OfRun {
  run: { id: string; dataset: string };
}

/** Ends a run before its next partition. */
export function CancelRun({ run: { id, dataset } }: OfRun) {
  return (
    <PrimaryAction
      label="Cancel run…"
      pendingLabel="Cancelling…"
      variant="no"
      confirm={{
        title: `Cancel run ${id}?`,
        body: (
          <p>
            What it has replaced stays replaced; nothing further of it is. What it did not come to
            can be run again afterwards.
          </p>
        ),
        comment: 'required',
        commentLabel: 'Why',
        confirmLabel: 'Cancel run',
      }}
      action={async ({ comment }) => {
        const result = await cancel({ dataset, run: id, reason: comment });
        return result.ok ? { ok: true } : result;
      }}
      onDone={() => say(`Run ${id} is cancelled`)}
    />
  );
}

/** Confirms a run as the second person; who asked for it is told why not when they press. */
export function ConfirmRun({ run: { id, dataset }, self }: OfRun & { self: boolean }) {
  return (
    <PrimaryAction
      label="Confirm run"
      pendingLabel="Confirming…"
      blockers={
        self
          ? [
              {
                code: 'SELF_APPROVAL',
                kind: 'wait',
                message: 'You asked for it; another person confirms it.',
              },
            ]
          : []
      }
      confirm={{
        title: `Confirm run ${id}?`,
        body: <p>It starts at once, with the answers that stand on this page.</p>,
      }}
      action={async () => {
        const result = await confirm({ dataset, run: id });
        return result.ok ? { ok: true } : result;
      }}
      onDone={() => say(`Run ${id} is confirmed`)}
    />
  );
}

/** Makes a new run over exactly what the dialog lists. */
export function RetryRun({ run: { id, dataset }, left }: OfRun & { left: LeftToDo }) {
  const router = useRouter();
  const { named, withoutData, count } = left;
  const certain = count - withoutData;
  return (
    <PrimaryAction
      label={`Run again what is left (${count})`}
      pendingLabel="Asking…"
      confirm={{
        title: `Run ${countText(count, 'partition')} again?`,
        confirmLabel: `Run ${countText(count, 'partition')}`,
        body: (
          <div className="col">
            <ul className="retry-list">
              {named.map(({ start, text }) => (
                <li key={start}>{text}</li>
              ))}
              {certain > named.length && (
                <li className="q">and {countText(certain - named.length, 'partition')} more</li>
              )}
              {withoutData > 0 && (
                <li className="q">
                  {countText(withoutData, 'partition')} had no data: taken where there is some now
                </li>
              )}
            </ul>
            <p>A new run; what this one has done stays. Claims and seals stop it as before.</p>
          </div>
        ),
      }}
      action={async ({ key }) => {
        const result = await retry({ dataset, run: id, key });
        if (!result.ok) return result;
        say(`Run ${result.value.id} takes up what run ${id} left out`);
        router.push(`/runs/${result.value.id}`);
        return { ok: true };
      }}
    />
  );
}
