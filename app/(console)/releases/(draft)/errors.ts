import type { SqlMark } from '@/components/ui/sql-editor-text';
import type { Issue } from '@/lib/domain/refusal';

/** Pointers that a field of the form shows itself; everything else is listed beside the plan. */
const FIELDS =
  /^\/(release|dataset|owner|sealedPartitions|deadline|targetGeneration|range|range\/(from|to)|transform\/new(\/(sql|commit))?|(expectedDiff|contract|conserved)\/.*|expected\/.*|budget\/.*|stopLoss\/.*|approvals\/.*)$/;

export interface Errors {
  /** The words at a pointer, or nothing. */
  at: (pointer: string) => string | undefined;
  /** The code of the first fault at a pointer. */
  codeAt: (pointer: string) => Issue['code'] | undefined;
  /** The same for a pointer and everything below it. */
  under: (pointer: string) => string | undefined;
  /** Those with a place in the SQL. */
  marks: SqlMark[];
  /** Those that no field shows. */
  others: Issue[];
}

const SQL = '/transform/new/sql';

/** Faults by the field that they belong to. */
export function errorsOf(issues: readonly Issue[]): Errors {
  const said = (issue: Issue) =>
    issue.line !== undefined && issue.pointer !== SQL
      ? `${issue.message} (line ${issue.line}, column ${issue.column ?? 1})`
      : issue.message;
  return {
    at: (pointer) => joined(issues.filter((issue) => issue.pointer === pointer).map(said)),
    codeAt: (pointer) => issues.find((issue) => issue.pointer === pointer)?.code,
    under: (pointer) =>
      joined(
        issues
          .filter(({ pointer: at }) => at === pointer || at.startsWith(`${pointer}/`))
          .map(said),
      ),
    marks: issues
      .filter((issue) => issue.pointer === SQL)
      .map(({ line, column, message }) => ({ line: line ?? 1, column: column ?? 1, message })),
    others: issues.filter(({ pointer }) => !FIELDS.test(pointer)),
  };
}

const joined = (texts: readonly string[]) =>
  texts.length === 0 ? undefined : [...new Set(texts)].join(' ');
