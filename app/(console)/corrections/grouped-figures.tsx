import type { ReactNode } from 'react';
import { cx } from '@/components/ui/cx';
import type { FigureLine } from './figure-lines';
import { Difference, Value } from './figure-value';

/** Records with several figures each: a line that says which, and under it a line per figure. */
export function GroupedFigures({
  caption,
  heads,
  withDifference = true,
  groups,
}: {
  caption: string;
  /** Of the sides, in order. */
  heads: readonly string[];
  withDifference?: boolean;
  groups: readonly { key: string; head: ReactNode; lines: readonly FigureLine[] }[];
}) {
  const columns = heads.length + (withDifference ? 2 : 1);
  return (
    <div className="scroll">
      <table className={cx('cards figure-groups', columns === 4 && 'c3')}>
        <caption className="sr">{caption}</caption>
        <thead>
          <tr>
            <th scope="col">Figure</th>
            {heads.map((head) => (
              <th key={head} scope="col" className="n">
                {head}
              </th>
            ))}
            {withDifference && (
              <th scope="col" className="n">
                Difference
              </th>
            )}
          </tr>
        </thead>
        {groups.map(({ key, head, lines }) => (
          <tbody key={key}>
            <tr className="of">
              <th scope="rowgroup" colSpan={columns} className="full">
                {head}
              </th>
            </tr>
            {lines.map((line) => (
              <tr key={line.key}>
                <td className="full name">
                  {line.name} {line.kind && <span className="q">{line.kind}</span>}
                </td>
                {line.values.map((value, at) => (
                  <td key={heads[at]} className="n" data-l={heads[at]}>
                    <Value value={value} />
                  </td>
                ))}
                {withDifference && (
                  <td className="n" data-l="Difference">
                    <Difference value={line.delta} />
                  </td>
                )}
              </tr>
            ))}
          </tbody>
        ))}
      </table>
    </div>
  );
}
