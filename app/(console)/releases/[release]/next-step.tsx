'use client';

import { usePathname } from 'next/navigation';
import { KeepOpen } from '@/components/release/keep-open';
import { PrimaryAction } from '@/components/release/primary-action';
import { Stamp } from '@/components/release/state-badge';
import { RELEASE_LOOKS } from '@/components/release/states';
import { ButtonLink } from '@/components/ui/button';
import { plural } from '@/lib/domain/figures';
import { MOVE_LABELS } from '../../wait-words';
import { type Allowed, withFixes } from './blocker-fixes';
import { makeMove, type Shown } from './make-move';
import type { Primary } from './primary';

interface Props {
  primary: Primary;
  shown: Shown;
  allowed: Allowed;
}

/** The head's one button, or the line in its place. */
export function NextStep(props: Props) {
  const { primary } = props;
  return (
    <KeepOpen of={primary.kind === 'move' ? primary.move : ''}>
      <Step {...props} />
    </KeepOpen>
  );
}

function Step({ primary, shown, allowed }: Props) {
  const path = usePathname();
  if (primary.kind === 'none') return null;
  if (primary.kind === 'stamp') {
    return <Stamp look={RELEASE_LOOKS[primary.state]}>{primary.text}</Stamp>;
  }
  if (primary.kind === 'link') {
    // on that page itself the button is where its evidence is
    if (path === primary.href) return null;
    return (
      <ButtonLink
        variant="go"
        href={primary.href}
        count={primary.blockers > 0 ? plural(primary.blockers, 'blocker') : undefined}
      >
        {primary.label}
      </ButtonLink>
    );
  }
  const { move, asks, body } = primary;
  const { label, pending } = MOVE_LABELS[move];
  return (
    <PrimaryAction
      // another move is another button: nothing of an open dialog is carried over
      key={move}
      label={primary.label ?? label}
      pendingLabel={pending}
      blockers={withFixes(primary.blockers, shown, allowed)}
      {...(asks
        ? {
            confirm: {
              title: asks.title,
              confirmLabel: label,
              body: <Paragraphs texts={asks.body} />,
              ...(asks.comment ? { comment: asks.comment } : {}),
              ...(asks.commentLabel ? { commentLabel: asks.commentLabel } : {}),
            },
          }
        : {})}
      action={({ key, comment }) =>
        makeMove(shown, move, { key, body: { ...body, ...(comment ? { comment } : {}) } })
      }
    />
  );
}

export function Paragraphs({ texts }: { texts: readonly string[] }) {
  return (
    <div className="col">
      {texts.map((text) => (
        <p key={text}>{text}</p>
      ))}
    </div>
  );
}
