import { type ReactNode, useId } from 'react';
import { TERMS, type TermName } from '@/lib/domain/terms';

/**
 * A word of the glossary: hovering shows what it means, a press or Enter shows the same so that it
 * stays, also on a phone. Needs no script: the browser's own popover.
 */
export function Term({ name, children }: { name: TermName; children?: ReactNode }) {
  const id = useId();
  return (
    <>
      <button type="button" className="term" popoverTarget={id} title={TERMS[name]}>
        {children ?? `${name.charAt(0).toUpperCase()}${name.slice(1)}`}
      </button>
      <span id={id} popover="auto" className="tip term-says" role="note">
        <b>{name}</b> {TERMS[name]}
      </span>
    </>
  );
}
