import { type Edit, edits } from './lcs';
import { sqlWords, type Word } from './sql-words';

/** A word of a line; `changed` is set in lines that have a counterpart and differ in part. */
export interface DiffWord extends Word {
  changed: boolean;
}

export interface DiffLine {
  /** 1-based number in its own text. */
  number: number;
  kind: 'same' | 'del' | 'add';
  words: DiffWord[];
}

/** One row of the two columns; a side without a line is null. */
export interface DiffRow {
  old: DiffLine | null;
  new: DiffLine | null;
}

/** Below this share of common words two lines are not versions of each other. */
const ALIKE = 0.34;

/**
 * Two SQL texts side by side. Lines are matched by the longest common subsequence, ignoring space
 * at their ends; inside a changed stretch, deleted and added lines are paired in order, and within
 * a pair that is alike enough the changed words are marked. A line that was wholly replaced, added
 * or removed has all its words marked.
 */
export function sqlDiffRows(before: string, after: string): DiffRow[] {
  const all = edits(lines(before), lines(after), (a, b) => a.trimEnd() === b.trimEnd());
  const rows: DiffRow[] = [];
  let oldNumber = 0;
  let newNumber = 0;
  let gone: DiffLine[] = [];
  let come: DiffLine[] = [];
  const flush = () => {
    for (let at = 0; at < Math.max(gone.length, come.length); at += 1) {
      const old = gone[at] ?? null;
      const fresh = come[at] ?? null;
      if (old && fresh) markWords(old, fresh);
      rows.push({ old, new: fresh });
    }
    gone = [];
    come = [];
  };
  for (const edit of all) {
    if (edit.kind === 'same') {
      flush();
      rows.push({
        old: line(++oldNumber, 'same', edit.old),
        new: line(++newNumber, 'same', edit.new),
      });
    } else if (edit.kind === 'del') gone.push(line(++oldNumber, 'del', edit.old));
    else come.push(line(++newNumber, 'add', edit.new));
  }
  flush();
  return rows;
}

/** How many lines change: a replaced line counts once. */
export function changedLines(rows: readonly DiffRow[]): number {
  return rows.filter((row) => row.old?.kind !== 'same' || row.new?.kind !== 'same').length;
}

function lines(text: string): string[] {
  const trimmed = text.replace(/\s+$/, '');
  return trimmed === '' ? [] : trimmed.split(/\r?\n/);
}

function line(number: number, kind: DiffLine['kind'], text: string): DiffLine {
  const words = sqlWords(text).map((word) => ({
    ...word,
    changed: kind !== 'same' && word.text.trim() !== '',
  }));
  return { number, kind, words };
}

function markWords(old: DiffLine, fresh: DiffLine): void {
  const between = edits(old.words, fresh.words, (a, b) => a.text === b.text);
  const meaning = (edit: Edit<DiffWord>) => edit.kind === 'same' && edit.old.text.trim() !== '';
  const common = between.filter(meaning).length;
  const most = Math.max(
    old.words.filter((word) => word.text.trim() !== '').length,
    fresh.words.filter((word) => word.text.trim() !== '').length,
  );
  if (most === 0 || common / most < ALIKE) return;
  for (const edit of between) {
    if (edit.kind !== 'same') continue;
    edit.old.changed = false;
    edit.new.changed = false;
  }
}

/** Neighbouring words of one look together, so that a changed phrase is one mark. */
export function runs(words: readonly DiffWord[]): { changed: boolean; words: DiffWord[] }[] {
  const out: { changed: boolean; words: DiffWord[] }[] = [];
  words.forEach((word, at) => {
    const space = word.text.trim() === '';
    const changed = space ? Boolean(out.at(-1)?.changed && words[at + 1]?.changed) : word.changed;
    const last = out.at(-1);
    if (last && last.changed === changed) last.words.push(word);
    else out.push({ changed, words: [word] });
  });
  return out;
}
