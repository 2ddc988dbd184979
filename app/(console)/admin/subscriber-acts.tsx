'use client';

import { PrimaryAction } from '@/components/release/primary-action';
import { countText } from '@/components/ui/figure-text';
import { say } from '@/components/ui/toaster';
import type { SubscriberView } from '@/lib/queries/notices';
import { sendAgain, stopSubscriber, tryOut } from './actions';
import { ChangeSubscriber } from './change-subscriber';

/** What an admin may do with a subscriber that is told. */
export function SubscriberActs({ subscriber }: { subscriber: SubscriberView }) {
  const { name, failures, waiting } = subscriber;
  return (
    <span className="row acts">
      {failures.length > 0 && (
        <PrimaryAction
          label={`Send ${failures.length} again`}
          pendingLabel="Asking…"
          variant="plain"
          size="sm"
          action={async () => {
            const result = await sendAgain({ name, notices: failures });
            return result.ok ? { ok: true } : result;
          }}
          onDone={() =>
            say(`${countText(failures.length, 'notice')} will be sent to ${name} again`)
          }
        />
      )}
      <PrimaryAction
        label="Test"
        pendingLabel="Asking…"
        variant="plain"
        size="sm"
        action={async () => {
          const result = await tryOut({ name });
          return result.ok ? { ok: true } : result;
        }}
        onDone={() => say(`A test is on its way to ${name}`, 'The list says when it arrived.')}
      />
      <ChangeSubscriber subscriber={subscriber} />
      <PrimaryAction
        label="End…"
        pendingLabel="Ending…"
        variant="no"
        size="sm"
        confirm={{
          title: `End ${name}?`,
          body: (
            <p>
              It is told nothing more
              {waiting > 0 && `, and ${countText(waiting, 'notice')} that still wait are given up`}.
              What it was told stays to be read. Its name is not used again.
            </p>
          ),
          confirmLabel: 'End the subscriber',
        }}
        action={async () => {
          const result = await stopSubscriber({ name });
          return result.ok ? { ok: true } : result;
        }}
        onDone={() => say(`${name} is ended`)}
      />
    </span>
  );
}
