import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { EXIT } from '@/lib/domain/refusal';
import type { CorrectionItem } from '@/lib/queries/corrections';
import type { PartitionHistory } from '@/lib/queries/corrections-history';
import type { Page } from '@/lib/queries/page';
import { type Answer, CliError, pathOf } from '../api-client';
import { correctionsText, historyText } from '../correction-text';
import { instant, oneOf, wholeNumber } from '../options';
import { partitionStart } from '../partition-start';
import { type Session, withJson } from '../session';

interface ListOptions {
  from?: string;
  to?: string;
  release?: string;
  kind?: string;
  by?: string;
  format?: 'csv' | 'json';
  out?: string;
  limit: number;
  cursor?: string;
}

export function addCorrectionCommands(program: Command, session: Session): void {
  const correction = program
    .command('correction')
    .description('what sealed partitions would be now, beside what was published');
  withJson(correction.command('list'))
    .description('corrections, newest first; with --format all of them, as a file with a digest')
    .argument('<dataset>')
    .option('--from <instant>', 'partitions that begin from here on', instant)
    .option('--to <instant>', 'and before this', instant)
    .option('--release <release>', 'of one release, name@n or its name')
    .option('--kind <kind>', 'amend, cutover or rollback', oneOf(['amend', 'cutover', 'rollback']))
    .option('--by <person>')
    .option('--format <format>', 'csv or json', oneOf(['csv', 'json']))
    .option('--out <file>', 'with --format: write it there')
    .option('--limit <n>', 'without --format: at most so many', wholeNumber(1, 1_000), 100)
    .option('--cursor <cursor>', 'without --format: the page after this one')
    .action((dataset: string, options: ListOptions) => list(session, dataset, options));
  withJson(correction.command('history'))
    .description('one sealed partition: publications, corrections, and what is pending')
    .argument('<dataset>')
    .argument('<date>', 'its start instant, or a date in it in the dataset’s zone')
    .action(async (dataset: string, date: string) => {
      const start = await partitionStart(session.api, dataset, date);
      const path = `${pathOf('datasets', dataset, 'partitions', start)}/history`;
      await session.show<PartitionHistory>(await session.api.get(path), historyText);
    });
}

async function list(session: Session, dataset: string, options: ListOptions): Promise<void> {
  const { from, to, release, kind, by, format, out, limit, cursor } = options;
  const path = `${pathOf('datasets', dataset)}/corrections`;
  const filter = { from, to, release, kind, by };
  if (format === undefined) {
    if (out !== undefined) throw new CliError('--out needs --format.', EXIT.usage);
    const answer = await session.api.get(path, { ...filter, limit: String(limit), cursor });
    await session.show<Page<CorrectionItem>>(answer, (page) => correctionsText(dataset, page));
    return;
  }
  if (cursor !== undefined) throw new CliError('--format takes no --cursor.', EXIT.usage);
  const answer = await session.api.get(path, { ...filter, format });
  const digest = digestOf(answer);
  if (out === undefined) await session.io.write(answer.text);
  else await writeOut(out, answer.text);
  session.io.say(`sha256:${digest.toString('hex')}`);
  if (answer.headers.get('x-interlock-cut') === 'true') {
    session.io.say('There are more corrections than one file takes; narrow the filter.');
    session.exitCode = EXIT.failure;
  }
}

/** The digest that came with a file, once its bytes are seen to have it. */
function digestOf({ headers, text }: Answer): Buffer {
  const said = /(?:^|,\s*)sha-256=:([^:]+):/.exec(headers.get('content-digest') ?? '')?.[1];
  const found = createHash('sha256').update(text, 'utf8').digest();
  if (said !== found.toString('base64')) {
    throw new CliError('What came is not what the server sent: its digest differs. Try again.');
  }
  return found;
}

async function writeOut(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, text);
  } catch (error) {
    throw new CliError(`${file} cannot be written: ${(error as Error).message}`, EXIT.failure, {
      cause: error,
    });
  }
}
