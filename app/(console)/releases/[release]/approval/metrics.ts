import { readDecimal, subtractDecimals } from '@/lib/domain/decimal';
import type { Instant } from '@/lib/domain/instant';
import type { ApprovalPage } from '@/lib/queries/approval-view';
import { rollup } from '@/lib/web/api/figures';
import { webDatabase } from '@/lib/web/db';

/** One rollup of the dataset over the release's range, in both generations; exact text. */
export interface MetricChange {
  name: string;
  now: string | null;
  after: string | null;
  /** Null where it is no number. */
  difference: string | null;
}

/**
 * The dataset's rollups in the generation in use and in the candidate. Only while both stand at the
 * barrier: before it they would be of different facts, after the cutover of different moments.
 */
export async function compareMetrics(page: ApprovalPage): Promise<MetricChange[]> {
  const { generation, oldGeneration, from, to, atBarrier } = page;
  if (generation === null || oldGeneration === null || from === null) return [];
  if (page.evidence === null || !atBarrier?.old || !atBarrier.candidate) return [];
  if (page.state !== 'RECONCILED' && page.state !== 'APPROVED') return [];
  const span = { from: from as Instant, ...(to === null ? {} : { to: to as Instant }) };
  const of = (name: string) =>
    rollup(webDatabase(), { dataset: page.dataset, generation: name, ...span });
  const [now, after] = [await of(oldGeneration), await of(generation)];
  return Object.keys(after.metrics).map((name) => {
    const sides = { now: now.metrics[name] ?? null, after: after.metrics[name] ?? null };
    return { name, ...sides, difference: differenceOf(sides.now, sides.after) };
  });
}

function differenceOf(now: string | null, after: string | null): string | null {
  if (now === null || after === null) return null;
  if (readDecimal(now) === null || readDecimal(after) === null) return null;
  return subtractDecimals(after, now);
}
