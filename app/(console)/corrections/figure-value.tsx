import { Figure } from '@/components/ui/figure';
import { isInstant } from '@/lib/domain/instant';

/** One side of a figure. A rollup may be a moment or a text; everything else is an exact number. */
export function Value({ value }: { value: string | null | undefined }) {
  if (value === null || value === undefined) return <span className="q">none</span>;
  return isInstant(value) ? <span className="nw">{value}</span> : <Figure value={value} />;
}

/** What one side has more than another; nothing is quiet, a difference is not. */
export function Difference({ value }: { value: string | null | undefined }) {
  if (value === null || value === undefined) {
    return (
      <span className="q" title="A minimum or maximum has no difference that means anything.">
        –
      </span>
    );
  }
  if (!/[1-9]/.test(value)) return <span className="q">0</span>;
  return (
    <span className="differs">
      <Figure value={value} signed />
    </span>
  );
}
