import { type Instant, microsOf, readInstant } from './instant';
import { type Blocker, toFix } from './refusal';

/** A half-open interval of business time; `to` null: open, from there on. */
export interface Span {
  from: string;
  to: string | null;
}

/** A contaminated mark, as far as it decides what a cutover makes of it. */
export interface LinkedMark {
  from: string;
  to: string;
  /** Name of the release that repairs it, all revisions; null while none is linked. */
  repairedBy: string | null;
}

/** What a release's cutover makes of a mark that stands. */
export type AtCutover =
  /** Linked to the release and within its range. */
  | 'lifted'
  /** Linked to the release, and reaches out of its range. */
  | 'outside'
  /** Linked to another release. */
  | 'other'
  /** Linked to none. */
  | 'unlinked';

const micros = (instant: string): bigint => microsOf(instant as Instant);

/** The range of a draft, as it was typed; null where that is no range yet. */
export function draftSpan(from: string | null, to: string | null): Span | null {
  const start = readInstant(from);
  if (!start.ok) return null;
  if (to === 'open') return { from: start.value, to: null };
  const end = readInstant(to);
  return end.ok ? { from: start.value, to: end.value } : null;
}

/** Whether a range holds a mark from end to end. */
export function containsMark(range: Span, mark: { from: string; to: string }): boolean {
  return (
    micros(range.from) <= micros(mark.from) &&
    (range.to === null || micros(mark.to) <= micros(range.to))
  );
}

/** Whether a mark and a range have an instant in common. */
export function touchesMark(range: Span, mark: { from: string; to: string }): boolean {
  return (
    micros(range.from) < micros(mark.to) &&
    (range.to === null || micros(mark.from) < micros(range.to))
  );
}

/** What the cutover of a release, by its name and its range, makes of a mark that stands. */
export function atCutover(mark: LinkedMark, release: { name: string; range: Span }): AtCutover {
  if (mark.repairedBy === null) return 'unlinked';
  if (mark.repairedBy !== release.name) return 'other';
  return containsMark(release.range, mark) ? 'lifted' : 'outside';
}

/** The newest revision of a release that is to repair a mark. */
export interface Repairing {
  /** `name@revision` */
  reference: string;
  dataset: string;
  state: string;
  /** Null while the draft does not say it, or says it wrongly. */
  range: Span | null;
  /** It was cut over and not rolled back. */
  cutOver: boolean;
}

/** What speaks against linking a mark of a dataset to a release; `pointer` is where it was named. */
export function linkBlockers(
  mark: { dataset: string; from: string; to: string },
  release: Repairing,
  pointer: string,
): Blocker[] {
  const { reference, range } = release;
  const link = `/releases/${reference}`;
  if (release.dataset !== mark.dataset) {
    return [
      toFix(
        'OTHER_DATASET',
        `${reference} is a release of ${release.dataset}, the mark is on ${mark.dataset}.`,
        { pointer, expected: mark.dataset, current: release.dataset, link },
      ),
    ];
  }
  if (release.cutOver) {
    return [
      toFix(
        'CUTOVER_OVER',
        `${reference} is ${release.state}: its cutover is over and lifts nothing any more. Make its next revision, or another release.`,
        { pointer, current: release.state, link },
      ),
    ];
  }
  if (range !== null && !containsMark(range, mark)) {
    return [
      toFix(
        'RANGE_NOT_COVERED',
        `${reference} rebuilds ${intervalText(range)}, which does not contain the marked ${intervalText(mark)}: its cutover would not lift it.`,
        { pointer, expected: intervalText(mark), current: intervalText(range), link },
      ),
    ];
  }
  return [];
}

const intervalText = ({ from, to }: Span): string => `[${from}, ${to ?? 'open'})`;
