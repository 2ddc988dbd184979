import type { FiguresDelta, PartitionFigures } from '@/lib/domain/correction';
import { formatDelta } from '@/lib/domain/figures';
import type { CorrectionItem } from '@/lib/queries/corrections';
import type { PartitionHistory } from '@/lib/queries/corrections-history';
import type { Page } from '@/lib/queries/page';
import { count, fields, lines, oneLine, table } from './print';

/** One correction, with every figure before, after, and between. */
export function correctionText(item: CorrectionItem): string {
  const head = fields([
    ['correction', item.id],
    ['partition', item.partition.label],
    ['kind', item.release === null ? item.kind : `${item.kind} of ${item.release}`],
    ['reason', oneLine(item.reason)],
    ['by', `${item.by}, ${item.at}`],
  ]);
  return `${head}\n${figuresTable(item.before, item.after, item.delta, ['BEFORE', 'AFTER'])}`;
}

function figuresTable(
  before: PartitionFigures,
  after: PartitionFigures,
  delta: FiguresDelta,
  heading: readonly [string, string],
): string {
  const names = (kind: 'sums' | 'partials') =>
    [...new Set([...Object.keys(before[kind]), ...Object.keys(after[kind])])].sort();
  return table(
    ['FIGURE', ...heading, 'DIFFERENCE'],
    [
      ['rows', count(before.rows), count(after.rows), formatDelta(String(delta.rows))],
      ...(['sums', 'partials'] as const).flatMap((kind) =>
        names(kind).map((name) => [
          `${kind === 'sums' ? 'conserved' : 'rollup'} ${name}`,
          before[kind][name] ?? '–',
          after[kind][name] ?? '–',
          delta[kind][name] === undefined ? '–' : formatDelta(delta[kind][name]),
        ]),
      ),
    ],
  );
}

export function correctionsText(dataset: string, page: Page<CorrectionItem>): string {
  if (page.items.length === 0) return `no correction of ${dataset}\n`;
  const text = table(
    ['AT', 'BY', 'PARTITION', 'KIND', 'DIFFERENCE', 'REASON'],
    page.items.map(({ at, by, partition, kind, release, delta, reason }) => [
      at,
      by,
      partition.start,
      release === null ? kind : `${kind} ${release}`,
      deltaText(delta),
      oneLine(reason),
    ]),
  );
  return page.nextCursor === null ? text : `${text}more: --cursor ${page.nextCursor}\n`;
}

function deltaText({ rows, sums }: FiguresDelta): string {
  return [['rows', String(rows)] as const, ...Object.entries(sums)]
    .map(([name, value]) => `${name} ${formatDelta(value)}`)
    .join(', ');
}

export function historyText(history: PartitionHistory): string {
  const { partition, publications, published, asOfNow, delta, corrections, pending } = history;
  const heading = table(
    ['PUBLISHED', 'BY', 'SENT TO', 'DOCUMENT', ''],
    publications.map(({ at, by, sentTo, document, sealed }) => [
      at,
      by,
      oneLine(sentTo),
      oneLine(document ?? '–'),
      sealed ? 'its figures stand' : '',
    ]),
  );
  return [
    `${partition.label}\n`,
    heading,
    figuresTable(published, asOfNow, delta, ['AS PUBLISHED', 'AS OF NOW']),
    corrections.length === 0
      ? 'no corrections\n'
      : lines([
          ...corrections.map(
            (each) =>
              `${each.at}  ${each.by}  ${each.release ?? each.kind}  ${deltaText(each.delta)}  ${oneLine(each.reason)}`,
          ),
          history.addsUp
            ? 'the corrections add up to the difference'
            : 'THE CORRECTIONS DO NOT ADD UP: one does not begin where the one before it ended',
        ]),
    pending.count === 0
      ? 'nothing is pending\n'
      : lines([
          `${count(pending.count)} pending since ${pending.since ?? '?'}`,
          ...pending.events.map(
            ({ kind, sourceKey, shard, offset }) =>
              `  ${kind}  ${oneLine(sourceKey)}  (offset ${offset} of shard ${shard})`,
          ),
        ]),
  ].join('\n');
}
