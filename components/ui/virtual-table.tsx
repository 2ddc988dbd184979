'use client';

import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useEffect } from 'react';
import { useWidth } from '@/components/hooks/use-width';
import { cx } from './cx';

export interface VirtualColumn {
  key: string;
  head: ReactNode;
  /** CSS width of the column: "60%", "96px". */
  width: string;
  number?: boolean;
}

const ROW_PX = 32;
/** On a phone an interval needs two lines. */
const NARROW = 560;
const NARROW_ROW_PX = 52;

/**
 * A table of tens of thousands of rows of equal height: only those in view are in the page. Screen
 * readers get the true count and each row's number. `row` renders the cells of one row, in order.
 * `showIndex` is scrolled into view when it changes.
 */
export function VirtualTable({
  columns,
  count,
  row,
  rowKey,
  label,
  height = 384,
  selected,
  showIndex,
}: {
  columns: readonly VirtualColumn[];
  count: number;
  row: (index: number) => readonly ReactNode[];
  rowKey: (index: number) => string;
  label: string;
  height?: number;
  selected?: number;
  showIndex?: number;
}) {
  const [box, width] = useWidth<HTMLElement>(1032);
  const narrow = width < NARROW;
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => box.current,
    estimateSize: () => (narrow ? NARROW_ROW_PX : ROW_PX),
    overscan: 12,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: rows have another height then.
  useEffect(() => virtual.measure(), [narrow]);
  useEffect(() => {
    if (showIndex !== undefined) virtual.scrollToIndex(showIndex, { align: 'center' });
  }, [showIndex, virtual]);
  const items = virtual.getVirtualItems();
  const above = items[0]?.start ?? 0;
  const below = virtual.getTotalSize() - (items.at(-1)?.end ?? 0);
  const classOf = (column: VirtualColumn | undefined) => (column?.number ? 'n' : undefined);
  return (
    <section
      ref={box}
      className={narrow ? 'vt narrow' : 'vt'}
      style={{ maxHeight: height }}
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
      tabIndex={0}
    >
      <table aria-rowcount={count + 1}>
        <caption className="sr">{label}</caption>
        <thead>
          <tr aria-rowindex={1}>
            {columns.map((column) => (
              <th
                key={column.key}
                scope="col"
                className={classOf(column)}
                style={{ width: column.width }}
              >
                {column.head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          <Gap height={above} span={columns.length} />
          {items.map((item) => (
            <tr
              key={rowKey(item.index)}
              className={cx(item.index === selected && 'sel') || undefined}
              aria-rowindex={item.index + 2}
              aria-current={item.index === selected ? 'true' : undefined}
            >
              {row(item.index).map((cell, at) => (
                <td key={columns[at]?.key} className={classOf(columns[at])}>
                  {cell}
                </td>
              ))}
            </tr>
          ))}
          <Gap height={below} span={columns.length} />
        </tbody>
      </table>
    </section>
  );
}

/** The height of the rows that are not in the page, so that the scroll bar is true. */
function Gap({ height, span }: { height: number; span: number }) {
  if (height <= 0) return null;
  return (
    <tr>
      <td colSpan={span} style={{ height, padding: 0, border: 0 }} />
    </tr>
  );
}
