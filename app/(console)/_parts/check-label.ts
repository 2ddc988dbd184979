const LABELS: Record<string, string> = {
  partition_closure: 'Coverage of the plan, overlap, gaps',
  'expected:partitions': 'Partitions, as the release expects',
  'expected:rows': 'Rows, as the release expects',
  expected_diff: 'Rows that no rule explains',
  drift: 'Drift of the old generation',
  key_set: 'Keys on one side only',
  null_distribution: 'NULLs per column',
  delete_distribution: 'Rows that go, per partition',
  duplicate_keys: 'Keys that stand twice',
  roots: 'Roots recomputed from the rows',
  row_count_buckets: 'Row counts per bucket',
  quarantine: 'Quarantined events',
};

/** A check's name in words; the name itself where it is one of a release's own. */
export function checkLabel(name: string): string {
  const known = LABELS[name];
  if (known !== undefined) return known;
  if (name.startsWith('conserved:')) return `Conserved: ${name.slice(10)}`;
  if (name.startsWith('contract:')) return `Contract: ${name.slice(9)}`;
  return name;
}

/** Numbers of five digits and more within a text, with commas: "463,185 rows compared". */
export function groupedText(text: string): string {
  return text.replace(/(?<![\w.])\d{4,}(?![\w])/g, (digits) =>
    digits.replace(/\B(?=(\d{3})+$)/g, ','),
  );
}
