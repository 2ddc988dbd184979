import { Presets, SingleBar } from 'cli-progress';
import type { Io } from './io';

/** A bar on stderr while somebody watches it; nothing at all otherwise. */
export interface Progress {
  /** Sets what is done, and the words behind the bar. */
  at(done: number, words: string): void;
  /** Prints a line above the bar. */
  say(line: string): void;
  end(): void;
}

export function startProgress(io: Io, total: number): Progress {
  if (!io.watched) return { at: () => {}, say: io.say, end: () => {} };
  const bar = new SingleBar(
    {
      format: '{bar} {percentage}% {words}',
      barsize: 24,
      stream: process.stderr,
      hideCursor: true,
      clearOnComplete: true,
      stopOnComplete: false,
      fps: 8,
      emptyOnZero: true,
      // A line printed above wipes the bar; the next tick draws it again.
      forceRedraw: true,
    },
    Presets.shades_grey,
  );
  bar.start(total, 0, { words: '' });
  // Ctrl-C must leave the terminal its cursor, and end the process all the same.
  const onSignal = (signal: NodeJS.Signals) => {
    end();
    process.kill(process.pid, signal);
  };
  const end = () => {
    process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
    bar.stop();
  };
  process.once('SIGINT', onSignal).once('SIGTERM', onSignal);
  return {
    at: (done, words) => bar.update(Math.min(done, total), { words }),
    say: (line) => {
      process.stderr.write('\r\x1b[K');
      io.say(line);
    },
    end,
  };
}
