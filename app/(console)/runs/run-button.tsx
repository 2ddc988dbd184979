'use client';

import { useState } from 'react';
import { Button } from '@/components/ui/button';
import { RunDialog } from './run-dialog';

/** Opens the questions that a run is asked with. */
export function RunButton({
  dataset,
  from,
  to,
  label,
  size = 'sm',
}: {
  dataset: string;
  /** Half-open, instants on partition edges. */
  from: string;
  to: string;
  label: string;
  size?: 'sm' | 'md';
}) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button size={size} onClick={() => setOpen(true)}>
        {label}
      </Button>
      <RunDialog open={open} onOpenChange={setOpen} range={{ dataset, from, to }} />
    </>
  );
}
