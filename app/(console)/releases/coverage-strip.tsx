import { mergeSpans } from '@/components/charts/strip-spans';
import { nOfM } from '@/lib/domain/figures';
import type { ReleaseBrief } from '@/lib/queries/release-brief';

const REACHED: Record<string, string> = {
  CAUGHT_UP: 'k',
  RECONCILED: 'r',
  APPROVED: 'r',
  ACTIVE: 'r',
  RETIRED: 'r',
  ROLLED_BACK: 'r',
};

/** The plan of a release as a small band, and how much of it has its receipt. */
export function CoverageStrip({ brief, strip }: { brief: ReleaseBrief; strip: string }) {
  const { turn } = brief;
  if (strip === '') return <span className="q">not planned yet</span>;
  const shown = strip.replaceAll('b', REACHED[turn.state] ?? 'b');
  const text = `${nOfM(turn.receipts, turn.planned)} built`;
  return (
    <>
      <span className="strip-mini" role="img" aria-label={text}>
        {mergeSpans(shown).map((span) => (
          <i key={span.from} className={span.code} style={{ flex: span.to - span.from }} />
        ))}
      </span>
      <span className="s">
        {nOfM(turn.receipts, turn.planned)}
        {turn.failed > 0 && <span className="bad">, {turn.failed} failed</span>}
      </span>
    </>
  );
}
