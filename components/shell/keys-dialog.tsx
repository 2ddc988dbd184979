'use client';

import { Fragment } from 'react';
import { Dialog } from '@/components/ui/dialog';
import { Checkbox } from '@/components/ui/field';
import { SHORTCUTS, type Shortcut } from './shortcuts';
import { useSingleKeys } from './single-keys';

const GROUPS = ['Go to', 'In a table', 'Anywhere'] as const;

/** What can be done with the keyboard, and the switch for single keys. */
export function KeysDialog({
  open,
  onOpenChange,
  pages,
}: {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  /** Where the nav leads: no key leads elsewhere. */
  pages: readonly string[];
}) {
  const [on, choose] = useSingleKeys();
  return (
    <Dialog open={open} onOpenChange={onOpenChange} wide title="Keyboard shortcuts">
      <div className="keys">
        {GROUPS.map((group) => (
          <section key={group} aria-label={group}>
            <h3>{group}</h3>
            <dl>
              {SHORTCUTS.filter((shortcut) => shortcut.group === group)
                .filter(({ deed }) => deed?.kind !== 'go' || pages.includes(deed.href))
                .map((shortcut) => (
                  <Row key={shortcut.what} shortcut={shortcut} off={!on} />
                ))}
              {group === 'Anywhere' && (
                <div>
                  <dt>Find, also while typing</dt>
                  <dd>
                    <kbd>Ctrl K</kbd> or <kbd>⌘K</kbd>
                  </dd>
                </div>
              )}
            </dl>
          </section>
        ))}
      </div>
      <Checkbox checked={on} onChange={(event) => choose(event.target.checked)}>
        Single keys do something. Switch them off where keys are pressed that nobody meant, as by
        speech input. This list also stands in the menu under your name, and in Find.
      </Checkbox>
    </Dialog>
  );
}

function Row({ shortcut: { keys, what, deed }, off }: { shortcut: Shortcut; off: boolean }) {
  return (
    <div className={off && deed ? 'off' : undefined}>
      <dt>{what}</dt>
      <dd>
        {keys.map((key, at) => (
          <Fragment key={key}>
            {at > 0 && ' then '}
            <kbd>{key}</kbd>
          </Fragment>
        ))}
        {off && deed && <span className="sr">, switched off</span>}
      </dd>
    </div>
  );
}
