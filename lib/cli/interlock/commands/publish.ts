import type { Command } from 'commander';
import type { CorrectionItem } from '@/lib/queries/corrections';
import type { Page } from '@/lib/queries/page';
import type { PublicationItem, PublicationView } from '@/lib/queries/publications';
import { pathOf } from '../api-client';
import { correctionText } from '../correction-text';
import { instant, wholeNumber } from '../options';
import { partitionStart } from '../partition-start';
import { count, fields, oneLine, table } from '../print';
import { type Session, withJson } from '../session';

interface PublishOptions {
  sentTo?: string;
  document?: string;
}

export function addPublishCommands(program: Command, session: Session): void {
  const publicationsOf = (dataset: string) => `${pathOf('datasets', dataset)}/publications`;
  const publish = withJson(program.command('publish'))
    .description('record that figures were sent out; their partitions are never overwritten again')
    .argument('<dataset>')
    .argument('<from>', 'start of the first partition', instant)
    .argument('<to>', 'end of the last partition, not included', instant)
    .option('--sent-to <text>', 'to whom the figures were sent')
    .option('--document <text>', 'where what was sent is kept')
    .action(async (dataset: string, from: string, to: string, options: PublishOptions) => {
      const { sentTo, document } = options;
      const body = { from, to, sentTo, document };
      const answer = await session.api.post(publicationsOf(dataset), body);
      await session.show<PublicationView>(answer, publishedText);
    });
  withJson(publish.command('list'))
    .description('what was published, newest first')
    .argument('<dataset>')
    .option('--limit <n>', 'at most so many', wholeNumber(1, 1_000), 100)
    .option('--cursor <cursor>', 'the page after this one')
    .action(async (dataset: string, options: { limit: number; cursor?: string }) => {
      const query = { limit: String(options.limit), cursor: options.cursor };
      const answer = await session.api.get(publicationsOf(dataset), query);
      await session.show<Page<PublicationItem>>(answer, (page) => listText(dataset, page));
    });
  withJson(program.command('amend'))
    .description('record what a sealed partition would be now; what is served stays as published')
    .argument('<dataset>')
    .argument('<date>', 'its start instant, or a date in it in the dataset’s zone')
    .requiredOption('--reason <text>', 'why its figures are others now')
    .action(async (dataset: string, date: string, { reason }: { reason: string }) => {
      const partition = await partitionStart(session.api, dataset, date);
      const answer = await session.api.post(`${pathOf('datasets', dataset)}/amendments`, {
        partition,
        reason,
      });
      await session.show<CorrectionItem>(answer, correctionText);
    });
}

function publishedText(publication: PublicationView): string {
  const { id, range, sentTo, document, sealed, already, rows } = publication;
  return fields([
    ['publication', id],
    ['range', `[${range.from}, ${range.to})`],
    ['sent to', oneLine(sentTo)],
    ['document', document === null ? null : oneLine(document)],
    ['sealed', `${count(sealed.length)} partitions, ${count(rows)} rows`],
    ['sealed before', already.length === 0 ? null : `${count(already.length)} partitions`],
  ]);
}

function listText(dataset: string, { items, nextCursor }: Page<PublicationItem>): string {
  if (items.length === 0) return `nothing of ${dataset} was published\n`;
  const text = table(
    ['AT', 'BY', 'FROM', 'TO', 'SEALED', 'SENT TO', 'DOCUMENT'],
    items.map(({ at, by, range, partitions, sentTo, document }) => [
      at,
      by,
      range.from,
      range.to,
      count(partitions),
      oneLine(sentTo),
      oneLine(document ?? '–'),
    ]),
  );
  return nextCursor === null ? text : `${text}more: --cursor ${nextCursor}\n`;
}
