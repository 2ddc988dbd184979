import { RowDiff, type RowDiffColumn, type RowDiffRow } from '@/components/release/row-diff';
import { ButtonLink, buttonClass } from '@/components/ui/button';
import { Empty } from '@/components/ui/empty';
import { figureText } from '@/components/ui/figure-text';
import { Filters } from '@/components/ui/filters';
import { Icon } from '@/components/ui/icon';
import { Note } from '@/components/ui/note';
import { Pager } from '@/components/ui/pager';
import { Panel } from '@/components/ui/panel';
import type { Instant } from '@/lib/domain/instant';
import { formatEdge } from '@/lib/domain/partition-label';
import { InterlockError } from '@/lib/domain/refusal';
import type { ReconciliationPage, RunFindings } from '@/lib/queries/reconciliation-view';
import { type DiffItem, diffPage } from '@/lib/services/release';
import { webDatabase } from '@/lib/web/db';
import { address } from '../../../_parts/search';
import { Between } from '../../../_parts/when';

export interface DiffFilter {
  run: string | undefined;
  class: string | undefined;
  rule: string | undefined;
  partition: string | undefined;
  /** Partitions that begin in it, half-open. */
  from: string | undefined;
  to: string | undefined;
  bucket: string | undefined;
  /** What the picture of differences is drawn of; all where it is left out. */
  heatFrom: string | undefined;
  heatTo: string | undefined;
  cursor: string | undefined;
}

interface Props {
  page: ReconciliationPage;
  found: RunFindings;
  filter: DiffFilter;
}

const PAGE = 25;
/** Their rows were dropped, or are about to be. */
const GONE = ['REJECTED', 'ABANDONED', 'RETIRED'];
const MOST_COMPARED = 4;
/** What is equal on all sides takes room from what is not. */
const MOST_ONCE = 1;

/** The differing rows, computed now: old, control and new side by side. */
export async function RowDiffSection({ page, found, filter }: Props) {
  const path = `/releases/${page.release}/reconciliation`;
  const link = (values: Partial<DiffFilter>) =>
    address(path, { ...filter, cursor: undefined, ...values }, '#diff');
  return (
    <Panel
      title="Row diff"
      id="diff"
      flush
      aside={<Exports release={page.release} filter={filter} />}
    >
      <div className="pad row diff-filters">
        <Filters label="Class" current={filter.class ?? 'all'} items={classes(found, link)} />
        {page.rules.length > 0 && (
          <Filters
            label="Rule"
            current={filter.rule ?? 'any'}
            items={[
              { value: 'any', label: 'any rule', href: link({ rule: undefined }) },
              ...page.rules.map(({ rule }) => ({ value: rule, label: rule, href: link({ rule }) })),
            ]}
          />
        )}
        <Place
          page={page}
          filter={filter}
          href={link({ partition: undefined, from: undefined, to: undefined, bucket: undefined })}
        />
      </div>
      <Rows page={page} found={found} filter={filter} path={path} />
    </Panel>
  );
}

function classes(found: RunFindings, link: (values: Partial<DiffFilter>) => string) {
  const { totals, groups } = found;
  const rows = (name: string) =>
    String(groups.filter((g) => g.class === name).reduce((all, g) => all + BigInt(g.rows), 0n));
  const all = String(groups.reduce((sum, g) => sum + BigInt(g.rows), 0n));
  const named = [
    { value: 'explained', count: rows('explained') },
    { value: 'drift', count: totals.drift },
    { value: 'control_error', count: rows('control_error') },
    { value: 'quarantined', count: rows('quarantined') },
    { value: 'unexplained', count: rows('unexplained') },
  ].filter((c) => c.count !== '0' || c.value === 'unexplained' || c.value === 'drift');
  return [
    { value: 'all', label: 'all', count: all, href: link({ class: undefined }) },
    ...named.map((c) => ({
      ...c,
      label: c.value.replace('_', ' '),
      href: link({ class: c.value }),
    })),
  ];
}

/** Which partitions and bucket the rows are of, where they are not of all; a press shows all. */
function Place({
  page,
  filter,
  href,
}: {
  page: ReconciliationPage;
  filter: DiffFilter;
  href: string;
}) {
  const { partition, bucket } = filter;
  const one = page.found?.named.find((p) => p.start === partition);
  const from = one?.start ?? filter.from;
  const to = one?.end ?? filter.to;
  if (!partition && !filter.from && !filter.to && !bucket) return null;
  return (
    <ButtonLink href={href} size="sm" icon="close" scroll={false}>
      <span className="sr">All rows instead of those of </span>
      {from && to ? <Between zone={page.zone} from={from} to={to} /> : (partition ?? from ?? to)}
      {bucket && `${from || to ? ', ' : ''}bucket ${bucket}`}
    </ButtonLink>
  );
}

function Exports({ release, filter }: { release: string; filter: DiffFilter }) {
  const { class: name, rule, partition, from, to: until, bucket } = filter;
  const to = (format: string) =>
    address(`/releases/${release}/reconciliation/export`, {
      ...{ format, class: name, rule, partition, from, to: until, bucket },
    });
  return (
    <>
      <a className={buttonClass({ size: 'sm' })} href={to('csv')} download>
        <Icon name="export" />
        CSV
      </a>
      <a className={buttonClass({ size: 'sm' })} href={to('jsonl')} download>
        <Icon name="export" />
        JSONL
      </a>
    </>
  );
}

