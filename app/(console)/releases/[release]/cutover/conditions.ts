import type { Code } from '@/lib/domain/refusal-codes';

/** What each condition of the cutover’s statement says, in words. */
export const CONDITION_LABELS: Partial<Record<Code, string>> = {
  WRONG_STATE: 'Release’s state',
  NOT_SEALED: 'Ingress, sealed by',
  EPOCH_SEALED: 'Epoch of the seal',
  SEALED_TOO_LONG: 'Sealed time',
  GENERATION_MOVED: 'Active generation',
  ROLLBACK_IN_PROGRESS: 'Rollbacks of the dataset',
  BARRIER_NOT_COVERED: 'Both generations at the barrier',
  GENERATION_GONE: 'Candidate',
  EVIDENCE_MOVED: 'Evidence, its roots',
  PARTITION_SEALED: 'Published partitions',
  HELD: 'Not held',
  PAUSED: 'Not paused',
  DRAINING: 'Not draining',
  DEADLINE_PASSED: 'Deadline',
  APPROVALS_MISSING: 'Signatures on this evidence',
  EXECUTOR_SIGNED: 'Executor has not signed',
  DRILL_MISSING: 'Last drill, rolled back in',
};
