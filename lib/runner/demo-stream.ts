import type { Logger } from 'pino';
import type { Database } from '@/lib/db/client';
import { streamTurn } from '@/lib/demo/stream';

const lookEveryMs = 1_000;

/**
 * Keeps the demo's live events flowing while its switch is on; where there is no demo it finds
 * nothing to do. Every runner process has one: who takes a turn is decided in the database.
 */
export function demoStream(db: Database, log: Logger): { stop(): void } {
  let stopped = false;
  let busy = false;
  const look = async () => {
    if (busy || stopped) return;
    busy = true;
    try {
      await streamTurn(db);
    } catch (error) {
      if (!stopped)
        log.warn({ err: error }, 'a turn of the demo’s stream failed; the next one comes');
    } finally {
      busy = false;
    }
  };
  const timer = setInterval(() => void look(), lookEveryMs);
  return {
    stop() {
      stopped = true;
      clearInterval(timer);
    },
  };
}
