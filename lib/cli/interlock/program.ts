import { Command, CommanderError } from 'commander';
import { MappingError } from '@/lib/cli/import/mapping';
import { EXIT, exitCodeOf, InterlockError } from '@/lib/domain/refusal';
import { EnvError } from '@/lib/env';
import { ApiError, CliError } from './api-client';
import { addAuditCommands } from './commands/audit';
import { addClaimCommands } from './commands/claim';
import { addContaminationCommands } from './commands/contamination';
import { addCorrectionCommands } from './commands/correction';
import { addDatasetCommands } from './commands/dataset';
import { addPublishCommands } from './commands/publish';
import { addReleaseCommands } from './commands/release';
import { addDiffCommand } from './commands/release-diff';
import { addMoveCommands } from './commands/release-moves';
import { addVerifyCommand } from './commands/release-verify';
import { addReportCommands, addShadowCommand } from './commands/report';
import { addRunCommands } from './commands/run';
import { addSourceCommands } from './commands/source';
import { addSubscriberCommands } from './commands/subscriber';
import { addTokenCommands } from './commands/token';
import type { Io } from './io';
import { jsonText, problemText } from './print';
import { Session } from './session';

const DESCRIPTION = `Recompute the history of a dataset without anyone ever reading half of it.

Settings: INTERLOCK_URL (http://127.0.0.1:$PORT), INTERLOCK_TOKEN.
Exit codes: 0 success, 1 failure, 2 usage or bad input, 3 refused, 4 not found, 5 conflict.`;

/**
 * Runs one command line.
 *
 * @param argv the arguments after the program's name
 * @returns the exit code; everything that went wrong has been said on stderr
 */
export async function runInterlock(argv: readonly string[], io: Io): Promise<number> {
  const session = new Session(io);
  const program = buildProgram(session);
  try {
    await program.parseAsync([...argv], { from: 'user' });
    return session.exitCode;
  } catch (error) {
    return await explain(error, session);
  }
}

function buildProgram(session: Session): Command {
  const { io } = session;
  const program = new Command('interlock')
    .description(DESCRIPTION)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void io.write(text),
      writeErr: (text) => io.say(text.trimEnd()),
    })
    .showHelpAfterError('(--help says more)')
    .hook('preAction', (_, command) => {
      // `publish list --json`: a command that is one itself takes the option for its own
      session.json = command.optsWithGlobals().json === true;
    });
  addTokenCommands(program, session);
  addSourceCommands(program, session);
  addDatasetCommands(program, session);
  addClaimCommands(program, session);
  addContaminationCommands(program, session);
  addReportCommands(program, session);
  addRunCommands(program, session);
  addPublishCommands(program, session);
  addCorrectionCommands(program, session);
  const release = program.command('release').description('orders to make a generation');
  addReleaseCommands(release, session);
  addMoveCommands(release, session);
  addDiffCommand(release, session);
  addShadowCommand(release, session);
  addVerifyCommand(release, session);
  addSubscriberCommands(program, session);
  addAuditCommands(program, session);
  return program;
}

/** Says what went wrong, to people and with `--json` to programs, and gives the exit code. */
async function explain(error: unknown, { io, json }: Session): Promise<number> {
  // commander has said it already; help that was asked for is no error.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  if (error instanceof ApiError) {
    if (json) await io.write(jsonText(error.answer));
    io.say(problemText(error));
    return error.exitCode;
  }
  if (error instanceof CliError) {
    io.say(error.message);
    return error.exitCode;
  }
  if (error instanceof MappingError) {
    io.say(error.message);
    return EXIT.usage;
  }
  if (error instanceof EnvError) {
    io.say(error.message);
    return EXIT.failure;
  }
  if (error instanceof InterlockError) {
    io.say(`${error.code}: ${error.message}`);
    return exitCodeOf(error.status, 'blockers' in error ? 1 : 0);
  }
  io.say(error instanceof Error ? (error.stack ?? error.message) : String(error));
  return EXIT.failure;
}
