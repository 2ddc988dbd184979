'use client';

import { Button } from './button';

/** Prints the page, or keeps it as a file: laid out for paper, with whole digests. */
export function PrintButton({ size }: { size?: 'sm' }) {
  return (
    <Button size={size} icon="doc" onClick={() => print()}>
      Print
    </Button>
  );
}
