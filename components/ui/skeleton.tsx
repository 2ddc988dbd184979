import { Panel } from './panel';

/** A grey bar of the height that the text will have. Nothing spins, nothing moves on arrival. */
export function Skeleton({
  width = '60%',
  height = 12,
}: {
  width?: string | number;
  height?: number;
}) {
  return <span className="ghost" style={{ width, height }} />;
}

/** A table's place while it loads: its real head, and `rows` rows of the real height. */
export function SkeletonTable({
  columns,
  rows = 3,
}: {
  columns: readonly { head: string; number?: boolean }[];
  rows?: number;
}) {
  return (
    <table>
      <thead>
        <tr>
          {columns.map((column) => (
            <th key={column.head} className={column.number ? 'n' : undefined}>
              {column.head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {Array.from({ length: rows }, (_, row) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the rows are all alike.
          <tr key={row}>
            {columns.map((column, at) => (
              <td key={column.head} className={column.number ? 'n' : undefined}>
                <Skeleton
                  width={at === 0 ? `${64 + ((row * 4) % 12)}%` : column.number ? 48 : 64}
                />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** A whole panel while it loads, `lines` lines of text high. */
export function SkeletonPanel({ title, lines = 4 }: { title: string; lines?: number }) {
  return (
    <Panel title={title} busy>
      <p className="sr">Loading</p>
      <div className="col">
        {Array.from({ length: lines }, (_, line) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the lines are all alike.
          <div key={line} style={{ height: 20 }}>
            <Skeleton width={`${88 - ((line * 17) % 40)}%`} />
          </div>
        ))}
      </div>
    </Panel>
  );
}
