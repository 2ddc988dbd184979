import { type Command, Option } from 'commander';
import { EXIT } from '@/lib/domain/refusal';
import { hasEnded, RUN_KINDS, RUN_STATES } from '@/lib/domain/runs';
import type { RunItem, RunView } from '@/lib/queries/runs';
import { type Answer, pathOf } from '../api-client';
import { instant, oneOf, wholeNumber } from '../options';
import { count, fields, lines, table } from '../print';
import { type Session, withJson } from '../session';
import { usage } from '../yaml-file';

/** What one call of the API waits at most; the command line asks again until its own time is over. */
const MOST_WAIT = 300;
const ANSWERED = ['overwritable', 'earlierComplete', 'publishedSeen'] as const;

interface Given {
  owner?: string;
  overwritable?: boolean;
  earlierComplete?: boolean;
  publishedSeen?: boolean;
  tell?: string;
  wait?: number;
  reason?: string;
}

interface ListOptions {
  state?: string;
  kind?: string;
  limit: number;
  cursor?: string;
}

export function addRunCommands(program: Command, session: Session): void {
  const run = program.command('run').description('partitions computed again from the log');
  withWait(withAnswers(withJson(run.command('start', { isDefault: true }))))
    .description('have the partitions of a range computed again; exit code 1 unless it is green')
    .argument('<dataset>')
    .argument('<from>', 'start of the first partition', instant)
    .argument('<to>', 'end of the last partition, not included', instant)
    .option('--owner <name>', 'whose claims do not stop it; yours unless given')
    .action(async (dataset: string, from: string, to: string, given: Given) => {
      const body = { from, to, owner: given.owner, ...answersOf(given) };
      const path = `${pathOf('datasets', dataset)}/runs`;
      await ended(session, await session.api.post(path, body, waited(given)), given);
    });
  withJson(run.command('list'))
    .description('runs of a dataset, newest first')
    .argument('<dataset>')
    .option('--state <state>', RUN_STATES.join(', '), oneOf(RUN_STATES))
    .option('--kind <kind>', RUN_KINDS.join(' or '), oneOf(RUN_KINDS))
    .option('--limit <n>', 'at most so many', wholeNumber(1, 1_000), 50)
    .option('--cursor <cursor>', 'the page after this one')
    .action(async (dataset: string, { state, kind, limit, cursor }: ListOptions) => {
      const query = { state, kind, limit: String(limit), cursor };
      const answer = await session.api.get(`${pathOf('datasets', dataset)}/runs`, query);
      await session.show<{ items: RunItem[]; nextCursor: string | null }>(answer, listText);
    });
  withJson(run.command('show'))
    .description('a run with every skip and its reason')
    .argument('<id>', 'its number')
    .action(async (id: string) => {
      await session.show<RunView>(await session.api.get(pathOf('runs', id)), runText);
    });
  withWait(withAnswers(withJson(run.command('retry'))))
    .description('a new run over what failed or was skipped in an ended one')
    .argument('<id>', 'its number')
    .action(async (id: string, given: Given) => {
      const path = `${pathOf('runs', id)}/retry`;
      await ended(session, await session.api.post(path, answersOf(given), waited(given)), given);
    });
  withWait(withJson(run.command('confirm')))
    .description('confirm another person’s run, as the second')
    .argument('<id>', 'its number')
    .action(async (id: string, given: Given) => {
      const answer = await session.api.post(`${pathOf('runs', id)}/confirm`, {}, waited(given));
      await ended(session, answer, given);
    });
  withJson(run.command('cancel'))
    .description('end a run before its next partition')
    .argument('<id>', 'its number')
    .requiredOption('--reason <text>', 'why; kept with the run')
    .action(async (id: string, { reason }: Given) => {
      const answer = await session.api.post(`${pathOf('runs', id)}/cancel`, { reason });
      await session.show<RunView>(answer, runText);
    });
}

const yesNo = (text: string): boolean => oneOf(['yes', 'no'])(text) === 'yes';

