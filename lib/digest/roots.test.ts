import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Digest, formatDigest, sha256Bytes } from '@/lib/digest/canonical';
import {
  EMPTY_MANIFEST_ROOT,
  leafHash,
  type ManifestEntry,
  manifestRoot,
} from '@/lib/digest/manifest';
import {
  EMPTY_BUCKET_HASH,
  EMPTY_PARTITION_ROOT,
  PartitionRootBuilder,
  partitionRoot,
} from '@/lib/digest/partition-root';
import { bucketOf, encodeText, rowHash } from '@/lib/digest/row-encoding';

const columns = [
  { name: 'a', type: 'text' },
  { name: 'b', type: 'text' },
];
const hashOf = (...values: (string | null)[]) => rowHash(columns, values).toString('hex');

describe('rowHash', () => {
  it('keeps NULL, the empty string, and the word null apart', () => {
    const hashes = [null, '', 'null', 'NULL', '\\N'].map((value) => hashOf(value, 'x'));
    expect(new Set(hashes).size).toBe(hashes.length);
  });

  it('keeps the borders of columns', () => {
    const hashes = [
      hashOf('ab', 'c'),
      hashOf('a', 'bc'),
      hashOf('abc', ''),
      hashOf('', 'abc'),
      hashOf('abc', null),
      hashOf(null, 'abc'),
      hashOf('a\u0001', 'bc'),
    ];
    expect(new Set(hashes).size).toBe(hashes.length);
  });

  it('refuses a row with another number of values', () => {
    expect(() => rowHash(columns, ['a'])).toThrow(RangeError);
    expect(() => rowHash(columns, ['a', undefined as unknown as null])).toThrow(RangeError);
    expect(() => rowHash([], [])).toThrow(RangeError);
  });
});

describe('PartitionRootBuilder', () => {
  const row = fc.record({ key: fc.string({ unit: 'grapheme' }), value: fc.string() });
  const rows = fc.uniqueArray(row, { selector: ({ key }) => key, maxLength: 200 });

  it('gives one root for any order, and the same in key order', () => {
    fc.assert(
      fc.property(rows, fc.integer(), (given, seed) => {
        const root = rootOf(given);
        expect(rootOf(shuffled(given, seed))).toBe(root);
        const sorted = given.toSorted((a, b) =>
          Buffer.compare(Buffer.from(a.key), Buffer.from(b.key)),
        );
        expect(rootOf(sorted, 'key')).toBe(root);
      }),
    );
  });

  it('sorts by bytes, where U+FF5E comes before U+1F600 although UTF-16 says otherwise', () => {
    const builder = new PartitionRootBuilder(columns, { order: 'key' });
    builder.add('\uff5e', ['1', '1']);
    builder.add('\u{1f600}', ['2', '2']);
    expect(() => builder.add('\uff5e', ['3', '3'])).toThrow(/not above/);
  });

  it('is the root over 64 buckets, of which only the touched one changes', () => {
    const builder = new PartitionRootBuilder(columns);
    builder.add('k', ['1', null]);
    const { rows: count, buckets, root } = builder.finish();
    expect(count).toBe(1);
    expect(buckets).toHaveLength(64);
    const touched = buckets.filter(({ hash }) => !hash.equals(EMPTY_BUCKET_HASH));
    expect(touched).toEqual([buckets[bucketOf('k')]]);
    expect(formatDigest(partitionRoot(buckets.map(({ hash }) => hash)))).toBe(root);
    expect(new PartitionRootBuilder(columns).finish().root).toBe(EMPTY_PARTITION_ROOT);
  });

  it('does not cancel equal rows out', () => {
    const builder = new PartitionRootBuilder(columns);
    builder.add('k', ['1', null]);
    builder.add('k', ['1', null]);
    expect(builder.finish().root).not.toBe(EMPTY_PARTITION_ROOT);
  });
});

function rootOf(rows: readonly { key: string; value: string }[], order: 'any' | 'key' = 'any') {
  const builder = new PartitionRootBuilder(columns, { order });
  for (const { key, value } of rows) builder.add(key, [value, null]);
  return builder.finish().root;
}

function shuffled<T>(items: readonly T[], seed: number): T[] {
  const rank = (i: number) => sha256Bytes(`${seed}/${i}`).toString('hex');
  return items
    .map((item, i) => ({ item, rank: rank(i) }))
    .sort((a, b) => (a.rank < b.rank ? -1 : 1))
    .map(({ item }) => item);
}

