import type { Command } from 'commander';
import type { ContaminationView } from '@/lib/queries/contaminations';
import type { Page } from '@/lib/queries/page';
import { pathOf } from '../api-client';
import { instant, wholeNumber } from '../options';
import { fields, oneLine, table } from '../print';
import { type Session, withJson } from '../session';

interface MarkOptions {
  reason: string;
  servedSince?: string;
  repairedBy?: string;
}

interface ListOptions {
  standing?: true;
  limit: number;
  cursor?: string;
}

const marksOf = (dataset: string) => `${pathOf('datasets', dataset)}/contaminations`;

export function addContaminationCommands(program: Command, session: Session): void {
  const contamination = program
    .command('contamination')
    .description('ranges whose served values are known to be wrong');

  withJson(contamination.command('mark'))
    .description('mark a range: from here on whoever reads of it is warned')
    .argument('<dataset>')
    .argument('<from>', 'start of the first partition', instant)
    .argument('<to>', 'end of the last partition, not included', instant)
    .requiredOption('--reason <text>', 'what is wrong, for whoever has read it')
    .option('--served-since <instant>', 'since when it was served', instant)
    .option('--repaired-by <release>', 'the release that repairs it; its cutover lifts the mark')
    .action(async (dataset: string, from: string, to: string, options: MarkOptions) => {
      const { reason, servedSince, repairedBy } = options;
      const body = { from, to, reason, servedSince, repairedBy };
      const answer = await session.api.post(marksOf(dataset), body);
      await session.show<ContaminationView>(answer, markText);
    });
  withJson(contamination.command('list'))
    .description('all marks with what became of them, newest first')
    .argument('<dataset>')
    .option('--standing', 'only those that stand')
    .option('--limit <n>', 'at most so many', wholeNumber(1, 1_000), 100)
    .option('--cursor <cursor>', 'the page after this one')
    .action(async (dataset: string, { standing, limit, cursor }: ListOptions) => {
      const query = { limit: String(limit), cursor, standing: standing && 'true' };
      const answer = await session.api.get(marksOf(dataset), query);
      await session.show<Page<ContaminationView>>(answer, (page) => listText(dataset, page));
    });
  withJson(contamination.command('link'))
    .description('say which release repairs a mark, all its revisions')
    .argument('<id>')
    .argument('<release>')
    .action(async (id: string, release: string) => {
      const answer = await session.api.post(`${pathOf('contaminations', id)}/link`, { release });
      await session.show<ContaminationView>(answer, markText);
    });
  withJson(contamination.command('lift'))
    .description('lift a mark for good: what was served was not wrong after all')
    .argument('<id>')
    .requiredOption('--reason <text>', 'why it was not wrong')
    .action(async (id: string, { reason }: { reason: string }) => {
      const answer = await session.api.post(`${pathOf('contaminations', id)}/lift`, { reason });
      await session.show<ContaminationView>(answer, markText);
    });
}

function markText(mark: ContaminationView): string {
  return fields([
    ['mark', mark.id],
    ['dataset', mark.dataset],
    ['range', `[${mark.from}, ${mark.to})`],
    ['reason', oneLine(mark.reason)],
    ['served since', mark.servedSince],
    ['marked', `by ${mark.markedBy}, ${mark.markedAt}`],
    ['repaired by', mark.repairedBy],
    ['state', stateText(mark)],
  ]);
}

/** Whether it stands, and what became of it last. */
function stateText({ standing, turns }: ContaminationView): string {
  const last = turns.findLast(({ kind }) => kind !== 'LINKED');
  if (!last) return 'stands';
  if (standing) return `stands, put back by the rollback of ${last.release}, ${last.at}`;
  return last.release === null
    ? `lifted by ${last.by}, ${last.at}: ${oneLine(last.reason ?? '')}`
    : `lifted by the cutover of ${last.release}, ${last.at}`;
}

function listText(dataset: string, { items, nextCursor }: Page<ContaminationView>): string {
  if (items.length === 0) return `nothing of ${dataset} is marked\n`;
  const text = table(
    ['MARK', 'FROM', 'TO', 'REPAIRED BY', 'MARKED BY', 'AT', 'STATE', 'REASON'],
    items.map((mark) => [
      mark.id,
      mark.from,
      mark.to,
      mark.repairedBy ?? '–',
      mark.markedBy,
      mark.markedAt,
      stateText(mark),
      oneLine(mark.reason),
    ]),
  );
  return nextCursor === null ? text : `${text}more: --cursor ${nextCursor}\n`;
}