function withAnswers(command: Command): Command {
  return command
    .addOption(
      new Option('--overwritable <yes|no>', 'what stands there may be replaced').argParser(yesNo),
    )
    .addOption(
      new Option('--earlier-complete <yes|no>', 'the partitions before are complete').argParser(
        yesNo,
      ),
    )
    .addOption(
      new Option('--published-seen <yes|no>', 'it was looked at what was published').argParser(
        yesNo,
      ),
    )
    .option('--tell <text>', 'who is told of it, and how');
}

function withWait(command: Command): Command {
  return command.addOption(
    new Option('--wait [seconds]', 'stay until it has ended, an hour; 30 seconds without this')
      .argParser(wholeNumber(0, 86_400))
      .preset('3600'),
  );
}

/** All of the three questions, or none: who was asked has answered them all. */
function answersOf(given: Given): { answers?: Record<string, unknown> } {
  const answered = ANSWERED.filter((name) => given[name] !== undefined);
  if (answered.length === 0 && given.tell === undefined) return {};
  if (answered.length < ANSWERED.length) {
    throw usage('--overwritable, --earlier-complete and --published-seen go together');
  }
  const { overwritable, earlierComplete, publishedSeen, tell = null } = given;
  return { answers: { overwritable, earlierComplete, publishedSeen, tell } };
}

const secondsOf = ({ wait }: Given) => wait ?? 30;
const waited = (given: Given) => ({ wait: String(Math.min(secondsOf(given), MOST_WAIT)) });

/** Waits on, shows the run, and sets the exit code: 0 only for one that is green, or was not waited for. */
async function ended(session: Session, first: Answer, given: Given): Promise<void> {
  const until = performance.now() + secondsOf(given) * 1_000;
  let answer = first;
  for (;;) {
    const run = answer.body as RunView;
    const left = Math.ceil((until - performance.now()) / 1_000);
    if (hasEnded(run.state) || run.state === 'second_person' || left <= 0) break;
    const wait = String(Math.min(left, MOST_WAIT));
    answer = await session.api.get(pathOf('runs', run.id), { wait });
  }
  const { green } = answer.body as RunView;
  if (green !== true && secondsOf(given) > 0) session.exitCode = EXIT.failure;
  await session.show<RunView>(answer, runText);
}

function runText(run: RunView): string {
  const { done, skipped, failed, planned, changed } = run;
  return (
    fields([
      ['run', `${run.id}, ${stateText(run)}`],
      ['dataset', run.dataset],
      ['range', `[${run.range.from}, ${run.range.to})`],
      ['owner', run.by === run.owner ? run.owner : `${run.owner}, asked for by ${run.by}`],
      ['retry of', run.retryOf],
      ['scheduled', run.scheduledFor],
      ['second', run.secondNeeded ? (run.secondBy ?? 'another person has to confirm it') : null],
      ['why', run.why],
      [
        'partitions',
        `${count(done.length)} done (${count(changed.length)} changed), ${count(skipped.length)} skipped, ${count(failed.length)} failed, ${count(planned.length)} to come`,
      ],
      ['rows', count(run.rows)],
    ]) +
    lines([
      ...skipped.map(([start, reason]) => `skipped  ${start}  ${reason}`),
      ...failed.map(([start, message]) => `failed   ${start}  ${message}`),
    ])
  );
}

const stateText = ({ state, green }: Pick<RunView, 'state' | 'green'>) =>
  green === null ? state : `${state}, ${green ? 'green' : 'not green'}`;

function listText({ items, nextCursor }: { items: RunItem[]; nextCursor: string | null }): string {
  if (items.length === 0) return 'there is no run\n';
  const rows = items.map((run) => [
    run.id,
    run.kind,
    stateText(run),
    run.range.from,
    run.range.to,
    run.owner,
    `${count(run.counts.done)}/${count(run.counts.skipped)}/${count(run.counts.failed)}`,
    run.createdAt,
  ]);
  const more = nextCursor === null ? '' : `more: --cursor ${nextCursor}\n`;
  return `${table(['RUN', 'KIND', 'STATE', 'FROM', 'TO', 'OWNER', 'DONE/SKIPPED/FAILED', 'ASKED'], rows)}${more}`;
}
