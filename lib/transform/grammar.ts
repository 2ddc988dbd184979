import { isDeepStrictEqual } from 'node:util';
import { hasSqlDetails, type Node, type SelectStmt } from 'libpg-query';
import { deparseSync, loadModule, parseSync } from 'pgsql-parser';
import { INVALID, type Problems } from '@/lib/transform/problem';
import { withoutPositions } from '@/lib/transform/tree';

/** Longer texts are refused before the parser sees them. */
export const MAX_SQL_LENGTH = 65_536;

let loading: Promise<void> | null = null;

/** Loads PostgreSQL's grammar (WebAssembly) once; parsing itself is synchronous. */
export function loadGrammar(): Promise<void> {
  loading ??= loadModule();
  return loading;
}

/**
 * Parses a text of exactly one SELECT. Notes a problem and answers null otherwise. `loadGrammar`
 * must have been awaited.
 */
export function parseSelect(sql: string, problems: Problems): SelectStmt | null {
  if (sql.length > MAX_SQL_LENGTH) {
    problems.addAtCharacter(INVALID, `The text is longer than ${MAX_SQL_LENGTH} characters.`, 0);
    return null;
  }
  if (/[\0\p{Surrogate}]/u.test(sql)) {
    problems.addAtCharacter(INVALID, 'The text holds a character that PostgreSQL cannot store.', 0);
    return null;
  }
  const stmts = parseStatements(sql, problems);
  if (stmts === null) return null;
  const [first, second] = stmts;
  if (first?.stmt === undefined) {
    problems.addAtCharacter(INVALID, 'There is no statement.', 0);
    return null;
  }
  if (second !== undefined) {
    const from = second.stmt_location ?? 0;
    // The offset is where the previous statement ended; skip to this one's first character.
    const blank = /^\s*/.exec(Buffer.from(sql).subarray(from).toString())?.[0] ?? '';
    problems.add(INVALID, 'There is more than one statement.', from + Buffer.byteLength(blank));
    return null;
  }
  if (!('SelectStmt' in first.stmt)) {
    problems.addAtCharacter(INVALID, 'The statement is not a SELECT.', 0);
    return null;
  }
  return first.stmt.SelectStmt;
}

function parseStatements(sql: string, problems: Problems) {
  if (sql.trim() === '') return [];
  try {
    return parseSync(sql).stmts ?? [];
  } catch (error) {
    if (error instanceof RangeError) {
      problems.addAtCharacter(INVALID, 'The text is nested too deeply.', 0);
      return null;
    }
    if (!hasSqlDetails(error)) throw error;
    const { message, cursorPosition } = error.sqlDetails ?? { message: error.message };
    problems.addAtCharacter(INVALID, `${message}.`, Math.max(cursorPosition ?? 0, 0));
    return null;
  }
}

/**
 * SQL text of a SELECT's tree, without a semicolon. The text is parsed again and must give the same
 * tree: so what PostgreSQL runs is what was checked, whatever the printer gets wrong. Answers null
 * if it does not.
 */
export function printSelect(select: SelectStmt): string | null {
  const node: Node = { SelectStmt: select };
  let text: string;
  let parsed: ReturnType<typeof parseSync>;
  try {
    text = deparseSync([node], { pretty: false });
    parsed = parseSync(text);
  } catch {
    return null;
  }
  const again = parsed.stmts?.length === 1 ? parsed.stmts[0]?.stmt : undefined;
  return isDeepStrictEqual(withoutPositions(again), withoutPositions(node)) ? text : null;
}
