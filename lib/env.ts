import path from 'node:path';
import { z } from 'zod';

/**
 * Every setting of every process, read and checked in this one place. No other module may look at
 * `process.env`: a setting that is read in two places is sooner or later checked in neither.
 */

const text = z.string().trim().min(1, 'must not be empty');
const count = (low: number, high: number) =>
  z.coerce
    .number({ error: 'must be a whole number' })
    .int('must be a whole number')
    .min(low, `must be at least ${low}`)
    .max(high, `must be at most ${high}`);
const httpUrl = text.refine((value) => /^https?:$/.test(protocolOf(value)), {
  error: 'must be an http or https URL',
});
const postgresUrl = text.refine((value) => /^postgres(ql)?:$/.test(protocolOf(value)), {
  error: 'must be a postgres:// URL',
});
const flag = z
  .enum(['0', '1', 'true', 'false'], { error: 'must be 1 or 0' })
  .transform((value) => value === '1' || value === 'true');

const schema = z
  .object({
    DATABASE_URL: postgresUrl.optional(),
    INTERLOCK_DATA: text.default('.interlock').transform((value) => path.resolve(value)),
    INTERLOCK_HOST: text.default('127.0.0.1'),
    PORT: count(1, 65_535).default(3000),
    AUTH_SECRET: z.string().min(16, 'must have at least 16 characters').optional(),
    AUTH_URL: httpUrl.optional(),
    OIDC_ISSUER: httpUrl.optional(),
    OIDC_CLIENT_ID: text.optional(),
    OIDC_CLIENT_SECRET: text.optional(),
    RUNNER_CONCURRENCY: count(1, 64).default(4),
    LOG_LEVEL: z
      .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'], {
        error: 'must be one of trace, debug, info, warn, error, fatal, silent',
      })
      .default('info'),
    INTERLOCK_DEMO: flag.optional(),
    INTERLOCK_URL: httpUrl.optional(),
    INTERLOCK_TOKEN: text.optional(),
    BACKFILL_DB: text.default('state.db').transform((value) => path.resolve(value)),
    BACKFILL_EVENTS: text.default('events').transform((value) => path.resolve(value)),
    INTERLOCK_BENCH_DATA: text
      .default('.interlock/bench')
      .transform((value) => path.resolve(value)),
    TEST_DATABASE_URL: postgresUrl.optional(),
    TEST_SEED: count(0, 2 ** 31).optional(),
  })
  .superRefine((value, context) => {
    const oidc = ['OIDC_ISSUER', 'OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET'] as const;
    const given = oidc.filter((name) => value[name] !== undefined);
    if (given.length === 0) return;
    for (const name of oidc.filter((each) => value[each] === undefined)) {
      context.addIssue({
        code: 'custom',
        path: [name],
        message: `is required because ${given.join(' and ')} is set`,
      });
    }
  });

export type Env = z.output<typeof schema>;

/** A setting is missing or wrong. The message has one line for each, each naming the variable. */
export class EnvError extends Error {
  override readonly name = 'EnvError';
}

/**
 * Checks a set of variables.
 *
 * @param source the variables; an empty string counts as unset, as in most shells' `VAR= command`
 * @throws EnvError naming every variable that is wrong
 */
export function parseEnv(source: Record<string, string | undefined>): Env {
  const set = Object.fromEntries(Object.entries(source).filter(([, value]) => value !== ''));
  const parsed = schema.safeParse(set);
  if (parsed.success) return parsed.data;
  const lines = parsed.error.issues.map((issue) => `${issue.path.join('.')} ${issue.message}`);
  throw new EnvError(lines.join('\n'));
}

let current: Env | undefined;

/** The settings of this process, checked at the first call. */
export function env(): Env {
  current ??= parseEnv(process.env);
  return current;
}

/**
 * The database to use, for processes that cannot choose one themselves.
 *
 * @throws EnvError where `DATABASE_URL` is not set
 */
export function databaseUrl(): string {
  const url = env().DATABASE_URL;
  if (url === undefined) throw new EnvError('DATABASE_URL is not set');
  return url;
}

/** The variables to start a child process with: ours, and `extra` over them (undefined removes). */
export function childEnv(extra: Record<string, string | undefined>): NodeJS.ProcessEnv {
  const merged: Record<string, string | undefined> = { ...process.env, ...extra };
  for (const [name, value] of Object.entries(merged)) {
    if (value === undefined) delete merged[name];
  }
  return merged as NodeJS.ProcessEnv;
}

function protocolOf(value: string): string {
  try {
    return new URL(value).protocol;
  } catch {
    return '';
  }
}
