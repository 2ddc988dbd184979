import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Command } from 'commander';
import { type Format, findInputs } from '@/lib/cli/import/inputs';
import { defaultMapping, type Mapping, parseMapping } from '@/lib/cli/import/mapping';
import { columnReaders } from '@/lib/cli/import/payload';
import { type ImportSummary, runImport } from '@/lib/cli/import/run-import';
import { type NamedSource, namedSourceSchema } from '@/lib/cli/import/source-shape';
import { MOST_EVENTS } from '@/lib/domain/event';
import { formatDuration, plural } from '@/lib/domain/figures';
import { EXIT } from '@/lib/domain/refusal';
import { CliError, pathOf } from '../api-client';
import { oneOf, wholeNumber } from '../options';
import { count, fields } from '../print';
import { startProgress } from '../progress';
import { type Session, withJson } from '../session';
import { usage } from '../yaml-file';

interface Options {
  format?: Format;
  map?: string;
  rejects?: string;
  strict?: true;
  restart?: true;
  batch: number;
}

const DEFAULT_BATCH = 5_000;

export function addImportCommand(source: Command, session: Session): void {
  withJson(source.command('import'))
    .description('bring CSV or JSON Lines files, gzipped or not, into the log of a source')
    .argument('<name>', 'the source')
    .argument('<path...>', 'files, and folders of them')
    .option(
      '--format <format>',
      'csv or jsonl; by the mapping or the name otherwise',
      oneOf(['csv', 'jsonl']),
    )
    .option('--map <file>', 'mapping file; without one, columns go by name')
    .option('--rejects <file>', 'write bad lines to this file too, as JSON Lines')
    .option('--strict', 'stop at the first bad line')
    .option('--restart', 'send everything again, also what is known to be in the log')
    .option('--batch <events>', 'events in one call', wholeNumber(1, MOST_EVENTS), DEFAULT_BATCH)
    .action(async (name: string, paths: string[], options: Options) => {
      await importSource(session, name, paths, options);
    });
}

async function importSource(
  session: Session,
  name: string,
  paths: readonly string[],
  options: Options,
): Promise<void> {
  const mapping = options.map === undefined ? defaultMapping() : await mappingOf(options.map);
  const { files, leftOut } = await findInputs(paths, options.format ?? mapping.format);
  checkNames(mapping, files);
  const source = await sourceOf(session, name);
  // What is wrong for every file is said once, before anything is sent.
  columnReaders(mapping, source, files[0]?.format ?? 'csv');

  const total = files.reduce((sum, file) => sum + file.bytes, 0);
  const bar = startProgress(session.io, total);
  const started = performance.now();
  if (leftOut.length > 0)
    bar.say(`left out, being neither CSV nor JSON Lines: ${leftOut.join(', ')}`);
  try {
    const summary = await runImport(
      session.api,
      {
        source,
        files,
        mapping,
        mapped: options.map !== undefined,
        batchSize: options.batch,
        strict: options.strict === true,
        restart: options.restart === true,
        rejects: options.rejects,
        memory: path.join(session.io.dataFolder, 'import'),
      },
      {
        say: bar.say,
        progress: ({ bytes, lines, bad }) => bar.at(bytes, rateText(lines, bad, started)),
      },
    );
    bar.end();
    await session.showOwn(summary, (own) => summaryText(own, started));
    if (summary.bad > 0 || summary.unreadable > 0) session.exitCode = EXIT.failure;
  } finally {
    bar.end();
  }
}

async function mappingOf(file: string): Promise<Mapping> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    throw usage(`${file} cannot be read: ${error instanceof Error ? error.message : error}`);
  }
  return parseMapping(text, file);
}

/** Two files of one name would give their lines the same keys. */
function checkNames(mapping: Mapping, files: readonly { name: string; path: string }[]): void {
  const usesName = JSON.stringify([mapping.key, mapping.eventId, mapping.columns]).includes(
    '"$file"',
  );
  const seen = new Map<string, string>();
  for (const { name, path: file } of usesName ? files : []) {
    const other = seen.get(name);
    if (other !== undefined) throw usage(`$file is ${name} for both ${other} and ${file}`);
    seen.set(name, file);
  }
}

async function sourceOf(session: Session, name: string): Promise<NamedSource> {
  const { body } = await session.api.get(pathOf('sources', name));
  const parsed = namedSourceSchema.safeParse(body);
  if (parsed.success) return parsed.data;
  throw new CliError('the server describes the source in an unknown form');
}

function rateText(lines: number, bad: number, started: number): string {
  const seconds = (performance.now() - started) / 1_000;
  const rate = seconds > 0 ? Math.round(lines / seconds) : 0;
  const badText = bad === 0 ? '' : ` · ${count(bad)} bad`;
  return `${plural(lines, 'line')} · ${count(rate)}/s${badText}`;
}

function summaryText(summary: ImportSummary, started: number): string {
  const { files, unreadable, lines, skipped, accepted, duplicates, stale, bad } = summary;
  const seconds = (performance.now() - started) / 1_000;
  const inFull = unreadable === 0 ? '' : `, ${unreadable} of them not or not wholly readable`;
  return fields([
    ['files', `${count(files)}${inFull}`],
    ['lines', `${count(lines)} in ${formatDuration(seconds)}`],
    ['accepted', count(accepted)],
    ['duplicates', `${count(duplicates)} (the log had them already)`],
    ['stale', `${count(stale)} (the log has a newer revision)`],
    ['skipped', skipped === 0 ? null : `${count(skipped)} (an earlier run had brought them in)`],
    ['bad', count(bad)],
  ]);
}
