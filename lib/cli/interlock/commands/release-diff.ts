import type { Command } from 'commander';
import * as z from 'zod';
import { DIFF_CLASSES } from '@/lib/domain/diff-class';
import { CliError, pathOf } from '../api-client';
import { csvLine } from '../csv-out';
import { instant, oneOf, releaseRef, wholeNumber } from '../options';
import { type Session, withJson } from '../session';

interface DiffOptions {
  partition?: string;
  class?: string;
  rule?: string;
  format: 'csv' | 'jsonl';
  limit?: number;
  cursor?: string;
}

const pageShape = z.object({
  items: z.array(z.record(z.string(), z.unknown())),
  nextCursor: z.string().nullish(),
});

type Item = Readonly<Record<string, unknown>>;

const PAGE = 500;
const SIDES = ['old', 'control', 'new'] as const;

export function addDiffCommand(release: Command, session: Session): void {
  withJson(release.command('diff'))
    .description('rows that differ between old, control and new')
    .argument('<name@n>', 'one revision', releaseRef)
    .option('--partition <start>', 'of one partition', instant)
    .option('--class <class>', DIFF_CLASSES.join(', '), oneOf(DIFF_CLASSES))
    .option('--rule <rule>', 'explained by one rule')
    .option('--format <format>', 'csv or jsonl', oneOf(['csv', 'jsonl']), 'csv')
    .option('--limit <rows>', 'at most so many', wholeNumber(1))
    .option('--cursor <cursor>', 'with --json: the page after this one')
    .action((reference: string, options: DiffOptions) => printDiff(session, reference, options));
}

async function printDiff(session: Session, reference: string, options: DiffOptions): Promise<void> {
  const { partition, class: kind, rule, limit, format } = options;
  const path = `${pathOf('releases', reference)}/diff`;
  const query = { partition, class: kind, rule };
  if (session.json) {
    const page = { cursor: options.cursor, limit: limit === undefined ? undefined : String(limit) };
    await session.show(await session.api.get(path, { ...query, ...page }), () => '');
    return;
  }
  const columns = format === 'csv' ? await columnsOf(session, reference) : [];
  if (format === 'csv') await session.io.write(csvLine(heading(columns)));
  let left = limit ?? Number.POSITIVE_INFINITY;
  for (let cursor: string | undefined; left > 0; ) {
    const size = String(Math.min(PAGE, left));
    const answer = await session.api.get(path, { ...query, limit: size, cursor });
    const page = pageShape.safeParse(answer.body);
    if (!page.success)
      throw new CliError('the server answers with a difference in an unknown form');
    const items = page.data.items.slice(0, left);
    const out = items.map((item) =>
      format === 'csv' ? csvLine(cells(item, columns)) : `${JSON.stringify(item)}\n`,
    );
    await session.io.write(out.join(''));
    left -= items.length;
    if (!page.data.nextCursor) return;
    cursor = page.data.nextCursor;
  }
}

/** The dataset's columns: each has three cells, one for each side. */
async function columnsOf(session: Session, reference: string): Promise<string[]> {
  const release = (await session.api.get(pathOf('releases', reference))).body as {
    dataset: string;
  };
  const dataset = (await session.api.get(pathOf('datasets', release.dataset))).body as {
    columns: { name: string }[];
  };
  return dataset.columns.map(({ name }) => name);
}

const LEADING = ['partition', 'key', 'class', 'rule', 'kind', 'drift', 'changed'] as const;

function heading(columns: readonly string[]): string[] {
  return [...LEADING, ...columns.flatMap((name) => SIDES.map((side) => `${side}.${name}`))];
}

function cells(item: Item, columns: readonly string[]): unknown[] {
  const sides = SIDES.map((side) => (item[side] ?? {}) as Item);
  const leading = LEADING.map((name) => {
    const value = item[name];
    return Array.isArray(value) ? value.join(' ') : value;
  });
  return [...leading, ...columns.flatMap((name) => sides.map((row) => row[name]))];
}
