import type { Command } from 'commander';
import type { SourceView } from '@/lib/queries/source-view';
import { pathOf } from '../api-client';
import { count, fields, table } from '../print';
import { type Session, withJson } from '../session';
import { readNamed } from '../yaml-file';
import { addImportCommand } from './source-import';

export function addSourceCommands(program: Command, session: Session): void {
  const source = program.command('source').description('streams of business facts');
  withJson(source.command('apply'))
    .description('make a source, or confirm that it is as the file says; retentionDays may change')
    .requiredOption(
      '-f, --file <file>',
      'YAML: name, columns, key, eventTime, shards, complete, retentionDays',
    )
    .action(async ({ file }: { file: string }) => {
      const { name, body } = await readNamed(file);
      const answer = await session.api.put(pathOf('sources', name), body);
      await session.show(answer, () => `source ${name} applied\n`);
    });
  addImportCommand(source, session);
  withJson(source.command('show'))
    .description('columns, shards and size of a source')
    .argument('<name>')
    .action(async (name: string) => {
      const answer = await session.api.get(pathOf('sources', name));
      await session.show<SourceView>(answer, sourceText);
    });
}

function sourceText(source: SourceView): string {
  const head = fields([
    ['source', source.name],
    ['key', source.key.join(', ')],
    ['event time', source.eventTime],
    ['complete', source.complete ? 'yes' : 'no: deletes are not inferred from absence'],
    [
      'retention',
      source.retentionDays === null
        ? 'everything is kept'
        : `${source.retentionDays} days, then the newest event of each key`,
    ],
    ['events', count(source.size)],
    ['datasets', source.datasets?.join(', ')],
  ]);
  const columns = table(
    ['COLUMN', 'TYPE', 'NULL'],
    source.columns.map(({ name, type, nullable }) => [name, type, nullable ? 'yes' : 'no']),
  );
  const shards = table(
    ['SHARD', 'LAST OFFSET', 'RETAINED FROM', 'EVENTS'],
    source.shards.map(({ shard, lastOffset, retainedFrom, size }) => [
      String(shard),
      lastOffset,
      retainedFrom,
      count(size),
    ]),
  );
  return `${head}\n${columns}\n${shards}`;
}
