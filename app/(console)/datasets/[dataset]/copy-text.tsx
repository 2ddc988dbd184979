'use client';

import { useCopy } from '@/components/hooks/use-copy';
import { Icon } from '@/components/ui/icon';

/** A line of SQL with a button that copies it. */
export function CopyText({ text }: { text: string }) {
  const { state, copy } = useCopy();
  return (
    <span className="copy-line">
      <code className="mono">{text}</code>
      <button
        type="button"
        className="btn sm"
        aria-label={`Copy: ${text}`}
        onClick={() => copy(text)}
      >
        <Icon name={state === 'copied' ? 'tick' : 'copy'} />
      </button>
      <span className="sr" role="status">
        {state === 'copied' ? 'Copied' : ''}
      </span>
    </span>
  );
}
