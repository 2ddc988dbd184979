import type { Command } from 'commander';
import { ASKED_KINDS, type AskedKind } from '@/lib/domain/notices';
import type { NoticeView, SubscriberView } from '@/lib/queries/notices';
import type { Page } from '@/lib/queries/page';
import { pathOf } from '../api-client';
import { collect, oneOf, wholeNumber } from '../options';
import { count, oneLine, table } from '../print';
import { type Session, withJson } from '../session';

interface Paging {
  limit: number;
  cursor?: string;
}

export function addSubscriberCommands(program: Command, session: Session): void {
  const subscriber = program
    .command('subscriber')
    .description('who is told what became of datasets');
  const readKind = oneOf(ASKED_KINDS);
  withJson(subscriber.command('add'))
    .description('tell somebody from now on; the secret that signs each call is shown once')
    .argument('<name>', 'a name that was never used')
    .argument('<url>', 'https, or http inside a network; without name and password')
    .option('--dataset <name>', 'of this dataset alone')
    .option(
      '--kind <kind>',
      `of this alone: ${ASKED_KINDS.join(', ')}; may be repeated`,
      (text: string, before: readonly string[] | undefined) => collect(readKind(text), before),
    )
    .action(
      async (name: string, url: string, options: { dataset?: string; kind?: AskedKind[] }) => {
        const body = { name, url, dataset: options.dataset, kinds: options.kind };
        const answer = await session.api.post(pathOf('subscribers'), body);
        if (!session.json) session.io.say('This secret is shown once; give it to the receiver:');
        await session.show<{ secret: string }>(answer, ({ secret }) => `${secret}\n`);
      },
    );
  paged(withJson(subscriber.command('list')))
    .description('subscribers by name, those that were ended too')
    .action(async ({ limit, cursor }: Paging) => {
      const query = { limit: String(limit), cursor };
      const answer = await session.api.get(pathOf('subscribers'), query);
      await session.show<Page<SubscriberView>>(answer, subscribersText);
    });
  withJson(subscriber.command('test'))
    .description('send it a notice of kind TEST; `subscriber list` says whether it arrived')
    .argument('<name>')
    .action(async (name: string) => {
      const answer = await session.api.post(`${pathOf('subscribers', name)}/test`, {});
      await session.show<NoticeView>(answer, ({ id }) => `test ${id} is on its way to ${name}\n`);
    });
  withJson(subscriber.command('end'))
    .description('tell it nothing more; what still waits is given up')
    .argument('<name>')
    .action(async (name: string) => {
      const answer = await session.api.persist({
        method: 'DELETE',
        path: pathOf('subscribers', name),
      });
      await session.show(answer, () => `${name} is ended\n`);
    });

  const notice = program.command('notice').description('what subscribers were told');
  paged(withJson(notice.command('list')))
    .description('notices of a dataset, newest first, with what became of each delivery')
    .argument('<dataset>')
    .action(async (dataset: string, { limit, cursor }: Paging) => {
      const query = { limit: String(limit), cursor };
      const answer = await session.api.get(`${pathOf('datasets', dataset)}/notices`, query);
      await session.show<Page<NoticeView>>(answer, (page) => noticesText(dataset, page));
    });
}

const paged = (command: Command): Command =>
  command
    .option('--limit <n>', 'at most so many', wholeNumber(1, 1_000), 100)
    .option('--cursor <cursor>', 'the page after this one');

const more = ({ nextCursor }: Page<unknown>): string =>
  nextCursor === null ? '' : `more: --cursor ${nextCursor}\n`;

function subscribersText(page: Page<SubscriberView>): string {
  if (page.items.length === 0) return 'nobody is told of anything\n';
  const text = table(
    ['NAME', 'DATASET', 'KINDS', 'LAST', 'WAITING', 'FAILED', 'URL'],
    page.items.map(({ name, dataset, kinds, last, waiting, failed, endedAt, url }) => [
      name,
      dataset ?? 'every',
      kinds.join(',') || 'all',
      endedAt === null ? lastText(last) : `ended ${endedAt}`,
      count(waiting),
      count(failed),
      oneLine(url),
    ]),
  );
  return `${text}${more(page)}`;
}

function lastText(last: SubscriberView['last']): string {
  if (last === null) return 'told nothing yet';
  const { kind, state, deliveredAt, nextAttemptAt } = last;
  if (state === 'DELIVERED') return `${kind} delivered ${deliveredAt}`;
  return state === 'FAILED' ? `${kind} failed` : `${kind} waits, next try ${nextAttemptAt}`;
}

function noticesText(dataset: string, page: Page<NoticeView>): string {
  if (page.items.length === 0) return `nothing was told of ${dataset}\n`;
  const text = table(
    ['AT', 'KIND', 'SUBJECT', 'TOLD', 'ID'],
    page.items.map(({ at, kind, subject, deliveries, id }) => [
      at,
      kind,
      oneLine(subject),
      deliveries.map((each) => `${each.subscriber} ${each.state}`).join(', ') || 'nobody asked',
      id,
    ]),
  );
  return `${text}${more(page)}`;
}
