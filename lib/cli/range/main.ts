import { EnvError, env } from '@/lib/env';
import { runRange } from './program';

// A reader that has seen enough is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  process.exit(error.code === 'EPIPE' ? 0 : 1);
});

const say = (line: string) => {
  process.stderr.write(`${line}\n`);
};

try {
  const { BACKFILL_DB: db, BACKFILL_EVENTS: events } = env();
  process.exitCode = await runRange(process.argv.slice(2), {
    db,
    events,
    say,
    write: (text) => {
      process.stdout.write(text);
    },
  });
} catch (error) {
  if (!(error instanceof EnvError)) throw error;
  say(error.message);
  process.exitCode = 1;
}
