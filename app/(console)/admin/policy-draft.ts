import type { Policy } from '@/lib/domain/dataset';
import { exactDuration, readDuration } from './duration';

/** A policy as it is typed. */
export interface PolicyDraft {
  cutover: string;
  rollback: string;
  window: string;
  lease: string;
  executorMayApprove: boolean;
  requireDrill: boolean;
  drillAge: string;
  cron: string;
  partitions: string;
  secondPersonOver: string;
}

export type Typed = Exclude<keyof PolicyDraft, 'executorMayApprove' | 'requireDrill'>;

/** Where the server names each field. */
export const POINTERS: Record<Typed, string> = {
  cutover: '/policy/approvals/cutover',
  rollback: '/policy/approvals/rollback',
  window: '/policy/rollbackWindowSeconds',
  lease: '/policy/leaseSeconds',
  drillAge: '/policy/drillMaxAgeHours',
  cron: '/policy/runs/cron',
  partitions: '/policy/runs/partitions',
  secondPersonOver: '/policy/runs/secondPersonOver',
};

export function draftOf(policy: Policy): PolicyDraft {
  const { approvals, runs } = policy;
  return {
    cutover: String(approvals.cutover),
    rollback: String(approvals.rollback),
    window: exactDuration(policy.rollbackWindowSeconds),
    lease: exactDuration(policy.leaseSeconds),
    executorMayApprove: policy.executorMayApprove,
    requireDrill: policy.requireDrill,
    drillAge: exactDuration(policy.drillMaxAgeHours * 3_600),
    cron: runs.cron ?? '',
    partitions: String(runs.partitions),
    secondPersonOver: runs.secondPersonOver === null ? '' : String(runs.secondPersonOver),
  };
}

type Faults = Partial<Record<Typed, string>>;

/** The policy that was typed, or what is wrong with which field. Bounds are the server's to judge. */
export function policyOf(
  draft: PolicyDraft,
): { policy: Policy; faults: null } | { policy: null; faults: Faults } {
  const faults: Faults = {};
  const whole = (field: Typed): number => {
    if (/^\s*\d{1,9}\s*$/.test(draft[field])) return Number(draft[field]);
    faults[field] = 'A whole number.';
    return 0;
  };
  const seconds = (field: Typed): number => {
    const read = readDuration(draft[field]);
    if (read === null) faults[field] = 'A length of time, such as 36 h or 1 d 12 h.';
    return read ?? 0;
  };
  const age = seconds('drillAge') / 3_600;
  if (!Number.isInteger(age)) faults.drillAge = 'Whole hours.';
  const policy: Policy = {
    approvals: { cutover: whole('cutover'), rollback: whole('rollback') },
    leaseSeconds: seconds('lease'),
    rollbackWindowSeconds: seconds('window'),
    executorMayApprove: draft.executorMayApprove,
    requireDrill: draft.requireDrill,
    drillMaxAgeHours: age,
    runs: {
      cron: draft.cron.trim() === '' ? null : draft.cron.trim(),
      partitions: whole('partitions'),
      secondPersonOver: draft.secondPersonOver.trim() === '' ? null : whole('secondPersonOver'),
    },
  };
  return Object.keys(faults).length > 0 ? { policy: null, faults } : { policy, faults: null };
}
