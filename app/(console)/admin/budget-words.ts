import { figureText } from '@/components/ui/figure-text';
import { durationText } from '@/components/ui/progress';
import { buildWaits } from '@/lib/domain/build-waits';
import { notEnforced } from '@/lib/domain/release';
import type { AdminBudget, BudgetFigure } from '@/lib/queries/admin-budgets';

/** A figure of a budget in words: what is used of what may be, and what there is to say of it. */
export interface BudgetWords {
  figure: string;
  notes: string[];
  over: boolean;
}

const inSeconds = (seconds: string) => durationText(Number(seconds));

const SAID: Record<BudgetFigure, { text: (value: string) => string; unused: string }> = {
  concurrency: { text: figureText, unused: '' },
  sourceRowsPerSecond: { text: figureText, unused: 'none read now' },
  warehouseSeconds: { text: inSeconds, unused: '' },
  maxLiveLagSeconds: { text: inSeconds, unused: '' },
  maxBufferedEvents: { text: figureText, unused: 'not sealed' },
  maxSealedSeconds: { text: inSeconds, unused: 'not sealed' },
};

type Row = Pick<AdminBudget, 'limits' | 'ceilings' | 'used' | 'lagAtSeal'>;

/** What a release uses of one figure, what it may use now, and the frozen ceiling where that differs. */
export function budgetWords(name: BudgetFigure, row: Row): BudgetWords {
  const { text, unused } = SAID[name];
  const [limit, ceiling, used] = [row.limits[name], row.ceilings[name], row.used[name]];
  const notes: string[] = [];
  if (used === null) notes.push(unused);
  else if (limit === null) notes.push('no limit');
  if (ceiling !== null && ceiling !== limit) notes.push(`at most ${text(ceiling)}`);
  if (name === 'maxLiveLagSeconds' && row.lagAtSeal) notes.push('at the seal');
  if (limit !== null && nothingEnforces(name)) notes.push('not enforced');
  return {
    figure: figureOf(limit === null ? null : text(limit), used === null ? null : text(used)),
    notes,
    over: used !== null && limit !== null && BigInt(used) > BigInt(limit),
  };
}

function figureOf(limit: string | null, used: string | null): string {
  if (limit === null) return used ?? 'no limit';
  return used === null ? `up to ${limit}` : `${used} of ${limit}`;
}

const given = { concurrency: 1, maxSealedSeconds: 1, maxBufferedEvents: 1, maxLiveLagSeconds: 1 };

/** Asked of a budget that has the figure: which ones these are is said in one place. */
const nothingEnforces = (name: BudgetFigure) =>
  notEnforced({ budget: { ...given, [name]: 1 } }).includes(`/budget/${name}`);

/** Every reason why a release does not use what it may. */
export function waitWords(row: AdminBudget): string[] {
  const waits = buildWaits(row).map(({ text }) => text);
  if (row.state === 'RECONCILIATION_REQUIRED') {
    waits.unshift(row.trouble ?? 'what does not agree has to be decided');
  }
  return waits;
}
