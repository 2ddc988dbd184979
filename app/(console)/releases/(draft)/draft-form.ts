import type { Instant } from '@/lib/domain/instant';
import { sortedText } from '@/lib/domain/json';
import { formatEdge, formatMoment } from '@/lib/domain/partition-label';
import type { ReleaseSpec } from '@/lib/domain/release';
import type { DraftDataset } from '@/lib/queries/draft';

export interface RuleForm {
  rule: string;
  where: string;
  columns: string[];
}

export interface ContractForm {
  check: 'not_null' | 'null_ratio' | 'sql';
  column: string;
  max: string;
  name: string;
  where_bad: string;
}

export interface ConservedForm {
  name: string;
  old: string;
  new: string;
  source: string;
}

/**
 * A release as it is being typed: every field as text, so that nothing half-typed is lost. What it
 * means is read on the server, where the zone database is the one that plans.
 */
export interface DraftForm {
  name: string;
  dataset: string;
  from: string;
  to: string;
  open: boolean;
  /** What becomes of partitions of the range that were published. */
  sealedPartitions: 'CORRECT' | 'REFUSE';
  sql: string;
  commit: string;
  rules: RuleForm[];
  contract: ContractForm[];
  /** False: the dataset's own conserved sums are taken. */
  ownConserved: boolean;
  conserved: ConservedForm[];
  partitions: string;
  rowsMin: string;
  rowsMax: string;
  concurrency: string;
  maxSealedSeconds: string;
  maxLiveLagSeconds: string;
  maxBufferedEvents: string;
  failedPartitions: string;
  unexplainedRows: string;
  cutover: string;
  rollback: string;
  deadline: string;
  /** Empty: the suggested name. */
  targetGeneration: string;
  owner: string;
}

/** The form of a draft for a dataset, before anything is typed. */
export function emptyForm(dataset: DraftDataset | undefined, owner: string): DraftForm {
  return {
    name: '',
    dataset: dataset?.name ?? '',
    from: '',
    to: '',
    open: false,
    sealedPartitions: 'CORRECT',
    sql: dataset?.transform?.sql ?? '',
    commit: '',
    rules: [],
    contract: [],
    ownConserved: false,
    conserved: (dataset?.conserved ?? []).map((c) => ({ source: '', ...c })),
    partitions: '',
    rowsMin: '',
    rowsMax: '',
    concurrency: '4',
    maxSealedSeconds: '900',
    maxLiveLagSeconds: '120',
    maxBufferedEvents: '500000',
    failedPartitions: '3',
    unexplainedRows: '1',
    cutover: String(dataset?.approvals.cutover ?? 2),
    rollback: String(dataset?.approvals.rollback ?? 1),
    deadline: '',
    targetGeneration: '',
    owner,
  };
}

/** A spec as the form that shows it, drafts and frozen ones alike. */
export function formOf(
  given: object,
  dataset: DraftDataset,
  more: { name: string; owner: string; sql: string | null; commit: string | null },
): DraftForm {
  // what was stored was parsed before it was, and lacks only what says nothing
  const spec = given as Partial<ReleaseSpec>;
  const empty = emptyForm(dataset, more.owner);
  const text = (value: unknown, none = '') =>
    value === undefined || value === null ? none : String(value);
  const edge = (instant: string | undefined) =>
    instant === undefined ? '' : formatEdge(dataset.zone, instant as Instant);
  const to = spec.range?.to;
  const { budget, stopLoss, approvals, expected } = spec;
  return {
    ...empty,
    name: more.name,
    from: edge(spec.range?.from),
    to: to === 'open' ? '' : edge(to),
    open: to === 'open',
    sealedPartitions: spec.sealedPartitions ?? empty.sealedPartitions,
    sql: more.sql ?? empty.sql,
    commit: more.commit ?? '',
    rules: (spec.expectedDiff ?? []).map(({ rule, where, columns }) => ({
      rule,
      where,
      columns: [...columns],
    })),
    contract: (spec.contract ?? []).map((item) => ({
      ...emptyContract(),
      ...item,
      max: 'max' in item ? String(item.max) : '',
    })),
    ownConserved:
      spec.conserved !== undefined && sortedText(spec.conserved) !== sortedText(dataset.conserved),
    conserved: spec.conserved
      ? spec.conserved.map((c) => ({
          name: c.name,
          old: c.old,
          new: c.new,
          source: text(c.source),
        }))
      : empty.conserved,
    partitions: text(expected?.partitions),
    rowsMin: text(expected?.rows?.min),
    rowsMax: text(expected?.rows?.max),
    concurrency: text(budget?.concurrency, empty.concurrency),
    maxSealedSeconds: text(budget?.maxSealedSeconds, empty.maxSealedSeconds),
    maxLiveLagSeconds: text(budget?.maxLiveLagSeconds, empty.maxLiveLagSeconds),
    maxBufferedEvents: text(budget?.maxBufferedEvents, empty.maxBufferedEvents),
    failedPartitions: text(stopLoss?.failedPartitions, empty.failedPartitions),
    unexplainedRows: text(stopLoss?.unexplainedRows, empty.unexplainedRows),
    cutover: text(approvals?.cutover, empty.cutover),
    rollback: text(approvals?.rollback, empty.rollback),
    deadline: spec.deadline ? edge(spec.deadline) : '',
    targetGeneration: text(spec.targetGeneration),
    owner: text(spec.owner, more.owner),
  };
}

export function emptyContract(): ContractForm {
  return { check: 'not_null', column: '', max: '0', name: '', where_bad: '' };
}

export const sameForm = (a: DraftForm, b: DraftForm) => JSON.stringify(a) === JSON.stringify(b);

/** When a draft was kept, for its head. */
export const savedText = (zone: string, at: string) => formatMoment(zone, at as Instant);
