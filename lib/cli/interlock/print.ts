import { formatDecimal } from '@/lib/domain/figures';
import type { Answer, ApiError, ProblemBlocker, ProblemIssue } from './api-client';

/** Lines of `name  value`, the names in one column; what is null is left out. */
export function fields(rows: readonly (readonly [string, string | null | undefined])[]): string {
  const shown = rows.filter((row): row is [string, string] => row[1] != null && row[1] !== '');
  const width = Math.max(0, ...shown.map(([name]) => name.length));
  return lines(shown.map(([name, value]) => `${name.padEnd(width)}  ${value}`));
}

/** A table with a heading; columns as wide as their widest cell, the last one free. */
export function table(heading: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [heading, ...rows];
  const widths = heading.map((_, i) => Math.max(...all.map((row) => row[i]?.length ?? 0)));
  return lines(
    all.map((row) =>
      row
        .map((cell, i) => (i === row.length - 1 ? cell : cell.padEnd(widths[i] ?? 0)))
        .join('  ')
        .trimEnd(),
    ),
  );
}

/** What people wrote, on one line, without what would move a terminal's cursor. */
export const oneLine = (text: string): string => text.replace(/[\s\p{Cc}]+/gu, ' ').trim();

export function lines(list: readonly string[]): string {
  return list.length === 0 ? '' : `${list.join('\n')}\n`;
}

/** The API's answer as it came, for `--json`. */
export function jsonText({ text }: Answer): string {
  return text === '' ? '' : `${text.trimEnd()}\n`;
}

/** `1,234`; whatever is no number as it is. */
export function count(value: unknown): string {
  return value === null || value === undefined ? '–' : formatDecimal(String(value));
}

/** The first twelve digits are enough to tell two apart; the whole is in `--json`. */
export function shortDigest(digest: string | null | undefined): string {
  if (!digest) return '–';
  return digest.startsWith('sha256:') ? digest.slice(0, 'sha256:'.length + 12) : digest;
}

/** An error of the API for people: what it says, then every blocker or issue on a line. */
export function problemText(error: ApiError): string {
  const { blockers = [], issues = [], requestId } = error.problem;
  const internal = error.answer.status >= 500 && requestId ? [`request ${requestId}`] : [];
  return lines([
    error.message,
    ...blockers.map((blocker) => `  ${blockerText(blocker)}`),
    ...issues.map((issue) => `  ${issueText(issue)}`),
    ...internal,
  ]).trimEnd();
}

/** `fix   HELD  The release is held by ben.` */
export function blockerText({ kind, code, message, ...rest }: ProblemBlocker): string {
  return `${kind.padEnd(4)}  ${code}  ${message}${edgesText(rest)}`;
}

function issueText(issue: ProblemIssue): string {
  const { pointer, code, message, detail, line, column } = issue;
  const at =
    line === undefined ? '' : ` (line ${line}${column === undefined ? '' : `, column ${column}`})`;
  return `${pointer === '' ? '/' : pointer}  ${code ?? ''}  ${message ?? detail ?? ''}${at}${edgesText(issue)}`;
}

/** Nearest partition edges, where a range is not on one. */
function edgesText(fault: object): string {
  const { edges } = fault as { edges?: unknown };
  return edges === undefined ? '' : ` · edges ${JSON.stringify(edges)}`;
}
