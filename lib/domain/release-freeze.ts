import type { Column } from './column';
import type { Conserved, Policy } from './dataset';
import { quoted } from './json';
import type { PartitionUnit } from './partition-plan';
import { type Blocker, type Issue, toFix } from './refusal';
import { contractName, type ReleaseSpec } from './release';

/** What a release copies from its dataset when it is pinned. */
export type DatasetFacts = {
  source: string;
  timezone: string;
  partition: PartitionUnit;
  columns: string;
  oldTransform: string;
  conserved: Conserved[];
  policy: Policy;
};

/** What pinning itself adds. */
export type PinFacts = {
  release: string;
  owner: string;
  newTransform: { digest: string; commit: string | null; lock: string | null };
  snapshot: string;
};

/** A release with nothing left out: this is what its digest covers, beside plan and facts. */
export type FrozenSpec = Omit<
  ReleaseSpec,
  'timezone' | 'partition' | 'columns' | 'conserved' | 'owner' | 'source' | 'transform'
> & {
  timezone: string;
  partition: PartitionUnit;
  columns: string;
  conserved: Conserved[];
  owner: string;
  source: { name: string; pin: 'SNAPSHOT'; snapshot: string };
  transform: { old: string; new: string; commit: string | null; lock: string | null };
  policy: Policy;
};

/** Where a release says of its dataset what is not so; each blocker at its JSON pointer. */
export function datasetDisagreements(spec: ReleaseSpec, dataset: DatasetFacts): Blocker[] {
  const blockers: Blocker[] = [];
  if (spec.source.name !== dataset.source) {
    blockers.push(
      toFix('SOURCE_MISMATCH', `The dataset reads ${dataset.source}, not ${spec.source.name}.`, {
        pointer: '/source/name',
        expected: dataset.source,
        current: spec.source.name,
      }),
    );
  }
  const copies = [
    ['/timezone', spec.timezone, dataset.timezone],
    ['/partition', spec.partition, dataset.partition],
    ['/columns', spec.columns, dataset.columns],
    ['/transform/old', spec.transform.old, dataset.oldTransform],
  ] as const;
  for (const [pointer, said, actual] of copies) {
    if (said === undefined || said === actual) continue;
    blockers.push(
      toFix('DATASET_DISAGREES', `${pointer.slice(1)} is ${actual} in the dataset, not ${said}.`, {
        pointer,
        expected: actual,
        current: said,
      }),
    );
  }
  return blockers;
}

/** Columns that the contract or a rule names and the dataset does not have. */
export function unknownColumns(spec: ReleaseSpec, columns: readonly Column[]): Issue[] {
  const known = new Set(columns.map((column) => column.name));
  const issue = (pointer: string, name: string, where: string): Issue => ({
    pointer,
    code: 'INVALID_INPUT',
    message: `${where} names the column ${quoted(name)}, which the dataset does not have.`,
  });
  const inContract = spec.contract.flatMap((item, index) =>
    item.check === 'sql' || known.has(item.column)
      ? []
      : [issue(`/contract/${index}/column`, item.column, `The check ${contractName(item)}`)],
  );
  const inRules = spec.expectedDiff.flatMap((rule, index) =>
    rule.columns.flatMap((name, at) =>
      known.has(name)
        ? []
        : [issue(`/expectedDiff/${index}/columns/${at}`, name, `The rule ${rule.rule}`)],
    ),
  );
  return [...inContract, ...inRules];
}

/**
 * The release as it is frozen: what was left out is the dataset's, the transform is named by its
 * digest alone, the approvals are the larger of release and policy. A list of conserved sums in
 * the release replaces the dataset's: a release that repairs such a sum cannot conserve it, and
 * whoever signs sees that it does not.
 */
export function freezeSpec(spec: ReleaseSpec, dataset: DatasetFacts, pin: PinFacts): FrozenSpec {
  return {
    ...spec,
    release: pin.release,
    owner: pin.owner,
    timezone: dataset.timezone,
    partition: dataset.partition,
    columns: dataset.columns,
    conserved: spec.conserved ?? dataset.conserved,
    source: { name: dataset.source, pin: 'SNAPSHOT', snapshot: pin.snapshot },
    transform: {
      old: dataset.oldTransform,
      new: pin.newTransform.digest,
      commit: pin.newTransform.commit,
      lock: pin.newTransform.lock,
    },
    approvals: {
      ...spec.approvals,
      cutover: Math.max(spec.approvals.cutover, dataset.policy.approvals.cutover),
      rollback: Math.max(spec.approvals.rollback, dataset.policy.approvals.rollback),
    },
    policy: dataset.policy,
  };
}
