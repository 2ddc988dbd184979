import { formatClock, nOfM, plural } from '@/lib/domain/figures';
import type { Blocker } from '@/lib/domain/refusal';
import type { ReconciliationView, ReleaseView } from '@/lib/queries/release-view';
import { blockerText, count, fields, lines, shortDigest } from './print';

/** A release as the API gives it. */
export type Release = ReleaseView & { blockers?: Record<string, readonly Blocker[]> };

/** A release for people: where it stands, what it rests on, what stands in its way. */
export function releaseText(release: Release): string {
  const { spec, progress, transforms, evidence, generation, approvalsNeeded } = release;
  const range = spec.range as { from?: string; to?: string } | undefined;
  const head = fields([
    ['release', release.release],
    ['state', stateText(release)],
    ['dataset', release.dataset],
    ['range', range && `[${range.from}, ${range.to})`],
    ['transform', `${shortDigest(transforms.old)} → ${shortDigest(transforms.new)}`],
    ['generation', generation && `${generation.name} (${generation.state})`],
    ['digest', release.digest],
    ['plan', release.planDigest],
    ['built', progressText(progress)],
    ['quarantined', release.quarantined > 0 ? count(release.quarantined) : null],
    ['rehearsal', comparisonText(release.rehearsal)],
    ['reconciliation', comparisonText(release.reconciliation)],
    ['evidence', evidence?.digest],
    ['signatures', signaturesText(release, 'cutover', approvalsNeeded.cutover)],
    ['for rollback', signaturesText(release, 'rollback', approvalsNeeded.rollback)],
    ['drill', drillText(release.drill)],
    ['authors', release.authors.map(({ person }) => person).join(', ')],
    [
      'trouble',
      release.trouble &&
        `${release.trouble.code} in ${release.trouble.step}: ${release.trouble.why ?? ''}`,
    ],
  ]);
  const blockers = Object.entries(release.blockers ?? {}).map(
    ([move, list]) =>
      `${move}: ${list.length === 0 ? 'open' : ''}\n${lines(list.map((each) => `  ${blockerText(each)}`))}`,
  );
  const states = lines(
    release.states.map(
      ({ state, at, by, why }) => `${at}  ${state}  ${by}${why ? `: ${why}` : ''}`,
    ),
  );
  return `${head}\n${blockers.join('')}\n${states}`;
}

/** `BUILDING (working, paused by ben: lunch)`. */
export function stateText({ state, flags, paused, held, serving }: Release): string {
  const flag = (name: string, raised: { by: string; why: string | null } | null) =>
    raised ? [`${name} by ${raised.by}${raised.why ? `: ${raised.why}` : ''}`] : [];
  const notes = [
    ...(serving ? ['serving'] : []),
    ...(flags.working ? ['working'] : []),
    ...(flags.draining ? ['draining'] : []),
    ...flag('paused', paused),
    ...flag('held', held),
  ];
  return notes.length === 0 ? state : `${state} (${notes.join(', ')})`;
}

export function progressText({ planned, receipts, running, failed }: Release['progress']): string {
  const more = [
    ...(running > 0 ? [`${count(running)} running`] : []),
    ...(failed > 0 ? [`${count(failed)} failed`] : []),
  ];
  return [`${nOfM(receipts, planned)} partitions`, ...more].join(', ');
}

function comparisonText(comparison: ReconciliationView | null): string | null {
  if (comparison === null) return null;
  const { verdict, compared, changed, unexplained, drift, kind, current, why } = comparison;
  const stale =
    kind === 'rehearsal' && verdict === 'passed' && !current ? ', older than a receipt' : '';
  return (
    `${verdict}${stale}: ${plural(compared, 'row')} compared, ${count(changed)} changed, ` +
    `${count(unexplained)} unexplained, ${count(drift)} drift${why ? ` (${why})` : ''}`
  );
}

/** `passed, rolled back in 2:06`. */
function drillText(drill: ReleaseView['drill'] | undefined): string | null {
  if (!drill) return null;
  if (drill.outcome === null) return `running: ${drill.steps.at(-1)?.step ?? 'not begun'}`;
  if (drill.outcome === 'failed') return `failed: ${drill.why ?? ''}`;
  return `passed, rolled back in ${formatClock(drill.rollbackSeconds ?? 0)}`;
}

function signaturesText(
  { signatures }: Release,
  kind: 'cutover' | 'rollback',
  needed: number | null,
): string | null {
  const given = signatures.filter((each) => each.kind === kind);
  if (given.length === 0 && needed === null) return null;
  const people = given.map(({ person, standing, void: why }) =>
    standing ? person : `${person} (${why})`,
  );
  const standing = given.filter((each) => each.standing).length;
  const text = needed === null ? count(standing) : nOfM(standing, needed);
  return people.length === 0 ? text : `${text}: ${people.join(', ')}`;
}
