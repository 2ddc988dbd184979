import type { ReleaseStateName } from '@/components/release/states';
import { formatClock, nOfM, plural } from '@/lib/domain/figures';
import { isOver, type Move } from '@/lib/domain/lifecycle';
import { mayMake, nextMove } from '@/lib/domain/next-move';
import { may, rolesFor } from '@/lib/domain/permissions';
import type { Blocker } from '@/lib/domain/refusal';
import type { ReleaseHeader } from '@/lib/queries/release-header';
import { anyRole } from '../../roles';
import { ends, whenZoned } from '../../times';

/** What the page's one button asks before it acts, as plain data. */
export interface Asks {
  title: string;
  /** What will change, what will not, and how to come back from it: a paragraph each. */
  body: string[];
  comment?: 'optional' | 'required';
  commentLabel?: string;
}

/** The one thing in the head that is to be done, for the person who looks. */
export type Primary =
  | {
      kind: 'move';
      move: Move;
      /** Where the move's own name says too little. */
      label?: string;
      blockers: readonly Blocker[];
      asks: Asks | null;
      body: Record<string, unknown>;
    }
  /** Done on a page of its own, which shows what is signed or switched. */
  | { kind: 'link'; label: string; href: string; blockers: number }
  | { kind: 'stamp'; text: string; state: ReleaseStateName }
  | { kind: 'none' };

type Blocked = Partial<Record<Move, readonly Blocker[]>>;

/**
 * The next move for this person and this state, with everything that stands in its way; for who can
 * do nothing, whom it waits for.
 *
 * @param planDigest of the plan that the page shows of a draft
 */
export function primaryOf(
  header: ReleaseHeader,
  blocked: Blocked,
  planDigest: string | null,
): Primary {
  const { brief } = header;
  const stamp = (text: string): Primary => ({ kind: 'stamp', text, state: brief.turn.state });
  if (isOver(brief.turn.state)) return afterTheEnd(header);
  const move = nextMove(brief.turn);
  if (move === null) return stamp(waitingText(header));
  if (!mayMake(move, brief.person)) return stamp(notYours(header, move));
  const blockers = blocked[move] ?? [];
  const tab = tabOf(move, brief.release);
  if (tab !== null) return { kind: 'link', blockers: blockers.length, ...tab };
  return {
    kind: 'move',
    move,
    blockers,
    ...(move === 'retry' ? { label: 'Run the step again…' } : {}),
    asks: asksOf(header, move),
    body: move === 'pin' && planDigest !== null ? { planDigest } : {},
  };
}

/** Nothing more happens to it; whoever drafts may take it up in the next revision. */
function afterTheEnd({ brief }: ReleaseHeader): Primary {
  const again = brief.turn.state !== 'RETIRED' && may(brief.person.roles, 'release.create');
  if (!again) return { kind: 'none' };
  const from = encodeURIComponent(brief.release);
  return { kind: 'link', label: 'Next revision', href: `/releases/new?from=${from}`, blockers: 0 };
}

/** Moves that are made where their evidence is shown. */
function tabOf(move: Move, release: string): { label: string; href: string } | null {
  const base = `/releases/${release}`;
  switch (move) {
    case 'approve':
      return { label: 'Review and sign', href: `${base}/approval` };
    case 'sign-rollback':
      return { label: 'Sign the rollback', href: `${base}/approval` };
    case 'activate':
      return { label: 'Cut over…', href: `${base}/cutover` };
    default:
      return null;
  }
}

function waitingText({ brief }: ReleaseHeader): string {
  switch (brief.turn.state) {
    case 'INGRESS_SEALED':
      return 'The runner catches up to the barrier; nothing to do.';
    case 'CAUGHT_UP':
      return 'The runner reconciles at the barrier; nothing to do.';
    case 'ACTIVE':
      return brief.turn.rollingBack
        ? 'The runner rolls it back.'
        : brief.turn.serving
          ? 'It serves; nothing to do.'
          : 'Another generation serves.';
    default:
      return 'Nothing to do.';
  }
}

/** Why somebody sees a line where others see a button. */
function notYours({ brief }: ReleaseHeader, move: Move): string {
  const { person, turn } = brief;
  const signed = `${nOfM(turn.signed.cutover, turn.needed.cutover)} signed`;
  if (move === 'approve') {
    if (person.signedCutover) return `You have signed. ${signed}.`;
    return person.isAuthor && person.roles.includes('approver')
      ? `You wrote it, so you cannot sign it. ${signed}.`
      : `Waits for approvers, ${signed}.`;
  }
  if (move === 'sign-rollback') return 'Waits for an approver to sign the rollback.';
  if (move === 'activate') {
    return person.signedCutover && person.roles.includes('oncall')
      ? 'You signed it; the policy lets somebody else cut over.'
      : 'Waits for on-call to cut over.';
  }
  const who = anyRole(rolesFor(`release.${move}`));
  return `Waits for ${who} to ${WAITS[move] ?? move}.`;
}

const WAITS: Partial<Record<Move, string>> = {
  pin: 'pin it',
  build: 'start the build',
  rehearse: 'have it rehearsed',
  seal: 'seal ingress',
  retry: 'decide',
};

function asksOf(header: ReleaseHeader, move: Move): Asks | null {
  const { brief, now } = header;
  const { release, zone, turn } = brief;
  const generation = brief.targetGeneration ?? 'its generation';
  switch (move) {
    case 'pin':
      return {
        title: `Pin ${release}?`,
        body: [
          `Every field and the plan of ${intervalOf(header)} are frozen, and the facts that the generation in use has reached are written out as a snapshot.`,
          'Nothing is built yet. To change anything afterwards, make the next revision.',
        ],
      };
    case 'build':
      return {
        title: `Build ${generation}?`,
        body: [
          `${plural(turn.planned, 'partition')} of ${brief.dataset} are built beside ${header.oldGeneration ?? 'the generation in use'}. Readers and writers notice nothing.`,
          'It can be paused, and abandoned at any time before the cutover.',
        ],
      };
    case 'seal':
      return {
        title: `Seal ingress of ${brief.dataset}?`,
        body: [
          `Live writes to ${brief.dataset} stop until the cutover; the log goes on accepting events. The barrier is fixed at what the generation in use has reached.`,
          `Sealed for at most ${formatClock(brief.maxSealedSeconds ?? 0)}: then ingress reopens by itself and nothing is lost.`,
        ],
        comment: 'optional',
      };
    case 'retry':
      return {
        title: `Run the failed step of ${release} again?`,
        body: [
          `It stopped ${whenZoned(zone, brief.since.at, now).text}: ${brief.trouble ?? 'something does not agree'}`,
          'The decision is recorded with its reason. If the step fails again, it stops again.',
        ],
        comment: 'required',
        commentLabel: 'Why the step may be run again',
      };
    default:
      return null;
  }
}

function intervalOf({ brief }: ReleaseHeader): string {
  if (brief.from === null) return 'its range';
  const { from, to, zone } = ends(brief.zone, brief.from, brief.to);
  return `[${from}, ${to}) ${zone}`;
}
