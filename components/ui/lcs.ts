/** One side of an edit: kept on both sides, only in the old, only in the new. */
export type Edit<T> =
  | { kind: 'same'; old: T; new: T }
  | { kind: 'del'; old: T }
  | { kind: 'add'; new: T };

/** Past this many cells the exact table is not worth its time; the middle is then one replacement. */
const CELLS = 4_000_000;

/**
 * The shortest edit from one list to another, by the longest common subsequence. Common ends are
 * taken off first, which leaves little of two versions of one text.
 */
export function edits<T>(
  before: readonly T[],
  after: readonly T[],
  equal: (a: T, b: T) => boolean = Object.is,
): Edit<T>[] {
  let head = 0;
  while (
    head < before.length &&
    head < after.length &&
    equal(before[head] as T, after[head] as T)
  ) {
    head += 1;
  }
  let tail = 0;
  while (
    tail < before.length - head &&
    tail < after.length - head &&
    equal(before[before.length - 1 - tail] as T, after[after.length - 1 - tail] as T)
  ) {
    tail += 1;
  }
  const same = (at: number, to: number): Edit<T> => ({
    kind: 'same',
    old: before[at] as T,
    new: after[to] as T,
  });
  const middle = middleEdits(
    before.slice(head, before.length - tail),
    after.slice(head, after.length - tail),
    equal,
  );
  return [
    ...Array.from({ length: head }, (_, at) => same(at, at)),
    ...middle,
    ...Array.from({ length: tail }, (_, at) =>
      same(before.length - tail + at, after.length - tail + at),
    ),
  ];
}

function middleEdits<T>(
  before: readonly T[],
  after: readonly T[],
  equal: (a: T, b: T) => boolean,
): Edit<T>[] {
  const rows = before.length;
  const columns = after.length;
  if (rows === 0 || columns === 0 || rows * columns > CELLS) {
    return [
      ...before.map((old): Edit<T> => ({ kind: 'del', old })),
      ...after.map((fresh): Edit<T> => ({ kind: 'add', new: fresh })),
    ];
  }
  const width = columns + 1;
  // longest[i * width + j]: length of the longest common subsequence of before[i…] and after[j…].
  const longest = new Uint32Array((rows + 1) * width);
  const at = (i: number, j: number) => longest[i * width + j] ?? 0;
  for (let i = rows - 1; i >= 0; i -= 1) {
    for (let j = columns - 1; j >= 0; j -= 1) {
      longest[i * width + j] = equal(before[i] as T, after[j] as T)
        ? at(i + 1, j + 1) + 1
        : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const out: Edit<T>[] = [];
  let i = 0;
  let j = 0;
  while (i < rows || j < columns) {
    if (i < rows && j < columns && equal(before[i] as T, after[j] as T)) {
      out.push({ kind: 'same', old: before[i++] as T, new: after[j++] as T });
    } else if (j >= columns || (i < rows && at(i + 1, j) >= at(i, j + 1))) {
      out.push({ kind: 'del', old: before[i++] as T });
    } else {
      out.push({ kind: 'add', new: after[j++] as T });
    }
  }
  return out;
}
