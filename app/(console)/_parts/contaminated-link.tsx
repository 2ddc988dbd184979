import Link from 'next/link';
import { StateBadge } from '@/components/release/state-badge';
import { figureText } from '@/components/ui/figure-text';

/** How many contaminated ranges a dataset has, where there are any; leads to them. */
export function ContaminatedLink({
  dataset,
  count,
  pill = false,
}: {
  dataset: string;
  count: number;
  pill?: boolean;
}) {
  if (count === 0) return null;
  return (
    <Link
      className="block contaminated"
      href={`/datasets/${dataset}#contaminated`}
      title="Ranges whose served values are known to be wrong"
    >
      <StateBadge flag="contaminated" pill={pill}>
        {figureText(count)} contaminated
      </StateBadge>
    </Link>
  );
}
