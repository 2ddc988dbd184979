import type { DraftForm } from './draft-form';

const WORDS: Record<keyof DraftForm, string> = {
  name: 'name',
  dataset: 'dataset',
  from: 'from',
  to: 'to',
  open: 'to',
  sealedPartitions: 'published partitions',
  sql: 'transform',
  commit: 'commit',
  rules: 'expected differences',
  contract: 'contract',
  ownConserved: 'conserved sums',
  conserved: 'conserved sums',
  partitions: 'expected partitions',
  rowsMin: 'expected rows',
  rowsMax: 'expected rows',
  concurrency: 'partitions at once',
  maxSealedSeconds: 'sealed at most',
  maxLiveLagSeconds: 'live lag at most',
  maxBufferedEvents: 'buffered events at most',
  failedPartitions: 'pause at failed partitions',
  unexplainedRows: 'stop at unexplained rows',
  cutover: 'signatures for the cutover',
  rollback: 'signatures for the rollback',
  deadline: 'deadline',
  targetGeneration: 'target generation',
  owner: 'owner',
};

/** The fields in which two forms differ, in the order of the editor. */
export function changedFields(before: DraftForm, after: DraftForm): string[] {
  const keys = Object.keys(WORDS) as (keyof DraftForm)[];
  const changed = keys.filter((key) => JSON.stringify(before[key]) !== JSON.stringify(after[key]));
  return [...new Set(changed.map((key) => WORDS[key]))];
}
