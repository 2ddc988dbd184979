import { addDecimals, compareDecimals } from '@/lib/domain/decimal';
import { plural } from '@/lib/domain/figures';
import type { CompiledSpec } from './compiled-spec';
import type { ReleaseShape } from './release-shape';

/** One check's outcome; `accepted` lets one that did not pass count as passed. */
export interface Check {
  name: string;
  passed: boolean;
  accepted?: boolean;
  figure: string;
  expected: string;
  detail: unknown;
}

/** What a partition's comparison found, as it was stored. */
export interface PartitionFindings {
  start: string;
  end: string;
  oldRows: string;
  controlRows: string;
  newRows: string;
  unexplained: string;
  drift: string;
  changed: string;
  /** Carried over from a rehearsal, which recomputed the root too. */
  rehearsed: boolean;
  classes: { class: string; rule: string | null; kind: string; rows: string }[];
  columns: Record<string, { changed: string; oldNulls: string; newNulls: string }>;
  conserved: Record<
    string,
    {
      old: string | null;
      control: string | null;
      new: string | null;
      known: string | null;
      source: string | null;
    }
  >;
  contract: Record<string, { rows: string; bad: string }>;
}

export const big = (values: readonly string[]) => values.reduce((sum, v) => sum + BigInt(v), 0n);

export function expectations(
  shape: ReleaseShape,
  spec: CompiledSpec,
  partitions: readonly PartitionFindings[],
): Check[] {
  const { expected } = spec.frozen;
  const checks: Check[] = [];
  const planned = partitions.length;
  if (expected.partitions !== undefined && shape.release.rangeTo !== null) {
    checks.push({
      name: 'expected:partitions',
      passed: planned === expected.partitions,
      figure: String(planned),
      expected: String(expected.partitions),
      detail: {},
    });
  }
  const { min, max } = expected.rows ?? {};
  if (min !== undefined || max !== undefined) {
    const count = big(partitions.map((p) => p.newRows));
    checks.push({
      name: 'expected:rows',
      passed:
        (min === undefined || count >= BigInt(min)) && (max === undefined || count <= BigInt(max)),
      figure: String(count),
      expected: `${min ?? 0} to ${max ?? 'any'}`,
      detail: {},
    });
  }
  return checks;
}

/** Rows that differ from the control, by rule; what no rule explains must be none. */
export function expectedDiff(partitions: readonly PartitionFindings[]): Check {
  const byRule: Record<string, string> = {};
  for (const group of partitions.flatMap((p) => p.classes)) {
    const name = group.rule ?? group.class;
    if (group.class === 'drift') continue;
    byRule[name] = String(BigInt(byRule[name] ?? '0') + BigInt(group.rows));
  }
  const unexplained = String(big(partitions.map((p) => p.unexplained)));
  return {
    name: 'expected_diff',
    passed: unexplained === '0',
    figure: `${unexplained} unexplained of ${big(partitions.map((p) => p.changed))} changed`,
    expected: '0 unexplained',
    detail: { unexplained, byRule },
  };
}

/** Keys on one side only, beyond what rules explain. */
export function keySet(partitions: readonly PartitionFindings[]): Check {
  let unexplained = 0n;
  const kinds: Record<string, string> = { added: '0', removed: '0' };
  for (const group of partitions.flatMap((p) => p.classes)) {
    if (group.kind !== 'added' && group.kind !== 'removed') continue;
    kinds[group.kind] = String(BigInt(kinds[group.kind] ?? '0') + BigInt(group.rows));
    if (group.class !== 'explained') unexplained += BigInt(group.rows);
  }
  return {
    name: 'key_set',
    passed: unexplained === 0n,
    figure: `${kinds.added} added, ${kinds.removed} removed, ${unexplained} unexplained`,
    expected: '0 unexplained',
    detail: kinds,
  };
}

const zero = (value: string | null | undefined) => value ?? '0';