async function Rows({ page, found, filter, path }: Props & { path: string }) {
  if (GONE.includes(page.state)) {
    return (
      <div className="pad">
        <Note title="The rows of this comparison are gone.">
          {`${page.release} is over and its candidate was dropped. What the comparison found stays in the figures above.`}
        </Note>
      </div>
    );
  }
  // asking for rows that the comparison counted none of would compute every partition to find none
  const loaded = counted(found, filter) ? await load(page, filter) : NONE;
  if ('problem' in loaded) {
    return (
      <div className="pad">
        <Note tone="wait" title="The rows cannot be read now.">
          {loaded.problem}
        </Note>
      </div>
    );
  }
  const { items, nextCursor } = loaded;
  if (items.length === 0) {
    return (
      <div className="pad">
        <Empty title="No row differs like this.">
          {filter.class === 'unexplained'
            ? 'Every difference is explained by a rule of the release.'
            : 'Choose another class, rule or partition.'}
        </Empty>
      </div>
    );
  }
  const columns = columnsOf(page, found);
  return (
    <>
      <RowDiff {...columns} rows={items.map((item) => rowOf(page, columns, item))} />
      <Pager
        text={`${figureText(items.length)} rows${filter.cursor ? ' of a later page' : ''}, by partition and key`}
        {...(filter.cursor
          ? { firstHref: address(path, { ...filter, cursor: undefined }, '#diff') }
          : {})}
        {...(nextCursor
          ? { nextHref: address(path, { ...filter, cursor: nextCursor }, '#diff') }
          : {})}
      />
    </>
  );
}

const NONE = { items: [], nextCursor: null };

function counted({ groups, totals }: RunFindings, filter: DiffFilter): boolean {
  if (filter.class === 'drift' && filter.rule === undefined) return totals.drift !== '0';
  return groups.some(
    (g) =>
      (filter.class === undefined || g.class === filter.class) &&
      (filter.rule === undefined || g.rule === filter.rule),
  );
}

async function load(page: ReconciliationPage, filter: DiffFilter) {
  const { class: name, rule, partition, from, to, bucket, cursor } = filter;
  try {
    return await diffPage(webDatabase(), {
      release: page.release,
      class: name,
      rule,
      partition,
      from,
      to,
      bucket: bucket === undefined ? undefined : Number(bucket),
      cursor,
      limit: PAGE,
    });
  } catch (error) {
    if (error instanceof InterlockError) return { problem: error.message };
    throw error;
  }
}

type Shape = { once: RowDiffColumn[]; compared: RowDiffColumn[] };

/** Columns that differ anywhere are compared side by side; of the others the key, the time, a few. */
function columnsOf(page: ReconciliationPage, found: RunFindings): Shape {
  const changed = new Set(found.columns.filter((c) => c.changed !== '0').map((c) => c.name));
  const fixed = new Set([...page.key, page.businessTime]);
  const of = (name: string): RowDiffColumn => ({
    name,
    number: /^(integer|bigint|numeric|double)/.test(
      page.columns.find((c) => c.name === name)?.type ?? '',
    ),
  });
  const names = page.columns.map((c) => c.name);
  const differing = names.filter((name) => changed.has(name) && !fixed.has(name));
  const compared = (
    differing.length > 0 ? differing : names.filter((name) => !fixed.has(name))
  ).slice(0, MOST_COMPARED);
  const rest = names
    .filter((name) => !fixed.has(name) && !compared.includes(name))
    .sort((a, b) => Number(of(b).number) - Number(of(a).number));
  return {
    once: [...names.filter((name) => fixed.has(name)), ...rest.slice(0, MOST_ONCE)].map(of),
    compared: compared.map(of),
  };
}

function rowOf(page: ReconciliationPage, { once, compared }: Shape, item: DiffItem): RowDiffRow {
  const any = item.new ?? item.control ?? item.old ?? {};
  const texts = (side: Record<string, unknown> | null) =>
    side === null ? null : compared.map(({ name }) => text(page, name, side[name]));
  const unexplained = item.class === 'unexplained';
  return {
    key: `${item.partition} ${item.key}`,
    class: item.class === 'explained' || unexplained ? item.kind : item.class,
    unexplained,
    once: once.map(({ name }) => text(page, name, any[name])),
    old: texts(item.old),
    control: texts(item.control),
    new: texts(item.new),
    rules: [...(item.rule === null ? [] : [item.rule]), ...(item.drift ? ['drift'] : [])],
  };
}

function text(page: ReconciliationPage, name: string, value: unknown): string | null {
  if (value === null || value === undefined) return null;
  const type = page.columns.find((c) => c.name === name)?.type ?? '';
  if (type === 'timestamptz' && typeof value === 'string' && value.endsWith('Z')) {
    return formatEdge(page.zone, value as Instant);
  }
  if (/^(integer|bigint|numeric|double)/.test(type)) return figureText(String(value));
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
