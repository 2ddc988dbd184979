/**
 * The ways into RECONCILIATION_REQUIRED. Each names a step that would fail again if it were only
 * tried again, and has a page of its own in the runbooks.
 */
export const TROUBLES = [
  {
    step: 'build',
    code: 'RECEIPT_CONFLICT',
    page: 'receipt-conflict',
    means:
      'A partition was computed a second time and came to other rows: something that was frozen is not.',
    do: 'Find out what differs before you run the step again; abandon if the transform or the snapshot cannot be trusted.',
  },
  {
    step: 'catch-up',
    code: 'BUFFER_OVER_LIMIT',
    page: 'buffer-over-limit',
    means: 'More events waited behind the seal than the release allows.',
    do: 'Run the step again and seal at a quieter time, or make a revision with a larger buffer.',
  },
  {
    step: 'catch-up',
    code: 'SNAPSHOT_EXPIRED',
    page: 'snapshot-expired',
    means: 'The log no longer reaches back to where the candidate stands.',
    do: 'Abandon, and make the next revision: it takes a snapshot of its own.',
  },
  {
    step: 'reconcile',
    code: 'CHECK_FAILED',
    page: 'check-failed',
    means:
      'The comparison at the barrier found what no rule explains, or a quantity that is not kept.',
    do: 'Read the differing rows. Run the step again once the events that caused them are put right; otherwise make a revision whose transform or rules are.',
  },
  {
    step: 'reconcile',
    code: 'CHECK_INCOMPLETE',
    page: 'check-incomplete',
    means:
      'A predicate or a sum of the release errs on a row, so that the comparison says nothing.',
    do: 'Have the row put right in its source and run the step again, or make a revision whose predicate holds for it.',
  },
  {
    step: 'replay',
    code: 'SNAPSHOT_EXPIRED',
    page: 'replay-out-of-reach',
    means: 'The log no longer reaches back to where the old generation was left.',
    do: 'It cannot be gone back to without losing writes: leave the new generation in use and repair the range with a release.',
  },
] as const;

export type TroubleStep = (typeof TROUBLES)[number]['step'];
export type TroubleCode = (typeof TROUBLES)[number]['code'];

/** What a way in means and what to do, in words; null for one of an earlier version. */
export function troubleWords(
  step: string | null,
  code: string | null,
): { means: string; do: string } | null {
  return TROUBLES.find((trouble) => trouble.step === step && trouble.code === code) ?? null;
}
