import { Fragment, type ReactNode } from 'react';
import { cx } from '@/components/ui/cx';
import { Icon, type IconName } from '@/components/ui/icon';
import { cellMark, type DiffSide, type DiffSides } from './row-diff-marks';
import type { Hue } from './states';

/** What happened to a row, from old to new; `other` classes are shown with their own name. */
export type DiffClass = 'changed' | 'added' | 'removed' | 'drift' | 'equal' | (string & {});

const CLASSES: Record<string, { icon: IconName; hue?: Hue }> = {
  changed: { icon: 'neq' },
  added: { icon: 'added' },
  removed: { icon: 'minus' },
  drift: { icon: 'drift', hue: 'wait' },
  equal: { icon: 'dot' },
  unexplained: { icon: 'bad', hue: 'bad' },
  control_error: { icon: 'warn', hue: 'wait' },
  quarantined: { icon: 'warn', hue: 'wait' },
};

export interface RowDiffColumn {
  name: string;
  /** Numbers stand right. */
  number?: boolean;
}

/** One row; the sides' texts are in the order of `compared`. */
export interface RowDiffRow extends DiffSides {
  key: string;
  class: DiffClass;
  /** The class was not explained by a rule: it blocks. */
  unexplained?: boolean;
  /** Texts of the columns that stand once, in the order of `once`: key, time, what is equal. */
  once: readonly (string | null)[];
  /** Rules that explain it. */
  rules: readonly string[];
}

/**
 * The row diff: what is equal once at the left, then old as served, control (the old transform on
 * the same facts) and new. Changed cells are tinted, and the heads say which side is which. Without
 * `control` (a dry sample) only old and new are shown, and no rules, which explain only what was
 * compared with a control. It scrolls inside its panel.
 */
export function RowDiff({
  once,
  compared,
  rows,
  withControl = true,
  caption = 'Differing rows: old, control, new',
}: {
  once: readonly RowDiffColumn[];
  compared: readonly RowDiffColumn[];
  rows: readonly RowDiffRow[];
  withControl?: boolean;
  caption?: string;
}) {
  const sides = withControl ? (['old', 'control', 'new'] as const) : (['old', 'new'] as const);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
    <section className="scroll" aria-label={caption} tabIndex={0}>
      <table className="diff">
        <caption className="sr">{caption}</caption>
        <thead>
          <tr>
            <td colSpan={once.length + 1} />
            {sides.map((side) => (
              <th key={side} className="g" colSpan={compared.length} scope="colgroup">
                {HEADS[side]}
              </th>
            ))}
            {withControl && <td className="g" />}
          </tr>
          <tr>
            <th scope="col">Class</th>
            {once.map((column) => (
              <th key={column.name} scope="col" className={column.number ? 'n' : undefined}>
                {column.name}
              </th>
            ))}
            {sides.map((side) =>
              compared.map((column, at) => (
                <th
                  key={`${side} ${column.name}`}
                  scope="col"
                  className={cx(column.number && 'n', at === 0 && 'g') || undefined}
                >
                  {column.name}
                </th>
              )),
            )}
            {withControl && (
              <th className="g" scope="col">
                Rules
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.key}>
              <td>
                <ClassBadge row={row} />
              </td>
              {row.once.map((text, at) => (
                <td key={once[at]?.name} className={once[at]?.number ? 'n same' : undefined}>
                  <Cell text={text} />
                </td>
              ))}
              {sides.map((side) => (
                <Fragment key={side}>
                  <Side row={row} side={side} compared={compared} />
                </Fragment>
              ))}
              {withControl && (
                <td className="g words">{row.rules.length > 0 ? row.rules.join(' + ') : 'none'}</td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

const HEADS = { old: 'old, as served', control: 'control, old transform', new: 'new' } as const;

function ClassBadge({ row }: { row: RowDiffRow }) {
  const look = CLASSES[row.class] ?? { icon: 'neq' as const };
  return (
    <span className={cx('st', row.unexplained ? 'bad' : (look.hue ?? 'm'))}>
      <Icon name={row.unexplained ? 'bad' : look.icon} />
      {row.class}
      {row.unexplained && ', unexplained'}
    </span>
  );
}

function Side({
  row,
  side,
  compared,
}: {
  row: RowDiffRow;
  side: DiffSide;
  compared: readonly RowDiffColumn[];
}) {
  const values = row[side];
  if (values === null) {
    return (
      <td className="g same" colSpan={compared.length}>
        no row
      </td>
    );
  }
  return values.map((text, at) => (
    <td
      key={compared[at]?.name}
      className={cx(compared[at]?.number && 'n', at === 0 && 'g') || undefined}
    >
      <Changed row={row} side={side} at={at} text={text} />
    </td>
  ));
}

function Changed({
  row,
  side,
  at,
  text,
}: {
  row: RowDiffRow;
  side: DiffSide;
  at: number;
  text: string | null;
}): ReactNode {
  const mark = cellMark(row, side, at);
  return (
    <span className={mark ? `chg ${mark}` : 'same'}>
      <Cell text={text} />
    </span>
  );
}

/** NULL, an empty text and a text 'NULL' look different. */
function Cell({ text }: { text: string | null }) {
  if (text === null) return <span className="null">NULL</span>;
  if (text === '') return <span className="null">empty</span>;
  return text;
}
