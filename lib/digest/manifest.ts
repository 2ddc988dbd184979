import { type Digest, formatDigest, parseDigest, sha256Bytes } from '@/lib/digest/canonical';
import { instantMicros } from '@/lib/digest/instant-text';
import { encodeBytes, encodeText } from '@/lib/digest/row-encoding';
import { numericText, valueBytes } from '@/lib/digest/value-bytes';

/** One line of a manifest: a partition with its figures. */
export interface ManifestEntry {
  /** Half-open interval of business time, RFC 3339 with offset; both ends finite. */
  readonly start: string;
  readonly end: string;
  /** Number of rows, as a number or decimal text. */
  readonly rows: number | string;
  /** Conserved sums by name: numeric text, or null where there was nothing to sum. */
  readonly sums: Readonly<Record<string, string | null>>;
  readonly root: Digest;
}

const LEAF = Buffer.of(0);
const NODE = Buffer.of(1);

/** Root of a manifest without partitions: SHA-256 of nothing, as in RFC 6962. */
export const EMPTY_MANIFEST_ROOT: Digest = formatDigest(sha256Bytes());

/**
 * Root over a generation's partitions: the Merkle tree of RFC 6962 over their leaves in order of
 * start. The entries may come in any order; two that overlap, or an empty one, are a RangeError.
 */
export function manifestRoot(entries: readonly ManifestEntry[]): Digest {
  const lines = entries.map((entry) => ({ entry, span: spanOf(entry) }));
  lines.sort((a, b) => (a.span.start < b.span.start ? -1 : a.span.start > b.span.start ? 1 : 0));
  for (const [i, line] of lines.entries()) {
    const next = lines[i + 1];
    if (next && next.span.start < line.span.end) {
      throw new RangeError(`partitions overlap: ${line.entry.start} and ${next.entry.start}`);
    }
  }
  return formatDigest(treeHash(lines.map((line) => leafHash(line.entry))));
}

/** Leaf hash of one partition: SHA-256(0x00 ‖ start ‖ end ‖ rows ‖ name, value … ‖ root). */
export function leafHash(entry: ManifestEntry): Buffer {
  spanOf(entry);
  const rows = String(entry.rows);
  if (!/^(0|[1-9]\d*)$/.test(rows)) throw new RangeError(`not a number of rows: ${rows}`);
  const sums = Object.entries(entry.sums)
    .map(([name, value]) => ({ name: Buffer.from(name, 'utf8'), value }))
    .sort((a, b) => Buffer.compare(a.name, b.name))
    .flatMap(({ name, value }) => [
      encodeBytes(name),
      encodeText(value === null ? null : numericText(value)),
    ]);
  return sha256Bytes(
    LEAF,
    encodeBytes(valueBytes('timestamptz', entry.start)),
    encodeBytes(valueBytes('timestamptz', entry.end)),
    encodeBytes(valueBytes('bigint', rows)),
    ...sums,
    encodeBytes(parseDigest(entry.root)),
  );
}

function spanOf(entry: ManifestEntry): { start: bigint; end: bigint } {
  if (/infinity/.test(entry.start + entry.end)) {
    throw new RangeError('a partition of a manifest is finite');
  }
  const span = { start: instantMicros(entry.start), end: instantMicros(entry.end) };
  if (span.end <= span.start) throw new RangeError(`an empty partition at ${entry.start}`);
  return span;
}

function treeHash(leaves: readonly Buffer[]): Buffer {
  const [first] = leaves;
  if (first === undefined) return sha256Bytes();
  if (leaves.length === 1) return first;
  const split = 2 ** Math.floor(Math.log2(leaves.length - 1));
  return sha256Bytes(NODE, treeHash(leaves.slice(0, split)), treeHash(leaves.slice(split)));
}
