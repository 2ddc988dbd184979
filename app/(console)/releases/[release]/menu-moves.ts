import type { IconName } from '@/components/ui/icon';
import { formatClock } from '@/lib/domain/figures';
import { isOver, type Move, transitionOf } from '@/lib/domain/lifecycle';
import { may, type Role } from '@/lib/domain/permissions';
import type { ReleaseHeader } from '@/lib/queries/release-header';
import type { Asks } from './primary';

/** One line of the menu: a move with what it asks, or a way to somewhere. */
export type MenuItem =
  | { kind: 'move'; move: Move; label: string; icon: IconName; asks: Asks | null; stops: boolean }
  | { kind: 'link'; label: string; icon: IconName; href: string };

/** What else can be done with a release now, by this person: stops, flags, the next revision. */
export function menuOf(header: ReleaseHeader): MenuItem[] {
  const { brief } = header;
  const { turn, person } = brief;
  const open = (move: Move) =>
    may(person.roles, `release.${move}`) && transitionOf(move, turn.state, turn.cutOver) !== null;
  const items: MenuItem[] = [];
  const add = (item: Omit<Extract<MenuItem, { kind: 'move' }>, 'kind' | 'stops'>, stops = false) =>
    items.push({ kind: 'move', stops, ...item });

  if (brief.paused ? open('resume') : open('pause')) add(pauseItem(header));
  if (brief.held ? open('unhold') : open('hold')) add(holdItem(header));
  if (open('drill') && turn.rehearsal === 'passed' && header.drill?.outcome !== null) {
    add(drillItem(header));
  }
  if (open('reopen')) add(reopenItem(header));
  if (open('rollback') && turn.serving && !turn.rollingBack) {
    items.push(link('Roll back…', 'back', '/oncall'));
  }
  if (may(person.roles, 'release.create')) {
    const from = encodeURIComponent(brief.release);
    items.push(link('Next revision', 'plus', `/releases/new?from=${from}`));
  }
  if (open('reject')) add(rejectItem(header), true);
  if (open('abandon')) add(abandonItem(header), true);
  return items;
}

const link = (label: string, icon: IconName, href: string): MenuItem => ({
  kind: 'link',
  label,
  icon,
  href,
});

function pauseItem({ brief }: ReleaseHeader) {
  return brief.paused
    ? { move: 'resume' as const, label: 'Resume', icon: 'play' as const, asks: null }
    : {
        move: 'pause' as const,
        label: 'Pause…',
        icon: 'pause' as const,
        asks: {
          title: `Pause ${brief.release}?`,
          body: ['No new work begins. What runs is finished, and nothing that was built is lost.'],
          comment: 'optional' as const,
          commentLabel: 'Why, optional',
        },
      };
}

function holdItem({ brief }: ReleaseHeader) {
  return brief.held
    ? { move: 'unhold' as const, label: 'Lift the hold', icon: 'play' as const, asks: null }
    : {
        move: 'hold' as const,
        label: 'Hold…',
        icon: 'lock' as const,
        asks: {
          title: `Hold ${brief.release}?`,
          body: [
            'It does not move forward: no seal, no signature, no cutover, until the hold is lifted. The cutover itself reads the hold.',
          ],
          comment: 'optional' as const,
          commentLabel: 'Why, optional',
        },
      };
}

function drillItem({ brief, drill }: ReleaseHeader) {
  return {
    move: 'drill' as const,
    label: 'Drill…',
    icon: 'back' as const,
    asks: {
      title: `Drill the cutover and rollback of ${brief.release}?`,
      body: [
        `The whole of it is done on a fork of ${brief.dataset}: seal, catch-up, reconciliation, cutover, live writes, rollback. It is timed, what came back is compared, and the fork is dropped.`,
        'Readers, live writes, the epoch and every row of production stay as they are.',
        `It costs copies: every row of ${brief.targetGeneration} once, and until it ends each partition that live writes touch.`,
        ...(drill?.rollbackSeconds == null
          ? []
          : [`The last one rolled back in ${formatClock(drill.rollbackSeconds)}.`]),
      ],
      comment: 'optional' as const,
      commentLabel: 'Why, optional',
    },
  };
}

function reopenItem({ brief }: ReleaseHeader) {
  return {
    move: 'reopen' as const,
    label: 'Reopen ingress…',
    icon: 'active' as const,
    asks: {
      title: `Reopen ingress of ${brief.dataset}?`,
      body: [
        'Live writes go on under the next epoch on the old generation, and the release falls back to building.',
        'Signatures on its evidence become void. What was built stays.',
      ],
      comment: 'optional' as const,
      commentLabel: 'Why, optional',
    },
  };
}

function rejectItem({ brief }: ReleaseHeader) {
  return {
    move: 'reject' as const,
    label: 'Reject…',
    icon: 'bad' as const,
    asks: {
      title: `Reject ${brief.release}?`,
      body: [
        `It ends here: what it sealed is reopened and ${brief.targetGeneration} is dropped. Its authors can make the next revision.`,
      ],
      comment: 'required' as const,
      commentLabel: 'What is wrong with it',
    },
  };
}

function abandonItem({ brief }: ReleaseHeader) {
  const candidate = brief.turn.state === 'DRAFT' ? '' : ` and ${brief.targetGeneration} is dropped`;
  return {
    move: 'abandon' as const,
    label: 'Abandon…',
    icon: 'void' as const,
    asks: {
      title: `Abandon ${brief.release}?`,
      body: [
        `It ends here: what it sealed is reopened${candidate}. What runs is drained. It cannot be taken up again; the next revision can.`,
      ],
      comment: 'optional' as const,
      commentLabel: 'Why, optional',
    },
  };
}

/** Moves that a person's roles allow, whatever the state: for the small actions beside blockers. */
export function allowedMoves(roles: readonly Role[], state: string): Move[] {
  if (isOver(state as never)) return [];
  const asked: Move[] = ['pin', 'unhold', 'resume', 'retry', 'rehearse'];
  return asked.filter((move) => may(roles, `release.${move}`));
}
