import { processIo } from './io';
import { runInterlock } from './program';

// A reader that has seen enough (`interlock … | head`) is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  process.exit(error.code === 'EPIPE' ? 0 : 1);
});

process.exitCode = await runInterlock(process.argv.slice(2), processIo());
