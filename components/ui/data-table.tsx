import Link from 'next/link';
import type { ReactNode } from 'react';
import { cx } from './cx';
import { Icon } from './icon';

export interface Column<Row> {
  key: string;
  head: ReactNode;
  cell: (row: Row) => ReactNode;
  /** Numbers stand right, in tabular digits. */
  number?: boolean;
  mono?: boolean;
  nowrap?: boolean;
  /** CSS width, for columns that must not move when data arrives. */
  width?: string;
  /** Sorting as a link: where the head leads, and how the table is sorted by it now. */
  sort?: { href: string; direction?: 'ascending' | 'descending' };
  /**
   * On a phone, where rows become cards: `label` stands over the value, `full` takes the whole
   * width, `two` two of three columns, `hide` leaves it out. By default a third or half, unlabelled.
   */
  card?: { label?: string; full?: boolean; two?: boolean; hide?: boolean };
}

/**
 * A table of records: quiet head, hairlines, numbers right. Markup only, so it renders on the
 * server; sorting and paging are links.
 * - `cards` turns rows into cards on a phone, with 2 or 3 columns; without it the table scrolls
 *   sideways inside its panel.
 * - `sticky` keeps the head in view while its box (`maxHeight`) scrolls.
 * - `caption` names it for screen readers where no heading does.
 * - `total` is a last row under an edge line.
 * - `empty` stands in its place when there are no rows.
 */
export function DataTable<Row>({
  columns,
  rows,
  rowKey,
  caption,
  cards,
  sticky = false,
  maxHeight,
  selected,
  total,
  empty,
}: {
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row) => string;
  caption?: string;
  cards?: 2 | 3;
  sticky?: boolean;
  maxHeight?: number;
  /** Key of the row that is open elsewhere on the page. */
  selected?: string;
  total?: Partial<Record<string, ReactNode>>;
  empty?: ReactNode;
}) {
  if (rows.length === 0 && empty) return <div className="pad">{empty}</div>;
  return (
    <div
      className={cx('scroll', sticky && 'headed')}
      style={maxHeight ? { maxHeight } : undefined}
      {...(sticky ? { role: 'region', 'aria-label': caption, tabIndex: 0 } : {})}
    >
      <table className={cx(cards && 'cards', cards === 3 && 'c3')}>
        {caption && <caption className="sr">{caption}</caption>}
        <thead>
          <tr>
            {columns.map((column) => (
              <Head key={column.key} column={column} />
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => {
            const key = rowKey(row);
            return (
              <tr
                key={key}
                className={key === selected ? 'sel' : undefined}
                aria-current={key === selected ? 'true' : undefined}
              >
                {columns.map((column) => (
                  <td key={column.key} className={cellClass(column)} data-l={column.card?.label}>
                    {column.cell(row)}
                  </td>
                ))}
              </tr>
            );
          })}
          {total && (
            <tr className="tot">
              {columns.map((column) => (
                <td key={column.key} className={cellClass(column)} data-l={column.card?.label}>
                  {total[column.key]}
                </td>
              ))}
            </tr>
          )}
        </tbody>
      </table>
    </div>
  );
}

function Head<Row>({ column }: { column: Column<Row> }) {
  const { sort } = column;
  const style = column.width ? { width: column.width } : undefined;
  if (!sort) {
    return (
      <th scope="col" className={column.number ? 'n' : undefined} style={style}>
        {column.head}
      </th>
    );
  }
  const icon = { ascending: 'up', descending: 'down', none: 'updown' } as const;
  return (
    <th
      scope="col"
      className={column.number ? 'n' : undefined}
      style={style}
      aria-sort={sort.direction ?? 'none'}
    >
      <Link className="sort" href={sort.href} scroll={false}>
        {column.head}
        <Icon name={icon[sort.direction ?? 'none']} />
      </Link>
    </th>
  );
}

function cellClass<Row>({ number, mono, nowrap, card }: Column<Row>): string | undefined {
  return (
    cx(
      number && 'n',
      mono && 'mono',
      nowrap && 'nw',
      card?.full && 'full',
      card?.two && 'two',
      card?.hide && 'hide-m',
    ) || undefined
  );
}
