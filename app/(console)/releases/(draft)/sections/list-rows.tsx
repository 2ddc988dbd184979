'use client';

import type { ReactNode } from 'react';
import { Button } from '@/components/ui/button';

/** One entry of a list of the spec, with its removal. */
export function ListRow({
  label,
  onRemove,
  children,
}: {
  label: string;
  onRemove: () => void;
  children: ReactNode;
}) {
  return (
    <fieldset className="entry">
      <legend className="sr">{label}</legend>
      <div className="entry-fields">{children}</div>
      <Button size="sm" icon="close" aria-label={`Remove ${label}`} onClick={onRemove} />
    </fieldset>
  );
}

/** The list with one entry changed. */
export function changedAt<T>(list: readonly T[], at: number, part: Partial<T>): T[] {
  return list.map((item, place) => (place === at ? { ...item, ...part } : item));
}

export const without = <T,>(list: readonly T[], at: number): T[] =>
  list.filter((_, place) => place !== at);