export function conserved(
  name: string,
  withSource: boolean,
  partitions: readonly PartitionFindings[],
): Check {
  const of = (side: 'old' | 'control' | 'new' | 'known' | 'source') =>
    partitions.map((p) => zero(p.conserved[name]?.[side])).reduce(addDecimals, '0');
  const sides = {
    old: of('old'),
    control: of('control'),
    new: of('new'),
    known: of('known'),
    source: withSource ? of('source') : null,
  };
  const differing = partitions
    .filter((p) => {
      const at = p.conserved[name];
      return (
        compareDecimals(zero(at?.control), zero(at?.known)) !== 0 ||
        (withSource && compareDecimals(zero(at?.source), zero(at?.new)) !== 0)
      );
    })
    .map((p) => p.start);
  // of a row that the old transform could not compute nobody knows what it would have been
  const unknown =
    compareDecimals(sides.new, sides.known) === 0 ? '' : `, ${sides.known} without control errors`;
  return {
    name: `conserved:${name}`,
    passed: differing.length === 0,
    figure: withSource
      ? `control ${sides.control}, new ${sides.new}${unknown}, source ${sides.source}`
      : `control ${sides.control}, new ${sides.new}${unknown}`,
    expected: 'difference 0 in every partition',
    detail: { ...sides, differing: differing.slice(0, 20), differingCount: differing.length },
  };
}

/** A column's NULLs may change only in rows that a rule explains, and then as a changed column. */
export function nullDistribution(
  { dataset }: ReleaseShape,
  partitions: readonly PartitionFindings[],
): Check {
  const columns: Record<string, { old: string; new: string; changed: string }> = {};
  const suspicious: string[] = [];
  for (const { name } of dataset.columns.filter((c) => c.nullable)) {
    const at = partitions.map(
      (p) => p.columns[name] ?? { changed: '0', oldNulls: '0', newNulls: '0' },
    );
    const found = {
      old: String(big(at.map((a) => a.oldNulls))),
      new: String(big(at.map((a) => a.newNulls))),
      changed: String(big(at.map((a) => a.changed))),
    };
    columns[name] = found;
    // fewer changed rows than the count of NULLs moved cannot be: rows came or went besides
    const moved = at.reduce((sum, a) => {
      const gap = BigInt(a.newNulls) - BigInt(a.oldNulls);
      return sum + (gap < 0n ? -gap : gap);
    }, 0n);
    if (moved > BigInt(found.changed) + existence(partitions)) suspicious.push(name);
  }
  return {
    name: 'null_distribution',
    passed: suspicious.length === 0,
    figure: suspicious.length === 0 ? 'as explained' : suspicious.join(', '),
    expected: 'changes only in explained rows',
    detail: columns,
  };
}

const existence = (partitions: readonly PartitionFindings[]) =>
  big(
    partitions.flatMap((p) =>
      p.classes.filter((g) => g.kind === 'added' || g.kind === 'removed').map((g) => g.rows),
    ),
  );

/** Rows that go: per partition, the new side has what the control has, less removed, plus added. */
export function deleteDistribution(partitions: readonly PartitionFindings[]): Check {
  const count = (p: PartitionFindings, kind: string) =>
    big(p.classes.filter((g) => g.kind === kind).map((g) => g.rows));
  const off = partitions.filter(
    (p) => BigInt(p.newRows) !== BigInt(p.controlRows) + count(p, 'added') - count(p, 'removed'),
  );
  const removed = partitions.reduce((sum, p) => sum + count(p, 'removed'), 0n);
  return {
    name: 'delete_distribution',
    passed: off.length === 0,
    figure: `${removed} removed in ${plural(partitions.filter((p) => count(p, 'removed') > 0n).length, 'partition')}`,
    expected: 'control + added − removed = new in every partition',
    detail: { removed: String(removed), off: off.map((p) => p.start).slice(0, 20) },
  };
}

export function contract(
  name: string,
  item: CompiledSpec['frozen']['contract'][number],
  partitions: readonly PartitionFindings[],
): Check {
  const bad = big(partitions.map((p) => p.contract[name]?.bad ?? '0'));
  const total = big(partitions.map((p) => p.contract[name]?.rows ?? '0'));
  const allowed = item.check === 'null_ratio' ? item.max : 0;
  return {
    name: `contract:${name}`,
    passed: allowed === 0 ? bad === 0n : Number(bad) <= Number(total) * allowed,
    figure: `${bad} of ${total} rows`,
    expected: item.check === 'null_ratio' ? `at most ${item.max} of the rows` : '0 rows',
    detail: { bad: String(bad), rows: String(total) },
  };
}
