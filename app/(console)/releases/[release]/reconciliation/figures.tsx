import { HeatmapLegend } from '@/components/charts/diff-heatmap';
import { TwoSeriesBars } from '@/components/charts/two-series-bars';
import { DataTable } from '@/components/ui/data-table';
import { Empty } from '@/components/ui/empty';
import { Figure, ShareBar } from '@/components/ui/figure';
import { countText, figureText, shareText } from '@/components/ui/figure-text';
import { Panel } from '@/components/ui/panel';
import { Tag } from '@/components/ui/tag';
import { Term } from '@/components/ui/term';
import { BUCKETS } from '@/lib/domain/buckets';
import { chartGroups } from '@/lib/domain/chart-groups';
import { addDecimals } from '@/lib/domain/decimal';
import { type Instant, secondsOf } from '@/lib/domain/instant';
import { packEdges } from '@/lib/domain/pack-edges';
import { packHeat } from '@/lib/domain/packed-heat';
import type { ColumnFigures, DiffGroup } from '@/lib/queries/reconciliation-figures';
import type { ReconciliationPage, RunFindings } from '@/lib/queries/reconciliation-view';
import { address } from '../../../_parts/search';
import { HeatPicture } from './heat-picture';
import { NullChart } from './null-chart';
import type { DiffFilter } from './row-diff-section';

interface Props {
  page: ReconciliationPage;
  found: RunFindings;
}

interface RuleRow extends Sum {
  name: string;
  where: string | null;
  /** How it stands in the filters of the row diff. */
  filter: { class?: string; rule?: string };
  tag: string | null;
}

interface Sum {
  rows: bigint;
  deltas: Record<string, string>;
}

function sum(groups: readonly DiffGroup[]): Sum {
  const all: Sum = { rows: 0n, deltas: {} };
  for (const group of groups) {
    all.rows += BigInt(group.rows);
    for (const [column, delta] of Object.entries(group.deltas)) {
      all.deltas[column] = addDecimals(all.deltas[column] ?? '0', delta);
    }
  }
  return all;
}

const isZero = (text: string) => !/[1-9]/.test(text);

/** The column with a difference that a rule names first; beside the rule there is room for one. */
function deltaColumns({ page, found }: Props): string[] {
  const named = page.rules.flatMap((rule) => rule.columns);
  const place = (column: string) => (named.includes(column) ? named.indexOf(column) : named.length);
  const all = sum(found.groups).deltas;
  return Object.keys(all)
    .filter((column) => !isZero(all[column] ?? '0') || named.includes(column))
    .sort((a, b) => place(a) - place(b))
    .slice(0, 1);
}

/** What each declared rule explains, and what none does. */
export function Rules({ page, found }: Props) {
  const columns = deltaColumns({ page, found });
  const declared = page.rules.map(
    (rule): RuleRow => ({
      name: rule.rule,
      where: rule.where,
      filter: { rule: rule.rule },
      tag: null,
      ...sum(found.groups.filter((g) => g.rule === rule.rule && g.class === 'explained')),
    }),
  );
  const others = [...new Set(found.groups.map((g) => g.class))]
    .filter((name) => name !== 'explained')
    .map(
      (name): RuleRow => ({
        name,
        where: null,
        filter: { class: name },
        tag: name === 'drift' ? 'old ≠ control' : 'no rule',
        ...sum(found.groups.filter((g) => g.class === name)),
      }),
    );
  const rows = [...declared, ...others];
  const all = sum(found.groups);
  return (
    <Panel title={<Term name="explained diff">Rules</Term>} count={page.rules.length} flush>
      <DataTable<RuleRow>
        caption="Rows and differences per rule"
        cards={3}
        rows={rows}
        rowKey={(row) => row.name}
        empty={
          <Empty title="The release declares no rule.">
            Then no row may differ: every difference is unexplained.
          </Empty>
        }
        total={{
          rule: 'control to new',
          rows: <Figure value={String(all.rows)} />,
          ...Object.fromEntries(
            columns.map((c) => [c, <Figure key={c} value={all.deltas[c] ?? '0'} signed />]),
          ),
        }}
        columns={[
          {
            key: 'rule',
            head: 'Rule',
            card: { full: true },
            cell: (row) => (
              <>
                <b>{row.name}</b> {row.tag && <Tag>{row.tag}</Tag>}
                {row.where && <span className="s mono wrap">{row.where}</span>}
              </>
            ),
          },
          {
            key: 'rows',
            head: 'Rows',
            number: true,
            card: { label: 'Rows' },
            cell: (row) => (
              <Figure
                value={String(row.rows)}
                href={address(
                  `/releases/${page.release}/reconciliation`,
                  { run: found.run.id, ...row.filter },
                  '#diff',
                )}
              />
            ),
          },
          ...columns.map((column) => ({
            key: column,
            head: `Δ ${column}`,
            number: true,
            card: { label: `Δ ${column}` },
            cell: (row: RuleRow) => <Figure value={row.deltas[column] ?? '0'} signed />,
          })),
        ]}
      />
    </Panel>
  );
}

