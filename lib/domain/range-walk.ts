/**
 * The one walk over a range of partitions: what is computed, what is skipped and why, in which
 * order. A scheduled run is a range of one partition, a backfill a longer one; there is no second
 * function for either, because two would sooner or later differ. Partitions are only names here
 * (a date, a start instant): cutting time and replacing a partition are the store's business.
 */

export type SkipReason = `claimed_by:${string}` | 'sealed' | 'no_data';

/** What a run knows before it walks. Claims are read this once, and not again on the way. */
export interface WalkView {
  /** For whom the run is made: his own claims do not stop it. */
  readonly owner: string;
  /** Who has claimed which partition. */
  readonly claims: ReadonlyMap<string, string>;
  /** The partitions whose figures have been sent out. */
  readonly sealed: ReadonlySet<string>;
  /** Asked only of partitions that nothing else stops. */
  readonly hasData: (partition: string) => boolean;
}

export type Decision =
  | { readonly move: 'do'; readonly partition: string }
  | { readonly move: 'skip'; readonly partition: string; readonly reason: SkipReason };

/**
 * Decides for each partition of a range, in the order given, which is the order of the walk.
 *
 * Where several reasons hold, the first of `claimed_by`, `sealed`, `no_data` is told: the order in
 * which the range runner's contract lists them. Absence comes last because it is no obstacle: a
 * partition without data that is claimed or sealed still needs somebody's decision, and a run that
 * called it `no_data` would be green.
 *
 * @throws TypeError where the range names a partition twice
 */
export function decideWalk(partitions: readonly string[], view: WalkView): Decision[] {
  if (new Set(partitions).size !== partitions.length) {
    throw new TypeError('a range names each of its partitions once');
  }
  return partitions.map((partition) => {
    const reason = skipReason(partition, view);
    return reason === null ? { move: 'do', partition } : { move: 'skip', partition, reason };
  });
}

function skipReason(partition: string, view: WalkView): SkipReason | null {
  const holder = view.claims.get(partition);
  if (holder !== undefined && holder !== view.owner) return `claimed_by:${holder}`;
  if (view.sealed.has(partition)) return 'sealed';
  return view.hasData(partition) ? null : 'no_data';
}

/** What became of a partition that was to be done: its figures, or what came in between. */
export type Replaced<Figures> = { readonly figures: Figures } | { readonly reason: SkipReason };

export interface Walked<Figures> {
  readonly done: readonly { readonly partition: string; readonly figures: Figures }[];
  readonly skipped: readonly (readonly [partition: string, reason: SkipReason])[];
}

/**
 * Walks the decided range, one partition after the other.
 *
 * @param replace replaces one partition whole, in a transaction of its own: a range that is stopped
 *   halfway keeps what is done. It refuses what may not be written any more, such as a partition
 *   that was sealed since the decision.
 */
export async function walkRange<Figures>(
  decisions: readonly Decision[],
  replace: (partition: string) => Replaced<Figures> | Promise<Replaced<Figures>>,
): Promise<Walked<Figures>> {
  const done: { partition: string; figures: Figures }[] = [];
  const skipped: [string, SkipReason][] = [];
  for (const decision of decisions) {
    const { partition } = decision;
    const outcome = decision.move === 'do' ? await replace(partition) : decision;
    if ('figures' in outcome) done.push({ partition, figures: outcome.figures });
    else skipped.push([partition, outcome.reason]);
  }
  return { done, skipped };
}

/** Whether a run is green: nothing but absence stopped it anywhere. */
export function isGreen(skipped: Walked<unknown>['skipped']): boolean {
  return skipped.every(([, reason]) => reason === 'no_data');
}
