/**
 * The named points of everything that changes a dataset's served state or a release's: between any
 * two of them a process, or PostgreSQL, may die. Tests stop there; nothing else listens.
 */
export const stepNames = [
  'snapshot.rows-written',

  'build.claimed',
  'build.rows-written',
  'build.receipt-written',
  'build.committed',

  'apply.rows-written',
  'live.before-commit',
  'live.committed',
  'catch-up.before-commit',
  'catch-up.committed',
  'move-partitions.copied',
  'move-partitions.before-commit',

  'seal.before-commit',
  'seal.committed',
  'manifest.before-commit',

  'reconcile.chunk-stored',
  'reconcile.before-verdict',
  'reconcile.evidence-written',

  'cutover.before-commit',
  'cutover.committed',

  'rollback.requested',
  'rollback.batch-before-commit',
  'rollback.sealed',
  'rollback.before-commit',
  'rollback.committed',

  'run.aside-written',
  'run.before-commit',
  'run.committed',

  'retire.hidden',
  'retire.unmapped',
  'retire.rows-deleted',

  'prune.before-commit',
  'prune.committed',
] as const;

export type StepName = (typeof stepNames)[number];
export type StepHandler = (name: StepName) => void | Promise<void>;

let handler: StepHandler | null = null;

/**
 * Says that a named point was reached; whatever listens may hold the caller there, or throw as if
 * its process had failed. Without a listener, which is always outside tests, it does nothing.
 */
export function reached(name: StepName): void | Promise<void> {
  return handler?.(name);
}

/**
 * Listens to this process's named points, in place of whoever listened before. Only code that is
 * loaded by a test can call it: there is no setting that does.
 *
 * @returns ends the listening
 */
export function onStep(listener: StepHandler): () => void {
  handler = listener;
  return () => {
    if (handler === listener) handler = null;
  };
}
