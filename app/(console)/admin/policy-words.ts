import { countText } from '@/components/ui/figure-text';
import type { Policy } from '@/lib/domain/dataset';
import { exactDuration } from './duration';

/** A policy in words, in the order in which a release meets it. */
export function policyWords(policy: Policy, unit: string, zone: string) {
  const { approvals, runs } = policy;
  return {
    cutover: countText(approvals.cutover, 'signature'),
    rollback: countText(approvals.rollback, 'signature'),
    signers: policy.executorMayApprove ? 'who signed may execute' : 'who signed may not execute',
    drill: policy.requireDrill
      ? `required, at most ${exactDuration(policy.drillMaxAgeHours * 3_600)} old`
      : 'not required',
    window:
      policy.rollbackWindowSeconds === 0 ? 'none' : exactDuration(policy.rollbackWindowSeconds),
    lease: exactDuration(policy.leaseSeconds),
    cron:
      runs.cron === null
        ? 'none by the clock'
        : `${runs.cron} in ${zone}, the last ${runs.partitions === 1 ? unit : countText(runs.partitions, unit)}`,
    secondPerson:
      runs.secondPersonOver === null
        ? 'no second person'
        : `a second person over ${countText(runs.secondPersonOver, unit)}`,
  };
}

export type PolicyWords = ReturnType<typeof policyWords>;

export const POLICY_TERMS: Record<keyof PolicyWords, string> = {
  cutover: 'Cutover',
  rollback: 'Rollback',
  signers: 'Signers',
  drill: 'Drill',
  window: 'Rollback window',
  lease: 'Lease',
  cron: 'Runs',
  secondPerson: 'Large runs',
};
