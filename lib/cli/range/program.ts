import { parseArgs } from 'node:util';
import {
  type Answer,
  amend,
  type Context,
  claim,
  init,
  release,
  rollup,
  rollupAdd,
  run,
  seal,
} from './commands';
import { demo } from './demo';
import { EXIT, type ExitCode, RangeFault } from './fault';
import { jsonText } from './json-text';
import { report } from './report';
import { type Language, WORDS } from './report-words';

const USAGE = `range: re-run a past range of daily partitions without counting it twice.

  init                       make the state store
  run FROM TO OWNER          recompute the partitions of a range, each replaced whole
  claim FROM TO OWNER        reserve a range
  release FROM TO OWNER      let go of one's own reservations
  seal FROM TO               mark a range as sent out: no run touches it again
  amend DATE REASON          record what a sealed partition would be now
  rollup-add FROM TO         add a range's totals to the stored ones (the way that doubles)
  rollup                     derive the totals from all partitions
  report [--lang en|ko]      write backfill_report.json and backfill_report.md beside the store
  demo [--lang en|ko]        make fourteen days and walk through all of this

Dates are YYYY-MM-DD, both ends included. One JSON object on stdout; all else on stderr.
Settings: BACKFILL_DB (state.db), BACKFILL_EVENTS (events).
Exit codes: 0 success, 1 failure (such as a broken line), 2 unknown command, wrong arguments or bad
dates, 3 no state store, 4 reservation refused, 5 something was skipped, 6 not sealed.`;

type Values<Names extends readonly string[]> = { [Index in keyof Names]: string };
type Command = (context: Context, argv: readonly string[]) => Answer | Promise<Answer>;

const RANGE = ['FROM', 'TO'] as const;
const OWNED = [...RANGE, 'OWNER'] as const;

const COMMANDS = new Map<string, Command>([
  ['init', exactly([], init)],
  ['run', exactly(OWNED, run)],
  ['claim', exactly(OWNED, claim)],
  ['release', exactly(OWNED, release)],
  ['seal', exactly(RANGE, seal)],
  ['amend', exactly(['DATE', 'REASON'], amend)],
  ['rollup-add', exactly(RANGE, rollupAdd)],
  ['rollup', exactly([], rollup)],
  ['report', (context, argv) => report(context, languageOf(argv))],
  ['demo', (context, argv) => demo(context, languageOf(argv), (typed) => carryOut(typed, context))],
]);

export interface Streams {
  /** To stdout. */
  write(text: string): void;
}

/**
 * Runs one command line.
 *
 * @param argv the arguments after the program's name
 * @returns the exit code; what went wrong has been said, and then nothing was written
 */
export async function runRange(
  argv: readonly string[],
  context: Context & Streams,
): Promise<ExitCode> {
  const [name = ''] = argv;
  if (['help', '--help', '-h'].includes(name)) {
    context.say(USAGE);
    return EXIT.ok;
  }
  try {
    const { json, exitCode } = await carryOut(argv, context);
    context.write(`${jsonText(json)}\n`);
    return exitCode;
  } catch (error) {
    context.say(error instanceof Error ? error.message : String(error));
    return error instanceof RangeFault ? error.exitCode : EXIT.failure;
  }
}

async function carryOut([name, ...argv]: readonly string[], context: Context): Promise<Answer> {
  const command = COMMANDS.get(name ?? '');
  if (command === undefined) {
    const said = name === undefined ? 'a command is missing' : `there is no command "${name}"`;
    throw new RangeFault(`${said}\n\n${USAGE}`, EXIT.usage);
  }
  return await command(context, argv);
}

/** A command whose arguments are all values, also those that begin with a dash. */
function exactly<const Names extends readonly string[]>(
  names: Names,
  act: (context: Context, ...values: Values<Names>) => Answer | Promise<Answer>,
): Command {
  const takes = names.length === 0 ? 'no arguments' : names.join(' ');
  return (context, argv) => {
    if (argv.length !== names.length) {
      throw new RangeFault(`it takes ${takes}, not ${argv.length} arguments`, EXIT.usage);
    }
    return act(context, ...(argv as unknown as Values<Names>));
  };
}

function languageOf(argv: readonly string[]): Language {
  const language = langOption(argv);
  if (language === undefined) return 'en';
  if (Object.hasOwn(WORDS, language)) return language as Language;
  const known = Object.keys(WORDS).join(', ');
  throw new RangeFault(`--lang must be one of ${known}, not "${language}"`, EXIT.usage);
}

function langOption(argv: readonly string[]): string | undefined {
  try {
    return parseArgs({ args: [...argv], options: { lang: { type: 'string' } } }).values.lang;
  } catch (error) {
    throw new RangeFault(error instanceof Error ? error.message : String(error), EXIT.usage);
  }
}
