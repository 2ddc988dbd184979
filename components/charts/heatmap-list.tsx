import Link from 'next/link';
import { useMemo } from 'react';
import { countText, figureText } from '@/components/ui/figure-text';
import { type HeatCell, strongest } from './heatmap-bins';
import { type Edges, intervalText } from './partition-cells';

const LISTED = 20;

/** The cells with the most rows, the unexplained ones first, beside the picture. */
export function HeatmapList({
  cells,
  edges,
  hrefOf,
}: {
  cells: readonly HeatCell[];
  edges: Edges;
  /** Where a cell's rows are listed. */
  hrefOf?: (partition: number, bucket: number) => string;
}) {
  const listed = useMemo(() => strongest(cells, LISTED), [cells]);
  if (listed.length === 0) return null;
  return (
    <details className="s heat-list">
      <summary>
        The {countText(listed.length, 'strongest cell', 'strongest cells')} as a list
      </summary>
      <div className="scroll">
        <table>
          <thead>
            <tr>
              <th scope="col">Partition</th>
              <th scope="col" className="n">
                Bucket
              </th>
              <th scope="col" className="n">
                Rows
              </th>
              <th scope="col" className="n">
                Unexplained
              </th>
            </tr>
          </thead>
          <tbody>
            {listed.map(([partition, bucket, rows, unexplained = 0]) => (
              <tr key={`${partition} ${bucket}`}>
                <td>{intervalText(edges, partition)}</td>
                <td className="n">{bucket}</td>
                <td className="n">
                  {hrefOf ? (
                    <Link href={hrefOf(partition, bucket)}>{figureText(rows)}</Link>
                  ) : (
                    figureText(rows)
                  )}
                </td>
                <td className={unexplained > 0 ? 'n bad' : 'n'}>{figureText(unexplained)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}
