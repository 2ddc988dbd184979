'use client';

import { useRouter } from 'next/navigation';
import { MarkButton } from '../mark-button';

/** Marks the selected partitions as contaminated; linking is done on the dataset's page. */
export function MarkSelected({
  dataset,
  zone,
  unit,
  from,
  to,
}: Record<'dataset' | 'zone' | 'unit' | 'from' | 'to', string>) {
  const router = useRouter();
  return (
    <MarkButton
      // another selection begins with other ends
      key={`${from} ${to}`}
      dataset={dataset}
      zone={zone}
      unit={unit}
      releases={[]}
      initial={{ from, to }}
      onDone={() => router.refresh()}
    />
  );
}