describe('manifestRoot', () => {
  const day = (n: number): string => new Date(n * 86_400_000).toISOString().replace('.000', '');
  const entry = (n: number, more: Partial<ManifestEntry> = {}): ManifestEntry => ({
    start: day(n),
    end: day(n + 1),
    rows: n,
    sums: { net: `${n}.50` },
    root: EMPTY_PARTITION_ROOT,
    ...more,
  });
  const days = (count: number) => Array.from({ length: count }, (_, n) => entry(n));

  it('is the tree of RFC 6962: the split is at the largest power of two below the count', () => {
    const leaves = days(7).map(leafHash);
    const [l0, l1, l2, l3, l4, l5, l6] = leaves as [Buffer, ...Buffer[]];
    const node = (l?: Buffer, r?: Buffer) => {
      if (!l || !r) throw new Error('a leaf is missing');
      return sha256Bytes(Buffer.of(1), l, r);
    };
    const left = node(node(l0, l1), node(l2, l3));
    expect(manifestRoot(days(7))).toBe(formatDigest(node(left, node(node(l4, l5), l6))));
    expect(manifestRoot(days(4))).toBe(formatDigest(left));
    expect(manifestRoot(days(1))).toBe(formatDigest(l0));
    expect(manifestRoot([])).toBe(EMPTY_MANIFEST_ROOT);
    expect(EMPTY_MANIFEST_ROOT).toBe(
      'sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    );
  });

  it('does not depend on the order of entries or sums, or on how numbers are written', () => {
    const plain = entry(1, { rows: '5', sums: { b: '1.50', a: null } });
    const other = entry(1, { rows: 5, sums: { a: null, b: '1.5' } });
    expect(leafHash(plain)).toEqual(leafHash(other));
    expect(manifestRoot(days(9).toReversed())).toBe(manifestRoot(days(9)));
    expect(leafHash(entry(1, { start: '1970-01-02T01:00:00+01:00' }))).toEqual(leafHash(entry(1)));
  });

  it('changes with every part of a line', () => {
    const changed: Partial<ManifestEntry>[] = [
      {},
      { start: '1970-01-02T00:00:00.000001Z' },
      { end: '1970-01-03T00:00:00.000001Z' },
      { rows: 2 },
      { sums: { net: '1.51' } },
      { sums: { net: null } },
      { sums: { nett: '1.5' } },
      { sums: {} },
      { sums: { net: '1.5', tax: null } },
      { root: `sha256:${'0'.repeat(64)}` as Digest },
    ];
    const hashes = changed.map((more) => leafHash(entry(1, more)).toString('hex'));
    expect(new Set(hashes).size).toBe(changed.length);
  });

  it('refuses overlap, emptiness and partitions without end', () => {
    expect(() => manifestRoot([entry(1), entry(1)])).toThrow(/overlap/);
    expect(() => manifestRoot([entry(1, { end: day(3) }), entry(2)])).toThrow(/overlap/);
    expect(() => manifestRoot([entry(1, { end: day(1) })])).toThrow(/empty/);
    expect(() => manifestRoot([entry(1, { end: 'infinity' })])).toThrow(/finite/);
    expect(() => manifestRoot([entry(1, { rows: -1 })])).toThrow(RangeError);
    expect(() => manifestRoot([entry(1, { rows: 1.5 })])).toThrow(RangeError);
  });
});

describe('docs/root-encoding.md', () => {
  const example = JSON.parse(
    /```json root-encoding-example\n([\s\S]*?)```/.exec(
      readFileSync(new URL('../../docs/root-encoding.md', import.meta.url), 'utf8'),
    )?.[1] ?? 'null',
  );

  it('holds a worked example whose every figure can be recomputed', () => {
    const builder = new PartitionRootBuilder(example.columns);
    for (const row of example.rows) {
      expect(bucketOf(row.key)).toBe(row.bucket);
      expect(rowHash(example.columns, row.values).toString('hex')).toBe(row.rowHash);
      builder.add(row.key, row.values);
    }
    const figures = builder.finish();
    for (const { bucket, hash } of example.bucketHashes) {
      expect(figures.buckets[bucket]?.hash.toString('hex')).toBe(hash);
    }
    expect(Buffer.from(EMPTY_BUCKET_HASH).toString('hex')).toBe(example.emptyBucketHash);
    expect(figures.root).toBe(example.partitionRoot);
    expect(EMPTY_PARTITION_ROOT).toBe(example.emptyPartitionRoot);
    expect(example.manifest.map((line: ManifestEntry) => leafHash(line).toString('hex'))).toEqual(
      example.leafHashes,
    );
    expect(manifestRoot(example.manifest)).toBe(example.manifestRoot);
    expect(EMPTY_MANIFEST_ROOT).toBe(example.emptyManifestRoot);
    expect(example.manifest[0].root).toBe(example.partitionRoot);
  });

  it('shows the bytes of its first row', () => {
    const bytes = example.firstRowBytes.join('');
    expect(sha256Bytes(Buffer.from(bytes, 'hex')).toString('hex')).toBe(example.rows[0].rowHash);
    expect(example.firstRowBytes[2]).toBe(encodeText(example.rows[0].values[0]).toString('hex'));
  });
});
