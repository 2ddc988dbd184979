'use client';

import Link from 'next/link';
import { DropdownMenu } from 'radix-ui';
import { useState } from 'react';
import type { ActionProblem } from '@/components/release/blockers';
import { ConfirmDialog, type ConfirmInput, newKey } from '@/components/release/confirm-dialog';
import { ProblemNote } from '@/components/release/problem-note';
import { useOnce } from '@/components/release/use-once';
import { cx } from '@/components/ui/cx';
import { Dialog } from '@/components/ui/dialog';
import { Icon } from '@/components/ui/icon';
import { MOVE_LABELS } from '../../wait-words';
import { makeMove, type Shown } from './make-move';
import type { MenuItem } from './menu-moves';
import { Paragraphs } from './next-step';

type MoveItem = Extract<MenuItem, { kind: 'move' }>;

/** Everything else that can be done: flags, stops, the next revision. */
export function MoreMenu({ items, shown }: { items: readonly MenuItem[]; shown: Shown }) {
  const [asked, setAsked] = useState<MoveItem | null>(null);
  const [open, setOpen] = useState(false);
  const [problem, setProblem] = useState<ActionProblem | null>(null);
  const [pending, once] = useOnce();
  // a dialog of it that stands open keeps what was typed
  if (items.length === 0 && !open) return null;

  const act = (item: MoveItem, { key, comment }: Pick<ConfirmInput, 'key' | 'comment'>) =>
    once(async () => {
      setProblem(null);
      const result = await makeMove(shown, item.move, {
        key,
        body: comment ? { comment } : {},
      });
      if (result.ok) setOpen(false);
      else {
        setProblem(result.problem);
        setOpen(true);
      }
    });
  const choose = (item: MoveItem) => {
    setProblem(null);
    setAsked(item);
    if (item.asks) setOpen(true);
    else void act(item, { key: newKey(), comment: '' });
  };

  return (
    <>
      <DropdownMenu.Root modal={false}>
        <DropdownMenu.Trigger asChild>
          <button type="button" className="btn more-moves" aria-label={`More for ${shown.release}`}>
            <Icon name="more" />
          </button>
        </DropdownMenu.Trigger>
        <DropdownMenu.Portal>
          <DropdownMenu.Content className="pop float menu" align="end" sideOffset={8}>
            {items.map((item) =>
              item.kind === 'link' ? (
                <DropdownMenu.Item key={item.label} asChild>
                  <Link href={item.href}>
                    <Icon name={item.icon} />
                    {item.label}
                  </Link>
                </DropdownMenu.Item>
              ) : (
                <DropdownMenu.Item
                  key={item.label}
                  className={cx(item.stops && 'bad')}
                  onSelect={() => choose(item)}
                >
                  <Icon name={item.icon} />
                  {item.label}
                </DropdownMenu.Item>
              ),
            )}
          </DropdownMenu.Content>
        </DropdownMenu.Portal>
      </DropdownMenu.Root>
      {asked?.asks && (
        <ConfirmDialog
          open={open}
          onOpenChange={setOpen}
          label={MOVE_LABELS[asked.move].label}
          pendingLabel={MOVE_LABELS[asked.move].pending}
          variant={asked.stops ? 'stop' : 'go'}
          pending={pending}
          problem={problem}
          confirm={{
            title: asked.asks.title,
            body: <Paragraphs texts={asked.asks.body} />,
            ...(asked.asks.comment ? { comment: asked.asks.comment } : {}),
            ...(asked.asks.commentLabel ? { commentLabel: asked.asks.commentLabel } : {}),
          }}
          onConfirm={(input) => void act(asked, input)}
        />
      )}
      {asked && !asked.asks && problem && (
        <Dialog open={open} onOpenChange={setOpen} title={`${asked.label} was not done`}>
          <ProblemNote problem={problem} />
        </Dialog>
      )}
    </>
  );
}
