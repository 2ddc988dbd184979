import type { IconName } from '@/components/ui/icon';
import { nOfM, plural } from '@/lib/domain/figures';
import type { Move } from '@/lib/domain/lifecycle';
import type { Turn, Wait } from '@/lib/domain/next-move';
import type { ReleaseBrief } from '@/lib/queries/release-brief';

/** What a release waits for, as a list of things to do shows it. */
export interface WaitText {
  title: string;
  detail: string;
  /** The button: what is done there. */
  button: string;
  href: string;
  icon: IconName;
}

/** Says what waits, in the words of the move, and where it is done. */
export function waitText(brief: ReleaseBrief, { move }: Wait): WaitText {
  const { release, turn } = brief;
  const page = `/releases/${release}`;
  const open = (title: string, detail: string, icon: IconName, button = 'Open', tab = '') => ({
    title,
    detail,
    button,
    icon,
    href: `${page}${tab}`,
  });
  switch (move) {
    case 'pin':
      return open(`Pin ${release}`, 'a draft of yours', 'doc', 'Open draft', '/edit');
    case 'build':
      return open(
        `Start the build of ${release}`,
        `${plural(turn.planned, 'partition')} planned`,
        'play',
      );
    case 'resume':
      return open(
        `Resume ${release}`,
        `paused by ${brief.paused?.by}${brief.paused?.why ? `: ${brief.paused.why}` : ''}`,
        'pause',
      );
    case 'rehearse':
      return open(`Rehearse ${release}`, `all ${plural(turn.planned, 'partition')} built`, 'flow');
    case 'seal':
      return turn.rehearsal === 'failed'
        ? open(
            `Answer the rehearsal of ${release}`,
            rehearsalText(brief),
            'neq',
            'Read it',
            '/reconciliation',
          )
        : open(`Seal ingress for ${release}`, 'rehearsed, 0 unexplained', 'lock', 'Review');
    case 'approve':
      return open(
        `Sign the cutover of ${release}`,
        `${nOfM(turn.signed.cutover, turn.needed.cutover)} signed`,
        'sign',
        'Review and sign',
        '/approval',
      );
    case 'sign-rollback':
      return open(
        `Sign the rollback of ${release}`,
        'without a signature nobody can roll back',
        'back',
        'Review',
        '/approval',
      );
    case 'activate':
      return open(
        `Cut over to ${brief.targetGeneration}`,
        `${release}, ${nOfM(turn.signed.cutover, turn.needed.cutover)} signed`,
        'active',
        'Review',
        '/cutover',
      );
    case 'retry':
      return turn.state === 'RECONCILIATION_REQUIRED'
        ? open(`Decide on ${release}`, brief.trouble ?? 'something does not agree', 'bad')
        : open(
            `Retry ${plural(turn.failed, 'partition')} of ${release}`,
            `${nOfM(turn.receipts, turn.planned)} built`,
            'bad',
            'Open',
            '?state=failed',
          );
    case 'revise':
      return {
        ...open(`Revise ${release}`, rejectionText(brief), 'bad', 'Next revision'),
        href: `/releases/new?${new URLSearchParams({ from: release })}`,
      };
    default:
      return open(release, move, 'wait');
  }
}

/** A list shows so much of a comment; all of it stands where the release is revised. */
const LONGEST_COMMENT = 240;

function rejectionText({ since: { by, why } }: ReleaseBrief): string {
  if (!why) return `rejected by ${by}`;
  const short = why.length > LONGEST_COMMENT ? `${why.slice(0, LONGEST_COMMENT).trimEnd()}…` : why;
  return `rejected by ${by}: “${short}”`;
}

function rehearsalText({ unexplained }: ReleaseBrief): string {
  return unexplained === '0'
    ? 'a check failed'
    : `${plural(BigInt(unexplained), 'row')} unexplained`;
}

/** Who does what next, for whoever looks: "two approvers sign", "the runner builds". */
export function nextText({ turn, running }: ReleaseBrief): { next: string; detail: string } {
  const say = (next: string, detail = '') => ({ next, detail });
  const signed = `${nOfM(turn.signed.cutover, turn.needed.cutover)} signatures`;
  switch (turn.state) {
    case 'DRAFT':
      return say('its author pins it');
    case 'SNAPSHOT_PINNED':
      return say('owner starts the build', plural(turn.planned, 'partition'));
    case 'BUILDING':
      return buildingText(turn, running);
    case 'INGRESS_SEALED':
      return say('runner catches up to the barrier');
    case 'CAUGHT_UP':
      return say('runner reconciles at the barrier');
    case 'RECONCILED':
      return say('approvers sign', signed);
    case 'APPROVED':
      return say('on-call cuts over', signed);
    case 'ACTIVE':
      return turn.rollingBack
        ? say('runner rolls it back')
        : say(turn.serving ? 'retires after its window' : 'served before, kept');
    case 'RECONCILIATION_REQUIRED':
      return say('owner decides', 'every forward move is blocked');
    default:
      return say('over');
  }
}

function buildingText(turn: Turn, running: number) {
  const built = nOfM(turn.receipts, turn.planned);
  const say = (next: string, detail: string) => ({ next, detail });
  if (turn.failed > 0) return say('owner retries', `${plural(turn.failed, 'partition')} failed`);
  if (turn.paused) return say('paused', `${built} built`);
  if (turn.receipts < turn.planned) {
    return say('runner builds', `${built}, ${plural(running, 'worker')}`);
  }
  if (turn.rehearsal === 'running') return say('runner rehearses', built);
  if (turn.rehearsal === 'passed') return say('on-call seals ingress', 'rehearsed, 0 unexplained');
  if (turn.rehearsal === 'failed') return say('owner answers the rehearsal', 'a check failed');
  return say('owner asks for a rehearsal', `${built} built`);
}

/** "Start the build", the button of a move. */
export const MOVE_LABELS: Record<Move, { label: string; pending: string }> = {
  pin: { label: 'Pin snapshot', pending: 'Pinning…' },
  build: { label: 'Start the build', pending: 'Starting…' },
  rehearse: { label: 'Rehearse', pending: 'Asking…' },
  drill: { label: 'Drill', pending: 'Asking…' },
  seal: { label: 'Seal ingress', pending: 'Sealing…' },
  reopen: { label: 'Reopen ingress', pending: 'Reopening…' },
  accept: { label: 'Accept', pending: 'Accepting…' },
  approve: { label: 'Sign the cutover', pending: 'Signing…' },
  reject: { label: 'Reject', pending: 'Rejecting…' },
  'sign-rollback': { label: 'Sign the rollback', pending: 'Signing…' },
  activate: { label: 'Cut over', pending: 'Cutting over…' },
  rollback: { label: 'Roll back', pending: 'Asking…' },
  'call-off': { label: 'Call off', pending: 'Calling off…' },
  abandon: { label: 'Abandon', pending: 'Abandoning…' },
  pause: { label: 'Pause', pending: 'Pausing…' },
  resume: { label: 'Resume', pending: 'Resuming…' },
  hold: { label: 'Hold', pending: 'Holding…' },
  unhold: { label: 'Lift the hold', pending: 'Lifting…' },
  retry: { label: 'Retry', pending: 'Retrying…' },
  limits: { label: 'Change limits', pending: 'Changing…' },
};
