import { type Command, Option } from 'commander';
import { CliError, pathOf } from '../api-client';
import { collect, digest, instant, oneOf, releaseRef, wholeNumber } from '../options';
import { type Release, stateText } from '../release-text';
import { type Session, withJson } from '../session';
import { watchRelease } from '../watch';
import { usage } from '../yaml-file';

type Given = Readonly<Record<string, unknown>>;

interface Move {
  readonly name: string;
  readonly what: string;
  readonly options?: readonly Option[];
  /** The request's body from the options that were given. */
  readonly body?: (given: Given) => Record<string, unknown>;
}

const comment = () => new Option('--comment <text>', 'why; kept in the audit chain');
const evidence = (what: string) => new Option('--evidence <digest>', what).argParser(digest);
const statement = () => new Option('--statement <text>', 'what is signed, in words; kept with it');

/** The evidence that was looked at is named, never fetched: one signs what one has seen. */
function signed(given: Given): Record<string, unknown> {
  if (given.evidence === undefined) {
    throw usage(
      '--evidence is missing: the digest of the evidence that you looked at (release show)',
    );
  }
  return pick(given, ['evidence', 'statement', 'comment']);
}

const MOVES: readonly Move[] = [
  {
    name: 'pin',
    what: 'freeze the draft, its plan and the snapshot that it reads',
    options: [
      comment(),
      new Option(
        '--plan <digest>',
        'the plan that was looked at; another one is refused',
      ).argParser(digest),
    ],
    body: ({ plan, ...given }) => ({
      ...pick(given, ['comment']),
      ...(plan === undefined ? {} : { planDigest: plan }),
    }),
  },
  { name: 'build', what: 'start building the planned partitions' },
  { name: 'rehearse', what: 'compare old and candidate before the seal' },
  {
    name: 'drill',
    what: 'try cutover and rollback on a fork of the dataset, timed; production is untouched',
  },
  { name: 'seal', what: 'close the ingress epoch and fix the barrier' },
  { name: 'reopen', what: 'open ingress again, on the old generation' },
  {
    name: 'accept',
    what: 'accept drift or quarantine by name, quoting what was seen',
    options: [
      new Option('--what <what>', 'drift or quarantine')
        .argParser(oneOf(['drift', 'quarantine']))
        .makeOptionMandatory(),
      new Option('--partition <start>', 'of this partition only').argParser(instant),
      new Option('--class <class>', 'of this class only'),
      new Option('--count <n>', 'how many were seen')
        .argParser(wholeNumber(0))
        .makeOptionMandatory(),
      new Option('--digest <digest>', 'the digest that was seen')
        .argParser(digest)
        .makeOptionMandatory(),
      new Option('--reason <text>', 'why'),
      new Option('--comment <text>', 'the same as --reason').hideHelp(),
    ],
    body: (given) => {
      const reason = given.reason ?? given.comment;
      if (reason === undefined) throw usage('--reason is missing');
      return { ...pick(given, ['what', 'partition', 'class', 'count', 'digest']), reason };
    },
  },
  {
    name: 'approve',
    what: 'sign the cutover, on the evidence that was looked at',
    options: [evidence('the evidence that was looked at'), statement(), comment()],
    body: signed,
  },
  {
    name: 'reject',
    what: 'end the release, with a comment',
    body: (given) => {
      if (given.comment === undefined) throw usage('--comment is missing: say why');
      return pick(given, ['comment']);
    },
  },
  {
    name: 'sign-rollback',
    what: 'sign the rollback, on the evidence that was looked at',
    options: [evidence('the evidence that was looked at'), statement(), comment()],
    body: signed,
  },
  {
    name: 'activate',
    what: 'cut over: readers get the new generation',
    options: [comment(), evidence('refuse where this is not the evidence')],
    body: (given) => pick(given, ['comment', 'evidence']),
  },
  {
    name: 'rollback',
    what: 'go back to the old generation, keeping the writes made since',
    options: [comment(), evidence('refuse where this is not the evidence')],
    body: (given) => pick(given, ['comment', 'evidence']),
  },
  { name: 'call-off', what: 'call a rollback off before its switch' },
  { name: 'abandon', what: 'end the release before it is active; its candidate is dropped' },
  { name: 'pause', what: 'stop new work; what runs is finished' },
  { name: 'resume', what: 'let work go on' },
  { name: 'hold', what: 'keep the release from moving forward' },
  { name: 'unhold', what: 'lift the hold' },
  {
    name: 'retry',
    what: 'build failed partitions again, or run a failed step again',
    options: [
      new Option('--partition <start>', 'a failed partition; may be repeated').argParser(
        (text: string, before?: string[]) => collect(instant(text), before),
      ),
      new Option('--step <step>', 'the step that failed'),
      new Option('--reason <text>', 'why; required with --step'),
      comment(),
    ],
    body: (given) => {
      const { partition, step, reason } = given;
      if (step !== undefined && partition !== undefined) throw usage('give --partition or --step');
      if (step !== undefined && reason === undefined) throw usage('--reason is missing: say why');
      return {
        ...pick(given, ['step', 'reason', 'comment']),
        ...(partition === undefined ? {} : { partitions: partition }),
      };
    },
  },
  {
    name: 'limits',
    what: 'change limits while it runs, within the frozen ceilings',
    options: [
      new Option('--concurrency <n>', 'partitions built at once').argParser(wholeNumber(1, 64)),
      new Option('--reason <text>', 'why'),
      comment(),
    ],
    body: (given) => {
      if (given.concurrency === undefined) throw usage('say which limit: --concurrency');
      return pick(given, ['concurrency', 'reason', 'comment']);
    },
  },
];

const DEFAULT_WAIT_SECONDS = 3_600;

export function addMoveCommands(release: Command, session: Session): void {
  for (const move of MOVES) {
    const command = withJson(release.command(move.name))
      .description(move.what)
      .argument('<name@n>', 'one revision', releaseRef)
      .addOption(
        new Option('--wait [seconds]', 'until the runner has nothing left to do for it')
          .argParser(wholeNumber(0))
          .preset(String(DEFAULT_WAIT_SECONDS)),
      )
      .option('--if-match <version>', 'refuse where the release is at another version');
    for (const option of move.options ?? [comment()]) command.addOption(option);
    command.action((reference: string, given: Given) => make(session, move, reference, given));
  }
}

async function make(session: Session, move: Move, reference: string, given: Given): Promise<void> {
  const body = (move.body ?? ((all: Given) => pick(all, ['comment'])))(given);
  const path = pathOf('releases', reference);
  const ifMatch = given.ifMatch as string | undefined;
  let answer = await session.api.post(
    `${path}/${move.name}`,
    body,
    {},
    ifMatch === undefined ? {} : { 'if-match': `"${ifMatch.replaceAll('"', '')}"` },
  );
  const seconds = given.wait as number | undefined;
  if (seconds !== undefined) {
    const through = await watchRelease(session, reference, performance.now() + seconds * 1_000);
    answer = await session.api.get(path);
    if (!through) {
      await session.show<Release>(answer, oneLine);
      throw new CliError(`${reference} is still at work after ${seconds} s`);
    }
  }
  await session.show<Release>(answer, oneLine);
}

function oneLine(release: Release): string {
  return `${release.release} ${stateText(release)}\n`;
}

function pick(given: Given, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(
    names.flatMap((name) => (given[name] === undefined ? [] : [[name, given[name]] as const])),
  );
}
