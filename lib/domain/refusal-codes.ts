/**
 * Every code with which Interlock refuses, loses or fails: one line each, `[HTTP status, title,
 * sentence for the docs]`. The codes are part of the interface: they are added, never renamed.
 * 409 codes appear as blockers; 422 codes as issues of the input, with a JSON pointer. A code of
 * the range checks can be both: an issue of a request, and a blocker of a draft that is kept.
 */
// biome-ignore format: one line per code, so that the table is read as one
export const CODES = {
  // Ranges, times, names, input
  EMPTY_RANGE: [422, 'The range is empty', 'The range ends at or before its start, so no partition lies in it; the nearest edges are given.'],
  RANGE_NOT_ON_PARTITION_EDGE: [422, 'The range does not lie on partition edges', 'An end of the range falls inside a partition of the dataset; the edges before and after it are given.'],
  RANGE_OUTSIDE_CALENDAR: [422, 'The range leaves the calendar', 'Partitions exist from the year 1900 up to 2200; the range reaches beyond.'],
  PLAN_TOO_LARGE: [422, 'The plan is too large', 'The range holds more partitions than one plan may have.'],
  AMBIGUOUS_TIME: [422, 'The time does not name one instant', 'A time was given without an offset from UTC, or a local time that occurs twice or never.'],
  INVALID_INPUT: [422, 'The input is not valid', 'A field has the wrong type, form or bounds.'],
  INVALID_NAME: [422, 'The name is not valid', 'A name breaks the rules for names of its kind.'],
  REQUIRED: [422, 'A field is missing', 'A field that must be given was left out.'],
  UNKNOWN_FIELD: [422, 'The field is not known', 'A field that the form does not have was given; nothing is ignored silently.'],
  NOT_AVAILABLE: [422, 'Not available', 'The form has this choice, this version of Interlock does not do it.'],
  COMMENT_REQUIRED: [422, 'A comment is required', 'Rejecting, and deciding against a failed step, need a reason in words.'],
  KEY_DISAGREES: [422, 'Key and payload disagree', 'The key that was given is not the key that the payload holds.'],
  TIME_DISAGREES: [422, 'Event time and payload disagree', 'The event time that was given is not the one in the column that the source names.'],
  TRANSFORM_INVALID: [422, 'The transform is not valid', 'The transform does not parse, is not one SELECT over the relation source, or yields other columns than the dataset has.'],
  TRANSFORM_NOT_DETERMINISTIC: [422, 'The transform is not deterministic', 'The transform uses a function, cast or literal whose result depends on the session, the clock or chance.'],
  TRANSFORM_NOT_ROW_WISE: [422, 'The transform is not row-wise', 'In grain row each target row comes from one source row: no aggregates, windows, DISTINCT, LIMIT or set operations.'],

  // Sources and their log
  EVENT_CONFLICT: [409, 'The event contradicts one that is kept', 'The same event id, or the same key and revision, was acknowledged before with other content.'],
  INCOMPLETE_SOURCE: [409, 'The source is not complete', 'Deletes are inferred from absence only where the source holds every fact.'],
  SNAPSHOT_EXPIRED: [409, 'The snapshot lost its ground', 'The log was pruned above the watermark of the snapshot.'],
  SOURCE_IS_FIXED: [409, 'The source is fixed', 'Columns, key, event time and shards of a source do not change once it is made.'],
  SOURCE_MISMATCH: [409, 'The release names another source', 'A release reads the source of its dataset.'],

  // What cannot become a row
  EDGE_CROSSING: [409, 'The row crosses the edge of the range', 'Two transforms meet at the edge and place the row of one key in both ranges or in none.'],
  KEY_COLLISION: [409, 'Two source rows have one key', 'Two source rows yield the same business key; both are quarantined.'],
  NULL_KEY: [409, 'The row has no key', 'A column of the business key is NULL.'],
  NULL_TIME: [409, 'The row has no time', 'The business time is NULL, infinite or outside the calendar, so the row belongs to no partition.'],
  ROW_ERROR: [409, 'The row could not be computed', 'The transform raised an error for this source row.'],
  QUARANTINED: [409, 'Events are in quarantine', 'The candidate has events that could not become rows and that nobody accepted.'],

  // Drafts, plans, pinning
  NOT_A_DRAFT: [409, 'Not a draft', 'Only a draft may be edited; to change a pinned release, make its next revision.'],
  CHANGED_SINCE_SEEN: [409, 'Changed since you looked', 'What is stored is not what was shown; the difference is given.'],
  NOTHING_PLANNED: [409, 'The plan is empty', 'The range holds no partition to build.'],
  RELEASE_OVERLAP: [409, 'Another release is under way over this range', 'Two releases of one dataset may not be under way over overlapping ranges.'],
  RANGE_CLAIMED: [409, 'The range is claimed', 'Partitions of the range are claimed by another owner.'],
  TARGET_GENERATION_TAKEN: [409, 'The target generation exists', 'A generation of this name was made before; a name is never used twice.'],
  GENERATION_MOVED: [409, 'Another generation is active', 'The active generation is not the one that the release was pinned on.'],
  DATASET_DISAGREES: [409, 'The release disagrees with its dataset', 'A field that is a frozen copy of the dataset’s was given another value.'],
  DATASET_NOT_READY: [409, 'The dataset is not ready', 'Its first generation is still being built.'],
  DATASET_IS_FIXED: [409, 'Make a release', 'Everything of a dataset but its policy changes only by a release.'],
  POLICY_LOWERED: [409, 'The policy may not be lowered now', 'Approvals are not lowered while a release of the dataset is under way.'],
  ALREADY_EXISTS: [409, 'It exists already', 'Something of this name exists.'],

  // State
  WRONG_STATE: [409, 'Not in this state', 'The move is not open to the release in its state.'],
  HELD: [409, 'The release is held', 'Somebody holds the release; nothing moves forward until the hold is lifted.'],
  PAUSED: [409, 'The release is paused', 'The release is paused, by a person or by its stop-loss.'],
  DRAINING: [409, 'The release is being cancelled', 'Work of the release still runs and is being drained.'],
  RECONCILIATION_REQUIRED: [409, 'Reconciliation is required', 'Something does not agree; the release goes on only by a recorded decision, by abandoning or by rolling back.'],
  WORKING: [409, 'The runner is at work', 'The step before has not ended.'],

  // Build and rehearsal
  PARTITIONS_MISSING: [409, 'Partitions are missing', 'Planned partitions have no accepted receipt.'],
  RECEIPT_CONFLICT: [409, 'A retry came to other roots', 'A partition that has a receipt was computed again with another result.'],
  STALE_ATTEMPT: [409, 'The attempt is stale', 'The attempt lost its partition to another; it wrote nothing.'],
  CONTRACT_FAILED: [409, 'The contract does not hold', 'A check of the release’s contract found rows against it.'],
  EXPECTATION_FAILED: [409, 'Not what was expected', 'Partitions, rows or the root are not what the release declares as expected.'],
  REHEARSAL_MISSING: [409, 'No current rehearsal', 'The seal needs a rehearsal reconciliation that is newer than the last receipt.'],
  DRILL_MISSING: [409, 'No drill that counts', 'The dataset’s policy requires that the release’s last drill passed, rolled back within 15:00 and is not older than its limit.'],
  LAG_OVER_LIMIT: [409, 'Live lag is over its limit', 'The active generation is further behind its log than the release allows.'],

  // Ingress
  EPOCH_SEALED: [409, 'Ingress is sealed', 'The epoch is sealed: no write is committed under it.'],
  NOT_SEALED: [409, 'Not sealed', 'The release does not hold the seal of the dataset’s ingress; or the partition that is to be corrected was never published.'],
  BARRIER_NOT_COVERED: [409, 'The barrier is not covered', 'The candidate does not hold exactly the events up to the barrier; n of m are applied.'],
  BUFFER_OVER_LIMIT: [409, 'The buffer is over its limit', 'More events wait behind the seal than the release allows.'],
  SEALED_TOO_LONG: [409, 'Sealed for too long', 'The time that ingress may be sealed has passed; it reopens by itself.'],

  // Reconciliation
  UNEXPLAINED_DIFF: [409, 'Unexplained differences', 'Rows differ and no declared rule accounts for them.'],
  DRIFT_NOT_ACCEPTED: [409, 'Drift is not accepted', 'Rows of the old generation are not what its own transform yields, and nobody accepted that.'],
  CONSERVED_DIFFERENCE: [409, 'A conserved sum differs', 'A sum that the release declares conserved is not equal on its sides.'],
  COVERAGE_GAP: [409, 'The map has a gap or an overlap', 'The generation does not cover every instant exactly once.'],
  CHECK_FAILED: [409, 'A check failed', 'A check of the reconciliation did not pass.'],
  CHECK_INCOMPLETE: [409, 'A check is incomplete', 'A check stopped before its end; that is not zero differences.'],

  // Signatures
  SELF_APPROVAL: [409, 'Authors do not sign', 'Whoever wrote a frozen field, or accepted drift or quarantine by name, does not sign that release.'],
  ALREADY_SIGNED: [409, 'Already signed', 'One person counts once.'],
  EVIDENCE_MOVED: [409, 'The evidence moved', 'The digest that was shown is not the digest of the evidence now.'],
  EVIDENCE_MISSING: [409, 'There is no evidence yet', 'There is nothing to sign before the reconciliation at the barrier.'],
  APPROVALS_MISSING: [409, 'Signatures are missing', 'n of m signatures of distinct people stand on the current evidence.'],
  EXECUTOR_SIGNED: [409, 'Who signed does not execute', 'The policy of the dataset does not let a signer execute the switch.'],
  DEADLINE_PASSED: [409, 'The deadline has passed', 'The release may not be signed or cut over after its deadline.'],

  // Rollback
  ROLLBACK_UNSIGNED: [409, 'The rollback is not signed', 'n of m signatures for the rollback stand; without them there is no rollback.'],
  ROLLBACK_IN_PROGRESS: [409, 'A rollback is in progress', 'Seals and cutovers of the dataset wait until the rollback is over.'],
  ROLLBACK_WINDOW_CLOSED: [409, 'The old generation is gone', 'The rollback window is over or the old generation is no longer kept.'],
  NOT_SERVING: [409, 'The release does not serve', 'Its generation is not the active one.'],
  PARTITION_SEALED: [409, 'The partition is sealed', 'Its figures were published; they are never overwritten.'],

  // Runs
  NOT_OVERWRITABLE: [409, 'The output may not be overwritten', 'It was answered that what stands in the range may not be replaced, which is what a run does.'],
  PUBLISHED_NOT_SEEN: [409, 'Published partitions were not looked at', 'The range holds partitions whose figures were published, and it was answered that nobody looked at them.'],

  // Contaminated marks
  CONTAMINATION_LIFTED: [409, 'The mark is lifted', 'The contaminated mark does not stand any more; what is known to be wrong now needs a mark of its own.'],
  OTHER_DATASET: [409, 'It is of another dataset', 'A mark is repaired by a release of its own dataset.'],
  RANGE_NOT_COVERED: [409, 'The range does not contain the mark', 'A cutover lifts a mark only where its release rebuilds the whole interval; both are named.'],
  CUTOVER_OVER: [409, 'Its cutover is over', 'The release was cut over; a mark is lifted in a cutover that is still to come.'],

  // Reports
  NO_REPORTS: [409, 'No report is saved', 'The dataset has no report that could be read in shadow.'],
  REPORT_ENDED: [409, 'The report was ended', 'It was ended, or saved anew, which has an id of its own.'],

  // Readers and retiring
  LEASE_ENDED: [410, 'The lease ended', 'The reader’s lease ended; a new read begins on the active generation.'],
  GENERATION_GONE: [410, 'The generation is gone', 'The generation never served, or was dropped.'],
  LEASES_OPEN: [409, 'Leases are open', 'Readers still hold the generation.'],
  ROLLBACK_WINDOW_OPEN: [409, 'The rollback window is open', 'The generation is kept until its rollback window is over.'],

  // People
  LAST_ADMIN: [409, 'The last admin stays', 'Nobody else holds the role admin; taking it would leave nobody who can give roles.'],

  // Subscribers
  SUBSCRIBER_ENDED: [409, 'The subscriber was ended', 'An ended subscriber is told nothing more; its name is not used again.'],
  DELIVERY_NOT_FAILED: [409, 'There is nothing to send again', 'Only a delivery that was given up is sent again: this one was delivered, or is still being tried.'],

  // Doors
  UNAUTHENTICATED: [401, 'Not signed in', 'There is no token or session, or it is not valid.'],
  FORBIDDEN: [403, 'Not permitted', 'None of the roles held may do this.'],
  NOT_FOUND: [404, 'Not found', 'There is nothing of this name.'],
  METHOD_NOT_ALLOWED: [405, 'Method not allowed', 'The path does not take this method; Allow names those that it takes.'],
  LOST_RACE: [409, 'Somebody was first', 'What was believed when the move began was no longer so when it was to land; nothing changed.'],
  TOO_LARGE: [413, 'Too large', 'The request holds more than one call may.'],
  RATE_LIMITED: [429, 'Too many requests', 'The limit of requests is reached; try later.'],
  BUSY: [503, 'Busy', 'A lock or a connection was not to be had in time; nothing changed, and trying again is safe.'],
  INTERNAL: [500, 'Something failed', 'An error that has no code; the request id finds it in the log.'],
} as const satisfies Record<string, readonly [status: number, title: string, doc: string]>;

export type Code = keyof typeof CODES;

export function isCode(value: unknown): value is Code {
  return typeof value === 'string' && Object.hasOwn(CODES, value);
}

/** HTTP status with which a code leaves through the API. */
export function statusOf(code: Code): number {
  return CODES[code][0];
}

/** The short sentence that heads a refusal. */
export function titleOf(code: Code): string {
  return CODES[code][1];
}

/** The sentence that explains a code in the docs. */
export function docOf(code: Code): string {
  return CODES[code][2];
}
