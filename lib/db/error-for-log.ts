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
    chain.push({
      name,
      message: withoutSecrets(withoutValues(message, code)).slice(0, 500),
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

/** PostgreSQL quotes the value that a data error (class 22) or a constraint (23) is about. */
function withoutValues(message: string, code: unknown): string {
  const ofData = typeof code === 'string' && /^2[23]...$/.test(code);
  return ofData ? message.replace(/"[\s\S]*"/, '"…"') : message;
}

/**
 * Text without what a driver, a parser or a caller may have put into it: the credentials of a URL,
 * and our tokens. A statement's parameters are not text to be searched: they are left out whole.
 */
export function withoutSecrets(text: string): string {
  return text
    .replace(/Failed query:[\s\S]*/, 'Failed query')
    .replace(/\b([a-z][a-z0-9+]*:\/\/)[^\s/?#'"]*@/gi, '$1[redacted]@')
    .replace(/\bilk_[\w-]{20,}/g, '[redacted]');
}
