'use client';

import type { ReactNode } from 'react';
import { buttonClass } from '@/components/ui/button';
import { Icon } from '@/components/ui/icon';
import { Popover } from '@/components/ui/popover';

/**
 * The moves beside the page's one primary action: pause, hold, abandon, retry. `children` are
 * `<PrimaryAction variant="plain" wide>`: each keeps its own blockers and its own confirm dialog.
 */
export function MoreMoves({
  label = 'More moves',
  children,
}: {
  label?: string;
  children: ReactNode;
}) {
  return (
    <Popover
      label={label}
      width={264}
      trigger={
        <button type="button" className={buttonClass({})}>
          {label}
          <Icon name="chev" />
        </button>
      }
    >
      <div className="moves">{children}</div>
    </Popover>
  );
}
