'use client';

import type { ReactNode } from 'react';
import { useCopy } from '@/components/hooks/use-copy';
import { Button } from '@/components/ui/button';
import { Note } from '@/components/ui/note';

const SAID = {
  idle: '',
  copied: 'Copied',
  refused: 'Not copied: the browser refused. Select it and copy it by hand.',
} as const;

/** A secret that nobody can show again, with what is to be done with it. */
export function ShownOnce({
  text,
  close,
  children,
}: {
  text: string;
  close: () => void;
  children: ReactNode;
}) {
  const { state, copy } = useCopy();
  return (
    <div className="form">
      <Note tone="wait" icon="warn" title="It is shown this once.">
        <p>{children}</p>
      </Note>
      <code className="token-text mono" data-token>
        {text}
      </code>
      <p className="s m" role="status">
        {SAID[state]}
      </p>
      <div className="form-end">
        <Button icon={state === 'copied' ? 'tick' : 'copy'} onClick={() => copy(text)}>
          Copy
        </Button>
        <Button variant="go" onClick={close}>
          I have it
        </Button>
      </div>
    </div>
  );
}
