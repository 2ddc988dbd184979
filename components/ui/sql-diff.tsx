import { type ReactNode, useMemo } from 'react';
import { cx } from './cx';
import { type DiffLine, runs, sqlDiffRows } from './sql-diff-rows';

/**
 * The old transform beside the new: changed lines tinted, changed words deeper, − and + in the
 * gutter. On a phone one under the other. `oldHead` and `newHead` stand over the sides (a digest, a
 * commit); `names` tell the sides apart where a page has two of these.
 */
export function SqlDiff({
  before,
  after,
  oldHead = 'old, in use',
  newHead = 'new',
  names = ['Old transform', 'New transform'],
}: {
  before: string;
  after: string;
  oldHead?: ReactNode;
  newHead?: ReactNode;
  names?: readonly [before: string, after: string];
}) {
  const rows = useMemo(() => sqlDiffRows(before, after), [before, after]);
  return (
    <div className="sql">
      <Side head={oldHead} label={names[0]} lines={rows.map((row) => row.old)} />
      <Side head={newHead} label={names[1]} lines={rows.map((row) => row.new)} />
    </div>
  );
}

/** One SQL text with line numbers, to read. */
export function SqlText({
  sql,
  head,
  label = 'SQL',
}: {
  sql: string;
  head?: ReactNode;
  /** Tells it apart where a page has several. */
  label?: string;
}) {
  const rows = useMemo(() => sqlDiffRows(sql, sql), [sql]);
  return (
    <div className="sql one">
      <Side head={head} label={label} lines={rows.map((row) => row.old)} />
    </div>
  );
}

const SIGNS = { same: ' ', del: '−', add: '+' } as const;
const SAID = { same: '', del: 'removed: ', add: 'added: ' } as const;

function Side({
  head,
  label,
  lines,
}: {
  head: ReactNode;
  label: string;
  lines: readonly (DiffLine | null)[];
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
    <section aria-label={label} tabIndex={0}>
      {head && <header>{head}</header>}
      <ol>
        {lines.map((line, at) => (
          <li
            // biome-ignore lint/suspicious/noArrayIndexKey: a line has no name but its place.
            key={at}
            data-n={line?.number ?? ''}
            className={cx(line === null && 'blank', line && line.kind !== 'same' && line.kind)}
          >
            <i aria-hidden="true">{SIGNS[line?.kind ?? 'same']}</i>
            <span>
              {line && line.kind !== 'same' && <span className="sr">{SAID[line.kind]}</span>}
              {line && <Words line={line} />}
            </span>
          </li>
        ))}
      </ol>
    </section>
  );
}

function Words({ line }: { line: DiffLine }) {
  let place = 0;
  return runs(line.words).map((run) => {
    const words = run.words.map((word) => {
      place += 1;
      return word.keyword ? <u key={place}>{word.text}</u> : <span key={place}>{word.text}</span>;
    });
    place += 1;
    return run.changed ? <em key={place}>{words}</em> : <span key={place}>{words}</span>;
  });
}