/** Per column: in how many rows it differs, and by how much in all. */
export function Columns({ page, found }: Props) {
  const rows = Number(found.totals.newRows);
  const deltas = sum(found.groups).deltas;
  const order = new Map(found.columns.map((column) => [column.name, column]));
  const list = page.columns.flatMap(({ name }) => order.get(name) ?? []);
  list.sort((a, b) => Number(b.changed) - Number(a.changed));
  return (
    <Panel title="Columns" note={`share of ${figureText(rows)} new rows that differ`} flush>
      <DataTable<ColumnFigures>
        caption="Share of rows that differ per column"
        rows={list}
        rowKey={(row) => row.name}
        empty={<Empty title="No column was compared." />}
        columns={[
          { key: 'name', head: 'Column', mono: true, cell: (row) => row.name },
          {
            key: 'bar',
            head: <span className="sr">Share</span>,
            width: '1px',
            cell: (row) => <ShareBar percent={rows > 0 ? (Number(row.changed) / rows) * 100 : 0} />,
          },
          {
            key: 'share',
            head: 'Differ',
            number: true,
            cell: (row) => (
              <span className={row.changed === '0' ? 'q' : undefined} title={`${row.changed} rows`}>
                {shareText(Number(row.changed), rows)}
              </span>
            ),
          },
          {
            key: 'delta',
            head: 'Δ sum',
            number: true,
            cell: (row) => {
              const delta = deltas[row.name];
              return delta === undefined ? (
                <span className="q">–</span>
              ) : (
                <Figure value={delta} signed />
              );
            },
          },
        ]}
      />
    </Panel>
  );
}

/** NULLs on both sides over time, per column that may be NULL. */
export function Nulls({ page, found }: Props) {
  const groups = chartGroups(page.zone, page.unit, found.periods, found.totals.partitions);
  const share = (nulls: bigint, rows: bigint) =>
    rows === 0n ? '0' : ((Number(nulls) / Number(rows)) * 100).toFixed(2);
  const add = (texts: readonly string[]) => texts.reduce((all, text) => all + BigInt(text), 0n);
  const series = page.columns
    .filter((column) => column.nullable)
    .map(({ name }) => ({
      name,
      limit: page.contract.find((item) => item.column === name && item.max !== null)?.max ?? null,
      any: found.columns.some((c) => c.name === name && (c.oldNulls !== '0' || c.newNulls !== '0')),
      points: groups.map(({ label, members }) => ({
        label,
        old: share(
          add(members.map((m) => m.nulls[name]?.old ?? '0')),
          add(members.map((m) => m.controlRows)),
        ),
        new: share(
          add(members.map((m) => m.nulls[name]?.new ?? '0')),
          add(members.map((m) => m.newRows)),
        ),
      })),
    }));
  const some = series.filter((each) => each.any);
  return (
    <Panel title="NULLs over time" note="% of the rows, old transform and new">
      {some.length === 0 ? (
        <Empty title="No NULL on either side.">
          {series.length === 0
            ? 'No column of the dataset may be NULL.'
            : `${series.length} columns may be NULL, and none is.`}
        </Empty>
      ) : (
        <NullChart series={some} />
      )}
    </Panel>
  );
}

/** Rows that go and that come, over time. */
export function Removed({ page, found }: Props) {
  const groups = chartGroups(page.zone, page.unit, found.periods, found.totals.partitions);
  const add = (texts: readonly string[]) => String(texts.reduce((all, t) => all + BigInt(t), 0n));
  const points = groups.map(({ label, members }) => ({
    label,
    old: add(members.map((m) => m.removed)),
    new: add(members.map((m) => m.added)),
  }));
  const none = points.every((point) => point.old === '0' && point.new === '0');
  return (
    <Panel title="Rows that go and come" note="removed and added, control to new">
      {none ? (
        <Empty title="No row is removed and none is added.">
          Both transforms yield the same keys from the same facts.
        </Empty>
      ) : (
        <TwoSeriesBars
          label="Rows removed and added, over time"
          points={points}
          unit="rows"
          names={['removed', 'added']}
        />
      )}
    </Panel>
  );
}

/** Rows of both sides over time: a partition that lost its rows is seen as a missing bar. */
export function Counts({ page, found }: Props) {
  const groups = chartGroups(page.zone, page.unit, found.periods, found.totals.partitions);
  const add = (texts: readonly string[]) => String(texts.reduce((all, t) => all + BigInt(t), 0n));
  return (
    <Panel title="Rows over time" note="old transform and new">
      <TwoSeriesBars
        label="Rows of the old transform and of the new, over time"
        unit="rows"
        points={groups.map(({ label, members }) => ({
          label,
          old: add(members.map((m) => m.controlRows)),
          new: add(members.map((m) => m.newRows)),
        }))}
      />
    </Panel>
  );
}

/** Where the differences are: partition by key bucket. */
export function Heat({ page, found, filter }: Props & { filter: DiffFilter }) {
  const { points, partitions, size, starts, end } = found.heat;
  const edges = [...starts, ...(end === null ? [] : [end])].map((at) => secondsOf(at as Instant));
  const most = points.reduce((top, [, , rows]) => Math.max(top, rows), 0);
  const odd = points.reduce((all, [, , , unexplained = 0]) => all + unexplained, 0);
  return (
    <Panel
      title="Differences, partition × key bucket"
      note={`${countText(partitions, 'partition')} × ${BUCKETS} buckets, stronger is more rows${size > 1 ? `; ${size} neighbours share a column` : ''}`}
      aside={most > 0 && <HeatmapLegend most={most} unexplained={odd} />}
    >
      {most === 0 && filter.heatFrom === undefined ? (
        <Empty title="No row differs in any bucket." />
      ) : (
        <HeatPicture
          release={page.release}
          filter={filter}
          packed={packEdges(page.zone, edges)}
          heat={packHeat(points, BUCKETS)}
        />
      )}
    </Panel>
  );
}
