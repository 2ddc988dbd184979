'use client';

import { useState } from 'react';
import { buttonClass } from '@/components/ui/button';
import { cx } from '@/components/ui/cx';
import { Icon, type IconName } from '@/components/ui/icon';
import { Popover } from '@/components/ui/popover';
import { BlockerList } from './blocker-list';
import {
  type ActionProblem,
  type ActionResult,
  type BlockerView,
  blockersCount,
  blockersSentence,
} from './blockers';
import { type Confirm, ConfirmDialog, type ConfirmInput, newKey } from './confirm-dialog';
import { ProblemNote } from './problem-note';
import { useOnce } from './use-once';

/**
 * The page's one button. It is never disabled.
 *
 * With `blockers` it carries their count, and a press lists every one of them. Without, a press
 * opens the confirm dialog (`confirm`), or acts at once where there is nothing to confirm. While it
 * acts it says so and ignores further presses; a refusal is shown where it was asked for, with
 * every blocker. The callback gets a key that stays the same for all tries of one opening, so that
 * a try after a lost connection is answered with the first one's outcome.
 */
export function PrimaryAction({
  label,
  pendingLabel,
  blockers = [],
  confirm,
  action,
  onDone,
  variant = 'go',
  size = 'md',
  wide = false,
  icon,
}: {
  /** The move: "Seal ingress". */
  label: string;
  /** While it acts: "Sealing…". */
  pendingLabel?: string;
  blockers?: readonly BlockerView[];
  confirm?: Confirm;
  action: (input: ConfirmInput) => Promise<ActionResult>;
  onDone?: () => void;
  variant?: 'go' | 'stop' | 'no' | 'plain';
  size?: 'sm' | 'md' | 'lg';
  wide?: boolean;
  icon?: IconName;
}) {
  const [listed, setListed] = useState(false);
  const [asking, setAsking] = useState(false);
  const [problem, setProblem] = useState<ActionProblem | null>(null);
  const [pending, once] = useOnce();
  const blocked = blockers.length > 0;

  const act = (input: ConfirmInput) =>
    once(async () => {
      setProblem(null);
      const result = await settle(() => action(input));
      if (result.ok) {
        setAsking(false);
        onDone?.();
      } else {
        setProblem(result.problem);
      }
    });

  // What a press does is decided when it is pressed: data that arrives later neither opens a dialog
  // nor takes away one in which somebody is typing.
  const press = (next: boolean) => {
    if (!next) setListed(false);
    else if (blocked) setListed(true);
    else if (!pending) {
      setProblem(null);
      if (confirm) setAsking(true);
      else void act({ key: newKey(), name: '', comment: '', options: {} });
    }
  };

  return (
    <>
      <Popover
        open={listed}
        onOpenChange={press}
        label={`What stands in the way: ${label}`}
        className="blockers"
        trigger={
          <button
            type="button"
            className={cx(buttonClass({ variant, size, wide }), 'primary')}
            aria-busy={pending || undefined}
          >
            {icon && <Icon name={icon} />}
            {pending ? (pendingLabel ?? label) : label}
            {blocked && (
              <>
                {' '}
                <span className="cnt">{blockersCount(blockers.length)}</span>
                <Icon name="chev" />
              </>
            )}
          </button>
        }
      >
        <p className="s m">
          {blocked ? blockersSentence(blockers) : `Nothing stands in the way any more. ${label}?`}
        </p>
        <BlockerList blockers={blockers} />
      </Popover>
      {confirm ? (
        <ConfirmDialog
          open={asking}
          onOpenChange={setAsking}
          label={label}
          pendingLabel={pendingLabel}
          confirm={confirm}
          variant={variant === 'stop' || variant === 'no' ? 'stop' : 'go'}
          pending={pending}
          problem={problem}
          blockers={blockers}
          onConfirm={act}
        />
      ) : (
        problem && <ProblemNote problem={problem} />
      )}
    </>
  );
}

/** A callback that throws has an unknown outcome: it is said, never guessed. */
async function settle(work: () => Promise<ActionResult>): Promise<ActionResult> {
  try {
    return await work();
  } catch {
    return {
      ok: false,
      problem: {
        code: 'NO_ANSWER',
        title: 'No answer came back.',
        detail:
          'It is not known whether it was done. Press again: if it was done, the first answer is given once more and nothing happens twice.',
      },
    };
  }
}
