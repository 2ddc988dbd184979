import type { Command } from 'commander';
import { formatDuration } from '@/lib/domain/figures';
import type { DatasetView } from '@/lib/queries/dataset-view';
import { pathOf } from '../api-client';
import { csvLine } from '../csv-out';
import { instant, oneOf, wholeNumber } from '../options';
import { count, fields, oneLine, shortDigest, table } from '../print';
import { type RowPage, rowPages } from '../row-pages';
import { type Session, withJson } from '../session';
import { readNamed } from '../yaml-file';

export function addDatasetCommands(program: Command, session: Session): void {
  const dataset = program.command('dataset').description('projections that people read');
  withJson(dataset.command('apply'))
    .description('make a dataset and build its first generation, or change its policy')
    .requiredOption('-f, --file <file>', 'YAML: name and the fields of PUT /datasets/{name}')
    .action(async ({ file }: { file: string }) => {
      const { name, body } = await readNamed(file);
      const answer = await session.api.put(pathOf('datasets', name), body);
      await session.show(answer, () => `dataset ${name} applied\n`);
    });
  withJson(dataset.command('show'))
    .description('what serves, ingress, and every generation')
    .argument('<name>')
    .action(async (name: string) => {
      const answer = await session.api.get(pathOf('datasets', name));
      await session.show<DatasetView>(answer, datasetText);
    });
  withJson(dataset.command('rows'))
    .description('rows in order of partition and key, all of one generation')
    .argument('<name>')
    .option('--from <instant>', 'business time from, included', instant)
    .option('--to <instant>', 'business time to, not included', instant)
    .option('--generation <name>', 'a generation that serves or served and is kept')
    .option('--format <format>', 'csv or jsonl', oneOf(['csv', 'jsonl']), 'csv')
    .option('--limit <rows>', 'at most so many', wholeNumber(1))
    .option('--cursor <cursor>', 'with --json: the page after this one')
    .action((name: string, options: RowOptions) => printRows(session, name, options));
}

interface RowOptions {
  from?: string;
  to?: string;
  generation?: string;
  format: 'csv' | 'jsonl';
  limit?: number;
  cursor?: string;
}

async function printRows(session: Session, name: string, options: RowOptions): Promise<void> {
  const { from, to, generation, format, limit, cursor } = options;
  const query = { from, to, generation };
  if (session.json) {
    const page = { ...query, cursor, limit: limit === undefined ? undefined : String(limit) };
    await session.show(await session.api.get(`${pathOf('datasets', name)}/rows`, page), () => '');
    return;
  }
  let heading: readonly string[] | null = null;
  const warned = new Set<string>();
  for await (const { rows, warnings } of rowPages(session.api, name, query, limit)) {
    for (const warning of warnings.map(warningText)) {
      if (!warned.has(warning)) session.io.say(warning);
      warned.add(warning);
    }
    const [first] = rows;
    if (first === undefined) continue;
    const out: string[] = [];
    if (format === 'csv' && heading === null) out.push(csvLine(Object.keys(first)));
    heading ??= Object.keys(first);
    const columns = heading;
    for (const row of rows) {
      out.push(
        format === 'csv'
          ? csvLine(columns.map((column) => row[column]))
          : `${JSON.stringify(row)}\n`,
      );
    }
    await session.io.write(out.join(''));
  }
  if (heading === null && format === 'csv')
    await session.io.write(await emptyHeading(session, name));
}

const warningText = ({ code, from, to, reason, repairedBy }: RowPage['warnings'][number]) =>
  `${code}: [${from}, ${to}) is known to be wrong: ${oneLine(reason)}${repairedBy ? `; repaired by ${repairedBy}` : ''}`;

/** The heading of a CSV without rows. */
async function emptyHeading(session: Session, name: string): Promise<string> {
  const { body } = await session.api.get(pathOf('datasets', name));
  const { columns } = body as { columns?: { name: string }[] };
  return csvLine((columns ?? []).map((column) => column.name));
}

function datasetText(dataset: DatasetView): string {
  const { ingress } = dataset;
  const sealed =
    ingress.state === 'SEALED'
      ? ` by ${ingress.sealer ?? '?'} until ${ingress.sealedUntil ?? '?'}`
      : '';
  const head = fields([
    ['dataset', dataset.name],
    ['source', dataset.source],
    ['serving', dataset.activeGeneration ?? `nothing yet; ${dataset.loading ?? ''} is loading`],
    ['transform', shortDigest(dataset.transform?.digest)],
    ['partitions', `by ${dataset.partition}, ${dataset.timezone}`],
    ['ingress', `${ingress.state}, epoch ${ingress.epoch}${sealed}`],
    ['behind', `${count(ingress.buffered)} events, ${formatDuration(ingress.lagSeconds)}`],
    ['quarantined', count(ingress.quarantined)],
    ...dataset.contaminated.map(
      (mark) =>
        [
          'contaminated',
          `[${mark.from}, ${mark.to})  ${oneLine(mark.reason)}${mark.repairedBy === null ? '' : `; repaired by ${mark.repairedBy}`}`,
        ] as const,
    ),
  ]);
  const generations = table(
    ['GENERATION', 'STATE', 'RELEASE', 'SERVED FROM', 'UNTIL', 'KEPT UNTIL'],
    dataset.generations.map((each) => [
      each.name,
      each.state,
      each.release ?? '–',
      each.servedFrom ?? '–',
      each.servedUntil ?? '–',
      each.keptUntil ?? '–',
    ]),
  );
  return `${head}\n${generations}`;
}
