'use client';

import { useRouter } from 'next/navigation';
import { useState } from 'react';
import { useOnce } from '@/components/release/use-once';
import { Button } from '@/components/ui/button';
import { Dialog } from '@/components/ui/dialog';
import { say } from '@/components/ui/toaster';
import { PublishForm } from './publish-form';

/** Opens what is asked before a range is recorded as published. Opening it records nothing. */
export function PublishButton({
  dataset,
  zone,
  unit,
  initial = null,
  size = 'md',
}: {
  dataset: string;
  zone: string;
  unit: string;
  /** The range to open with at once; null to wait for a press. */
  initial?: { from: string; to: string } | null;
  size?: 'sm' | 'md';
}) {
  const router = useRouter();
  const [open, setOpen] = useState(initial !== null);
  const [pending, once] = useOnce();
  return (
    <>
      <Button
        size={size}
        variant={size === 'sm' ? 'plain' : 'go'}
        icon="lock"
        onClick={() => setOpen(true)}
      >
        Publish a range…
      </Button>
      <Dialog
        open={open}
        onOpenChange={setOpen}
        locked={pending}
        wide
        title={`Publish a range of ${dataset}`}
        summary={
          <p>
            It records that figures were sent out, to whom, and seals their {unit}s: no live event,
            run or release changes what is served of them again. Nothing unseals: what would have
            changed becomes a correction beside it.
          </p>
        }
      >
        <PublishForm
          dataset={dataset}
          zone={zone}
          unit={unit}
          initial={initial}
          pending={pending}
          once={once}
          onLeave={() => setOpen(false)}
          onDone={(said) => {
            setOpen(false);
            say(said);
            router.refresh();
          }}
        />
      </Dialog>
    </>
  );
}
