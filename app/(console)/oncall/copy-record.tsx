'use client';

import { useSyncExternalStore } from 'react';
import { useCopy } from '@/components/hooks/use-copy';
import { Button } from '@/components/ui/button';
import { type Recorded, recordText } from './record';

/**
 * Copies the record of a rollback for the incident. Unless `small`, the text itself is beside it, to
 * be read first; where the browser does not let a page copy, it is opened to be selected.
 */
export function CopyRecord({ record, small = false }: { record: Recorded; small?: boolean }) {
  const { state, copy } = useCopy();
  const site = useSyncExternalStore(
    never,
    () => window.location.origin,
    () => '',
  );
  const text = recordText(record, site);
  const refused = state === 'refused';
  return (
    <div className="record">
      <div className="row">
        <Button
          icon={state === 'copied' ? 'tick' : 'copy'}
          size={small ? 'sm' : 'md'}
          onClick={() => copy(text)}
          aria-label={`Copy the record of the rollback of ${record.release}`}
        >
          {small ? 'Record' : 'Copy the record'}
        </Button>
        <span className={small ? 'sr' : 's m'} role="status">
          {state === 'copied' && 'Copied; paste it into the incident.'}
          {refused && 'The browser does not let this page copy; select the text below.'}
        </span>
      </div>
      {(!small || refused) && (
        <details open={refused || undefined}>
          <summary className="s m">the record as text</summary>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard. */}
          <pre tabIndex={0}>{text}</pre>
        </details>
      )}
    </div>
  );
}

const never = () => () => {};
