import type { Command } from 'commander';
import type { ReportView, ShadowView } from '@/lib/queries/reports';
import { pathOf } from '../api-client';
import { releaseRef, wholeNumber } from '../options';
import { fields, lines, oneLine, shortDigest, table } from '../print';
import { type Session, withJson } from '../session';
import { readText } from '../yaml-file';

export function addReportCommands(program: Command, session: Session): void {
  const report = program
    .command('report')
    .description('queries that are read on the old and the new generation of a release');

  withJson(report.command('save'))
    .description('save a report, in the place of the one of this name')
    .argument('<dataset>')
    .argument('<name>', 'for people, one line')
    .requiredOption('-f, --file <file>', 'its SQL, one SELECT over the dataset; - is stdin')
    .option('--limit <seconds>', 'how long one reading may take', wholeNumber(1, 600))
    .action(
      async (dataset: string, name: string, { file, limit }: { file: string; limit?: number }) => {
        const body = { name, sql: await readText(file), limitSeconds: limit };
        const answer = await session.api.post(`${pathOf('datasets', dataset)}/reports`, body);
        await session.show<ReportView>(answer, reportText);
      },
    );
  withJson(report.command('list'))
    .description('the reports of a dataset that are in use')
    .argument('<dataset>')
    .action(async (dataset: string) => {
      const answer = await session.api.get(`${pathOf('datasets', dataset)}/reports`);
      await session.show<{ items: ReportView[] }>(answer, ({ items }) => listText(dataset, items));
    });
  withJson(report.command('end'))
    .description('end a report: it is read no more')
    .argument('<id>')
    .action(async (id: string) => {
      const answer = await session.api.post(`${pathOf('reports', id)}/end`, {});
      await session.show<ReportView>(answer, reportText);
    });
}

export function addShadowCommand(release: Command, session: Session): void {
  withJson(release.command('shadow'))
    .description('what the saved reports come to on the old and the new generation')
    .argument('<name@n>', 'one revision', releaseRef)
    .option('--read', 'have them read anew')
    .option(
      '--report <id>',
      'with --read: this one; may be repeated',
      (id, all: string[]) => [...all, id],
      [],
    )
    .action(async (reference: string, options: { read?: true; report: string[] }) => {
      const path = `${pathOf('releases', reference)}/shadow`;
      const reports = options.report.length > 0 ? { reports: options.report } : {};
      const answer = options.read
        ? await session.api.post(path, reports)
        : await session.api.get(path);
      await session.show<{ items: ShadowView[] }>(answer, ({ items }) => shadowText(items));
    });
}

function reportText(report: ReportView): string {
  return fields([
    ['report', report.id],
    ['dataset', report.dataset],
    ['name', report.name],
    ['digest', report.digest],
    ['limit', `${report.limitSeconds} s`],
    ['saved', `by ${report.madeBy}, ${report.madeAt}`],
    ['ended', report.endedAt],
  ]);
}

function listText(dataset: string, items: readonly ReportView[]): string {
  if (items.length === 0) return `no report of ${dataset} is saved\n`;
  return table(
    ['REPORT', 'NAME', 'LIMIT', 'SAVED BY', 'AT', 'SQL'],
    items.map((report) => [
      report.id,
      report.name,
      `${report.limitSeconds} s`,
      report.madeBy,
      report.madeAt,
      oneLine(report.sql),
    ]),
  );
}

function shadowText(items: readonly ShadowView[]): string {
  if (items.length === 0) return 'no report is saved\n';
  return items.map(readOutText).join('\n');
}

function readOutText({ report, read }: ShadowView): string {
  const compared = read?.compared ?? null;
  const head = fields([
    ['report', `${report.id}  ${report.name}`],
    ['state', stateOf(read)],
    ['asked', read && `by ${read.askedBy}, ${read.askedAt}`],
    ['old', compared && sideText(compared.old)],
    ['new', compared && sideText(compared.new)],
    ['apart', compared && compared.eventsApart !== '0' ? `${compared.eventsApart} events` : null],
  ]);
  if (!compared || compared.sample.length === 0) return head;
  const shown = (row: readonly (string | null)[] | null) =>
    row === null ? compared.columns.map(() => '') : row.map((value) => value ?? 'NULL');
  const differing = table(
    ['', ...compared.columns],
    compared.sample.flatMap((each) => [
      ['-', ...shown(each.old)],
      ['+', ...shown(each.new)],
    ]),
  );
  const more = BigInt(compared.differing) - BigInt(compared.sample.length);
  return head + differing + lines(more > 0n ? [`and ${more} more`] : []);
}

function stateOf(read: ShadowView['read']): string {
  switch (read?.state) {
    case undefined:
      return 'not read';
    case 'ASKED':
      return 'asked for';
    case 'READING':
      return 'being read';
    case 'STOPPED':
      return `stopped: ${oneLine(read.why ?? '')}`;
    case 'COMPARED':
      return read.compared?.differing === '0'
        ? 'the same on both'
        : `${read.compared?.differing} rows differ`;
  }
}

const sideText = (side: { generation: string; rows: string; root: string; millis: number }) =>
  `${side.generation}, ${side.rows} rows in ${(side.millis / 1_000).toFixed(1)} s, ${shortDigest(side.root)}`;
