import { sql } from 'drizzle-orm';
import { type Database, maybeOne, rows, type Tx } from '@/lib/db/client';
import { type StandingMark, standingMarksOf } from '@/lib/db/statements/contamination';
import {
  type AtCutover,
  atCutover,
  draftSpan,
  type Span,
  touchesMark,
} from '@/lib/domain/contamination';

/** A mark that stands, and what a release's cutover would make of it. */
export interface MarkAtCutover extends StandingMark {
  becomes: AtCutover;
}

/** A mark that a release's cutover lifted. */
export interface LiftedMark {
  id: string;
  from: string;
  to: string;
  reason: string;
  /** When the release's rollback put it back; null while it is lifted. */
  putBackAt: string | null;
}

export interface CutoverMarks {
  /**
   * Those that stand and are linked to the release, or touch its range; once it was cut over, those
   * that it left though they are linked to it.
   */
  standing: MarkAtCutover[];
  /** Those that its cutover lifted. */
  lifted: LiftedMark[];
}

interface Subject {
  name: string;
  dataset: string;
  /** Null for a draft, whose range stands in what was typed. */
  from: string | null;
  to: string | null;
  draftFrom: string | null;
  draftTo: string | null;
  cutOver: boolean;
}

/** What the cutover of a release, by its id, makes or made of the marks on its dataset. */
export async function cutoverMarks(db: Database | Tx, release: string): Promise<CutoverMarks> {
  const subject = await maybeOne<Subject>(
    db,
    sql`select name, dataset, range_from as "from", range_to as "to",
        spec #>> '{range,from}' as "draftFrom", spec #>> '{range,to}' as "draftTo",
        exists (select from control.cutover k where k.release = release.id) as "cutOver"
      from control.release where id = ${release}`,
  );
  if (!subject) return { standing: [], lifted: [] };
  const standing = await standingMarksOf(db, subject.dataset);
  const lifted = await rows<LiftedMark>(
    db,
    sql`select c.id, c.range_from as "from", c.range_to as "to", c.reason, (
          select p.at from control.contamination_turn p
          join control.rollback b on b.id = p.rollback and b.release = t.cutover
          where p.contamination = c.id and p.id > t.id order by p.id limit 1
        ) as "putBackAt"
      from control.contamination_turn t
      join control.contamination c on c.id = t.contamination
      where t.cutover = ${release} and t.kind = 'LIFTED'
      order by c.range_from, c.id`,
  );
  return { standing: concerned(subject, standing), lifted };
}

function concerned(subject: Subject, marks: readonly StandingMark[]): MarkAtCutover[] {
  const { name, cutOver } = subject;
  const range = rangeOf(subject);
  if (range === null) return [];
  return marks
    .map((mark) => ({ ...mark, becomes: atCutover(mark, { name, range }) }))
    .filter((mark) =>
      cutOver ? mark.becomes === 'outside' : mark.repairedBy === name || touchesMark(range, mark),
    );
}

function rangeOf({ from, to, draftFrom, draftTo }: Subject): Span | null {
  return from === null ? draftSpan(draftFrom, draftTo) : { from, to };
}
