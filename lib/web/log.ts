import { type DestinationStream, type Logger, pino } from 'pino';
import { env } from '@/lib/env';

/** Fields that may hold a secret never reach the log, however deep an error carries them. */
const redact = {
  paths: [
    'authorization',
    'cookie',
    'token',
    'password',
    'headers',
    'parameters',
    'query',
    'args',
  ].flatMap((name) => [name, `*.${name}`, `*.*.${name}`]),
  censor: '[redacted]',
};

let logger: Logger | undefined;

/** The web process's log: one JSON object a line on standard output. */
export function log(): Logger {
  logger ??= pino({ name: 'interlock-web', level: env().LOG_LEVEL, redact });
  return logger;
}

/** Writes every level to another stream from now on; for tests. */
export function useLogStream(stream: DestinationStream): void {
  logger = pino({ name: 'interlock-web', level: 'trace', redact }, stream);
}
