import { type Logger, pino } from 'pino';
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

/**
 * What may be written of an error that has no code: name, message, SQLSTATE and stack of it and of
 * its causes. Drizzle's message holds the statement with its parameters, so of those only the
 * first line, which names neither values nor tokens, is kept.
 */
export function errorForLog(error: unknown): Record<string, unknown> {
  const chain: Record<string, unknown>[] = [];
  let current = error;
  for (let depth = 0; depth < 5 && current instanceof Error; depth++) {
    const { name, message, stack, code, constraint_name, table_name } = current as Error & {
      code?: unknown;
      constraint_name?: unknown;
      table_name?: unknown;
    };
    const statement = message.startsWith('Failed query');
    chain.push({
      name,
      message: statement ? 'Failed query' : message.slice(0, 500),
      ...(code === undefined ? {} : { code }),
      ...(constraint_name === undefined ? {} : { constraint: constraint_name }),
      ...(table_name === undefined ? {} : { table: table_name }),
      stack: stack
        ?.split('\n')
        .filter((line) => /^\s+at /.test(line))
        .slice(0, 12)
        .join('\n'),
    });
    current = current.cause;
  }
  return chain.length > 0 ? { errors: chain } : { errors: [{ name: typeof error }] };
}
