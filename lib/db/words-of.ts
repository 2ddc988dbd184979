import { pgError } from '@/lib/db/pg-error';

/** What people are told of a failure: PostgreSQL's own words, never a stack or a parameter. */
export function wordsOf(error: unknown): string {
  const problem = pgError(error);
  if (problem) return `${problem.message} (${problem.code})`;
  return error instanceof Error ? error.message.slice(0, 300) : 'failed';
}
