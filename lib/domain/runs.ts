import type { RunPolicy } from './dataset';
import { plural } from './figures';
import { type Blocker, toFix } from './refusal';

/** A run's life: `second_person` until another one confirms it, then `planned`, `running`, an end. */
export const RUN_STATES = [
  'second_person',
  'planned',
  'running',
  'done',
  'failed',
  'cancelled',
] as const;
export type RunState = (typeof RUN_STATES)[number];
export const RUN_KINDS = ['adhoc', 'scheduled'] as const;
export type RunKind = (typeof RUN_KINDS)[number];

/** Whether nothing of a run will happen any more. */
export const hasEnded = (state: RunState): boolean =>
  state === 'done' || state === 'failed' || state === 'cancelled';

/** Under which name scheduled runs are made: a claim under it does not stop them. */
export const SCHEDULE_OWNER = 'schedule';

/** What a person answers before a rerun; `tell` is who is told of it and how, null: nobody. */
export interface RunAnswers {
  /** Whether what stands in the range may be replaced. */
  overwritable: boolean;
  /** Whether the partitions before the range are complete, as far as the person knows. */
  earlierComplete: boolean;
  /** Whether it was seen which partitions of the range were published. */
  publishedSeen: boolean;
  tell: string | null;
}

/** Why a partition before the range is told as missing. */
export type MissingWhy = 'no_rows' | 'failed' | 'skipped';

/** What a person is told before a rerun: all of it computed. */
export interface RunQuestions {
  dataset: string;
  /** Half-open, on partition edges. */
  range: { from: string; to: string };
  /** Starts of the partitions, in order. */
  partitions: { count: number; starts: string[] };
  /** Open partitions that hold rows, which the run replaces, and the newest run in the range. */
  overwritable: {
    replaced: number;
    lastRun: { id: string; state: RunState; at: string } | null;
  };
  /** Published partitions of the range, which the run leaves alone. */
  published: {
    count: number;
    partitions: { start: string; sentTo: string; document: string | null; at: string }[];
    recipients: string[];
  };
  /** Claims in the range, neighbours of one owner as one. */
  claimed: { from: string; to: string; partitions: number; owner: string; by: string }[];
  /** Marks that stand and touch the range: a run lifts none. */
  contaminated: {
    id: string;
    from: string;
    to: string;
    reason: string;
    repairedBy: string | null;
  }[];
  /** Partitions before the range, since the dataset's first row, that are not as they should be. */
  earlierMissing: { count: number; named: { start: string; why: MissingWhy }[] };
  /** Whom figures of this dataset were ever sent to. */
  subscribersToTell: string[];
  /** Who subscribes to it; a run sends them no notice, so it is for a person to think of them. */
  subscribers: string[];
  secondPersonNeeded: boolean;
  /** The policy's size above which a second person is needed; null: never. */
  secondPersonOver: number | null;
}

/** The facts that are stored beside a person's answers: what was so when they were given. */
export interface FoundFacts {
  replaced: number;
  published: number;
  earlierMissing: number;
  claimed: number;
  /** Contaminated marks; not there in answers from before there were any. */
  contaminated?: number;
}

export const foundFacts = (questions: RunQuestions): FoundFacts => ({
  replaced: questions.overwritable.replaced,
  published: questions.published.count,
  earlierMissing: questions.earlierMissing.count,
  claimed: questions.claimed.reduce((sum, range) => sum + range.partitions, 0),
  contaminated: questions.contaminated.length,
});

/** Whether the policy wants another person to confirm a run over so many partitions. */
export function needsSecondPerson(policy: RunPolicy | undefined, partitions: number): boolean {
  const over = policy?.secondPersonOver ?? null;
  return over !== null && partitions > over;
}

/**
 * What speaks against a rerun in the answers themselves. That the earlier partitions are complete
 * is a person's word, which may be better than the table's; it is kept beside what was found.
 */
export function answerBlockers(answers: RunAnswers, questions: RunQuestions): Blocker[] {
  const blockers: Blocker[] = [];
  if (!answers.overwritable) {
    blockers.push(
      toFix(
        'NOT_OVERWRITABLE',
        'You said that the output may not be overwritten, and that is what a run does.',
        { pointer: '/answers/overwritable' },
      ),
    );
  }
  const { count, recipients } = questions.published;
  if (count > 0 && !answers.publishedSeen) {
    blockers.push(
      toFix(
        'PUBLISHED_NOT_SEEN',
        `${plural(count, 'partition')} of the range ${count === 1 ? 'was' : 'were'} published, to ${recipients.slice(0, 3).join(', ')}: look at them first.`,
        { pointer: '/answers/publishedSeen', current: count },
      ),
    );
  }
  return blockers;
}
